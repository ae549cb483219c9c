#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/detail/sort.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Last writer and later readers of each byte of a buffer. announce() receives all ranges before the first access;
/// their offsets cut the buffer into slots that no range splits.
class access_history {
  public:
    static constexpr std::int64_t none = -1;

    constexpr void announce(byte_range range) {
        if (range == announced_) return;  // a block is often sent in the step after its receipt
        announced_ = range;
        cuts_.push_back(range.offset);
        cuts_.push_back(range.end());
    }
    constexpr void lay_out() {
        sort(cuts_.data(), std::ssize(cuts_), [](bytes_t a, bytes_t b) { return a < b; });
        std::size_t kept = 0;
        for (std::size_t i = 0; i < cuts_.size(); ++i)
            if (i == 0 || cuts_[i] != cuts_[i - 1]) cuts_[kept++] = cuts_[i];
        cuts_.resize(kept);
        slots_.resize(kept);
    }

    /// The slots of an announced range: first .. last-1.
    struct slots {
        std::size_t first = 0, last = 0;
    };
    /// Returns the slots first .. last-1 of an announced range.
    constexpr slots slots_of(byte_range range) const {
        const std::size_t first = slot(range.offset);
        return {first, cuts_[first + 1] == range.end() ? first + 1 : slot(range.end())};
    }

    /// Calls f(operation) for the last writer of each slot.
    template <class F>
    constexpr void writers(slots range, F f) const {
        for (std::size_t i = range.first; i < range.last; ++i)
            if (slots_[i].writer != none) f(slots_[i].writer);
    }
    /// Calls f(operation) for every reader of a slot since its last write.
    template <class F>
    constexpr void readers(slots range, F f) const {
        for (std::size_t i = range.first; i < range.last; ++i)
            for (std::int64_t at = slots_[i].readers; at != none; at = chain_[static_cast<std::size_t>(at)].next)
                f(chain_[static_cast<std::size_t>(at)].operation);
    }
    constexpr void read(slots range, std::int64_t operation) {
        for (std::size_t i = range.first; i < range.last; ++i) {
            chain_.push_back({operation, slots_[i].readers});
            slots_[i].readers = std::ssize(chain_) - 1;
        }
    }
    constexpr void write(slots range, std::int64_t operation) {
        for (std::size_t i = range.first; i < range.last; ++i) slots_[i] = {operation, none};
    }

  private:
    struct history {
        std::int64_t writer = none;
        std::int64_t readers = none;  // index into chain_
    };
    struct reader {
        std::int64_t operation;
        std::int64_t next;
    };

    /// Returns the slot that begins at this byte.
    /// @pre the byte is a cut
    constexpr std::size_t slot(bytes_t byte) const {
        const auto begins = [&](std::int64_t i) { return cuts_[static_cast<std::size_t>(i)] >= byte; };
        return static_cast<std::size_t>(first_where(0, std::ssize(cuts_), begins));
    }

    byte_range announced_{0, -1};  // the last range
    std::vector<bytes_t> cuts_;
    std::vector<history> slots_;  // by slot
    std::vector<reader> chain_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
