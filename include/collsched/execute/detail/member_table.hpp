#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Ranks of a transport that are the ranks 0, 1, ... of a communicator, and the way back.
struct member_table {
    owned_array<rank_t> members;  ///< transport rank of each rank
    owned_array<rank_t> rank_of;  ///< rank of each transport rank, or -1

    member_table() = default;
    /// @pre !check(ranks, list)
    member_table(rank_t ranks, std::span<const rank_t> list) : members(list), rank_of(ranks) {
        for (rank_t& rank : rank_of) rank = -1;
        for (rank_t i = 0; i < members.size(); ++i) rank_of[members[i]] = i;
    }

    /// Returns the first member that is no rank, or that the list has twice. O(ranks).
    static argument_error check(rank_t ranks, std::span<const rank_t> list) {
        if (ranks < 1) return {"ranks", ranks, "1 or more"};
        owned_array<bool> seen(ranks);
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto index = static_cast<std::int64_t>(i);
            if (list[i] < 0 || list[i] >= ranks) return {"members", list[i], "a rank, 0 .. ranks-1", index};
            if (seen[list[i]]) return {"members", list[i], "each rank at most once", index};
            seen[list[i]] = true;
        }
        return {};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
