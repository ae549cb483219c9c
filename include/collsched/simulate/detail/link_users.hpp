#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/simulate/contention_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The paths through a network, and for each link the paths with flows that use it.
class link_users {
  public:
    /// The use of a link by a path, in thousandths of the path's rate.
    struct use {
        std::int32_t link;
        std::int32_t position;  ///< position among the link's users
        std::int64_t permille;
    };
    /// A path that uses a link.
    struct user {
        std::int64_t path;
        std::int64_t use;  ///< index among the uses of all paths
    };

    explicit link_users(const contention_model::network& net) : net_(&net), users_(net.links().size()) {}

    /// Adds a path that passes these links, and others with `back_permille` thousandths of its rate. Links of which
    /// messages have the whole bandwidth do not count. Paths are numbered from 0.
    void add(const link_route& links, const link_route& back, std::int64_t back_permille) {
        first_.push_back(uses_.size());
        add_uses(links, 1000);
        add_uses(back, back_permille);
    }
    std::span<const use> uses(std::int64_t path) const {
        const auto number = static_cast<std::size_t>(path);
        const std::size_t end = number + 1 < first_.size() ? first_[number + 1] : uses_.size();
        return std::span(uses_).subspan(first_[number], end - first_[number]);
    }
    std::span<const user> users(std::int32_t link) const { return users_[static_cast<std::size_t>(link)]; }
    bool limits(std::int32_t link) const { return (*net_)[link].cost.byte_fs > 0 && (*net_)[link].shared; }

    /// Adds a path to the users of its links.
    void enter(std::int64_t path) {
        const std::size_t first = first_[static_cast<std::size_t>(path)], end = first + uses(path).size();
        for (std::size_t i = first; i < end; ++i) {
            std::vector<user>& all = users_[static_cast<std::size_t>(uses_[i].link)];
            uses_[i].position = static_cast<std::int32_t>(all.size());
            all.push_back({path, static_cast<std::int64_t>(i)});
        }
    }
    /// Removes a path from the users of its links.
    void leave(std::int64_t path) {
        for (const use& removed : uses(path)) {
            std::vector<user>& all = users_[static_cast<std::size_t>(removed.link)];
            const user last = all.back();
            all[static_cast<std::size_t>(removed.position)] = last;
            uses_[static_cast<std::size_t>(last.use)].position = removed.position;
            all.pop_back();
        }
    }

  private:
    void add_uses(const link_route& links, std::int64_t permille) {
        for (const std::int32_t link : links)
            if (permille > 0 && limits(link)) uses_.push_back({link, 0, permille});
    }

    const contention_model::network* net_;
    std::vector<std::size_t> first_;        // per path: its first use
    std::vector<use> uses_;                 // of all paths, path by path
    std::vector<std::vector<user>> users_;  // per link
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
