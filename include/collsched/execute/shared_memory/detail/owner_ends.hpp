#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// When each owner of operations has last had all of them complete: the number of such ends, of any owner, up to that one.
class owner_ends {
  public:
    /// The owner has no operation in flight. O(1) for the owner of the last call, else O(owners).
    void note(const void* owner) {
        if (owner != last_.owner) turn_to(owner);
        last_.end = ++count_;
    }
    /// Returns whether it is time to forget owners that are gone.
    bool is_full() const { return others_.size() >= most_; }
    /// Forgets the owners for which f returns true.
    void forget_if(auto f) {
        std::erase_if(others_, [&](const owner_end& o) { return f(o.owner); });
        most_ = std::max<std::size_t>(least, 2 * others_.size());
    }
    std::uint64_t count() const { return count_; }
    /// Returns the number of the last end of an owner, or 0. O(owners).
    std::uint64_t last_of(const void* owner) const {
        if (owner == last_.owner) return last_.end;
        const auto found = find(owner);
        return found == others_.end() ? 0 : found->end;
    }

  private:
    struct owner_end {
        const void* owner = nullptr;
        std::uint64_t end = 0;
    };
    static constexpr std::size_t least = 64;

    std::vector<owner_end>::const_iterator find(const void* owner) const {
        return std::find_if(others_.begin(), others_.end(), [owner](const owner_end& o) { return o.owner == owner; });
    }
    void turn_to(const void* owner) {
        const auto found = find(owner);
        if (found != others_.end()) others_.erase(found);
        if (last_.owner != nullptr) others_.push_back(last_);
        last_ = {owner, 0};
    }

    owner_end last_;
    std::uint64_t count_ = 0;
    std::vector<owner_end> others_;
    std::size_t most_ = least;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
