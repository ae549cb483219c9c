#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// State for each other rank, made when it is used.
template <class Link>
class peer_links {
  public:
    explicit peer_links(rank_t ranks) : links_(static_cast<std::size_t>(ranks)) {}

    /// The state of a rank, or null before it is used.
    Link* find(rank_t peer) const { return links_[static_cast<std::size_t>(peer)].get(); }
    /// The state of a rank. @param make  returns a std::unique_ptr<Link>
    Link& get(rank_t peer, auto make) {
        Link* const link = find(peer);
        if (link != nullptr) return *link;
        return *(links_[static_cast<std::size_t>(peer)] = make());
    }
    /// Calls f(rank, state) for each state that there is.
    void for_each(auto f) const {
        for (std::size_t i = 0; i < links_.size(); ++i)
            if (links_[i] != nullptr) f(static_cast<rank_t>(i), *links_[i]);
    }

  private:
    std::vector<std::unique_ptr<Link>> links_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
