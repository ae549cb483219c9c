#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/config.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Number of a communicator, positive and below 2^63. It consists of the path from the first communicator to this one:
/// the digit 1, and for child n of each level the Elias gamma code of n + 1. Such codes are prefix-free, so different
/// paths have different ids, and ranks that count children alike agree on ids without a message.
///
/// Bounds: child n takes 2 floor(log2(n + 1)) + 1 of 62 bits. One communicator has 2^31 - 1 children, and a chain of
/// first children has 62 levels. Numbers are not used again.
/// Source: P. Elias, Universal codeword sets and representations of the integers, IEEE Trans. Inf. Theory 21(2), 1975.
class communicator_id {
  public:
    /// Id 1, of the communicator of all ranks of a transport.
    constexpr communicator_id() = default;
    /// Id of this number.
    /// @param value  1 .. 2^63 - 1; another number gives an id that is not valid()
    constexpr explicit communicator_id(std::uint64_t value) : value_(value >> 63 == 0 ? value : 0) {}

    /// Returns whether this is the id of a communicator.
    /// @return false: the bits of its parent are used up
    constexpr bool valid() const { return value_ != 0; }
    /// Returns the number.
    /// @return 1 .. 2^63 - 1, or 0 if the id is not valid()
    constexpr std::uint64_t value() const { return value_; }
    /// Returns the id of a child. O(1).
    /// @param n  number of the child, 0 or more
    /// @return an id that no other path has; not valid() if it has more than 63 bits
    constexpr communicator_id child(std::uint64_t n) const {
        const std::uint64_t number = n + 1;
        const int bits = 2 * width(number) - 1;
        if (!valid() || number == 0 || width(value_) + bits > 63) return communicator_id(0);
        return communicator_id(value_ << bits | number);
    }

    bool operator==(const communicator_id&) const = default;

  private:
    static constexpr int width(std::uint64_t value) { return 64 - std::countl_zero(value); }

    std::uint64_t value_ = 1;
};

/// Channels 1 .. last of a communicator, each open or closed, with the epoch of the next execution that opens it.
/// Memory: 16 bytes per channel that was open at the same time.
class channel_list {
  public:
    struct channel {
        std::uint64_t number = 0;  ///< 0: none is closed
        std::uint64_t epoch = 0;
    };

    explicit channel_list(std::uint64_t last = 0) : last_(last) {}

    /// Opens the lowest closed channel. O(open channels).
    channel open() {
        std::uint64_t i = 0;
        while (i < entries_.size() && entries_[i].open) ++i;
        if (i >= last_) return {};
        if (i == entries_.size()) entries_.emplace_back();
        entries_[i].open = true;
        return {i + 1, entries_[i].epoch};
    }
    /// Closes a channel. O(1).
    /// @return false: it is not open, or the epoch is below that of its opening
    bool close(std::uint64_t number, std::uint64_t epoch) {
        if (number == 0 || number > entries_.size()) return false;
        entry& slot = entries_[number - 1];
        if (!slot.open || epoch < slot.epoch) return false;
        slot = {false, epoch};
        return true;
    }

  private:
    struct entry {
        bool open = false;
        std::uint64_t epoch = 0;
    };

    std::uint64_t last_;
    std::vector<entry> entries_;
};

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
        owned_array<bool> listed(ranks);
        for (std::size_t i = 0; i < list.size(); ++i) {
            const auto index = static_cast<std::int64_t>(i);
            if (list[i] < 0 || list[i] >= ranks) return {"members", list[i], "a rank, 0 .. ranks-1", index};
            if (listed[list[i]]) return {"members", list[i], "each rank at most once", index};
            listed[list[i]] = true;
        }
        return {};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
