#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/sort.hpp"

namespace collsched {

/// Blocks first, first+1, ... (count of them), counted cyclically: of n blocks 0 <= first < n and 0 <= count <= n.
struct block_interval {
    rank_t first = 0;
    rank_t count = 0;
    bool operator==(const block_interval&) const = default;
};

/// Where the p blocks of a collective lie in a buffer: block i has count(i) bytes at displ(i).
///
/// Regular, in O(1) memory: all blocks equal, or a whole cut in p parts (partition); packed in rank order.
/// Irregular, O(p): counts, and displacements or packed in rank order. Zero counts and gaps are ordinary.
/// Wrong arguments are kept and told by check(p); nothing else may be asked of such a layout.
class block_layout {
  public:
    constexpr block_layout() = default;

    /// Every block has `block` bytes.
    template <std::integral Integer>
    constexpr block_layout(Integer block) : quotient_(static_cast<bytes_t>(block)) {
        if constexpr (std::unsigned_integral<Integer> && sizeof(Integer) >= sizeof(bytes_t))
            if (block > static_cast<Integer>(std::numeric_limits<bytes_t>::max()))
                error_ = {"block", std::numeric_limits<bytes_t>::max(), "less than 2^63 bytes"};
        if (!error_ && quotient_ < 0) error_ = {"block", quotient_, "0 bytes or more"};
    }

    /// Block i has counts[i] bytes, packed in rank order.
    constexpr explicit block_layout(std::span<const bytes_t> counts) : counts_(counts) {
        measure();
        if (error_) return;
        displs_ = owned_array<bytes_t>(counts_.size());
        for (rank_t i = 0; i < counts_.size(); ++i) displs_[i] = prefix_[i];
        find_runs();
    }

    /// Block i has counts[i] bytes at displs[i]; blocks do not overlap.
    constexpr block_layout(std::span<const bytes_t> counts, std::span<const bytes_t> displs)
        : counts_(counts), displs_(displs) {
        if (displs_.size() != counts_.size()) error_ = {"displs", displs_.size(), "as many displacements as counts"};
        if (!error_) measure();
        if (!error_) place();
        if (!error_) find_runs();
    }

    /// `total` bytes in p parts of whole elements: the first n mod p of n elements' parts have one element more.
    static constexpr block_layout partition(bytes_t total, rank_t ranks, bytes_t element = 1) {
        block_layout parts;
        if (element < 1) parts.error_ = {"element", element, "1 byte or more"};
        else if (total < 0) parts.error_ = {"bytes", total, "0 bytes or more"};
        else if (total % element != 0) parts.error_ = {"element", element, "a size that divides the total"};
        else if (ranks < 1) parts.error_ = {"ranks", ranks, "1 or more"};
        if (parts.error_) return parts;
        parts.quotient_ = total / element / ranks * element;
        parts.remainder_ = total / element % ranks;
        if (parts.remainder_ > 0) parts.element_ = element;
        parts.parts_ = ranks;
        return parts;
    }

    /// The first thing wrong, for use with this many ranks. O(1).
    constexpr error check(rank_t ranks) const {
        if (error_) return error_;
        if (parts_ > 0 && parts_ != ranks) return {"ranks", ranks, "as many as the layout was cut in parts for"};
        if (irregular()) {
            if (counts_.size() != ranks) return {"counts", counts_.size(), "as many counts as ranks"};
        } else if (!(checked(quotient_) * ranks + checked(remainder_) * element_).ok()) {
            return {"block", quotient_, "ranks * block below 2^63 bytes"};
        }
        return {};
    }

    constexpr bool irregular() const { return !counts_.empty(); }
    /// All blocks equal and packed, as far as the layout was told.
    constexpr bool uniform() const { return !irregular() && remainder_ == 0; }

    constexpr bytes_t count(rank_t i) const {
        return irregular() ? counts_[i] : quotient_ + (i < remainder_ ? element_ : 0);
    }
    constexpr bytes_t displ(rank_t i) const { return irregular() ? displs_[i] : prefix(i); }
    /// Bytes of the blocks 0 .. i-1.
    constexpr bytes_t prefix(rank_t i) const {
        return irregular() ? prefix_[i] : i * quotient_ + (i < remainder_ ? i : remainder_) * element_;
    }
    /// How many of the blocks 0 .. i-1 are not empty.
    constexpr rank_t filled(rank_t i) const {
        if (irregular()) return filled_[i];
        return quotient_ > 0 || i < remainder_ ? i : remainder_;
    }
    /// The block that has n filled blocks before it and is filled itself, n < filled(ranks). O(log ranks).
    constexpr rank_t nth_filled(rank_t n) const {
        if (!irregular()) return n;
        rank_t low = 0, high = counts_.size();
        while (low < high) {
            const rank_t middle = low + (high - low) / 2;
            if (filled_[middle + 1] <= n) low = middle + 1;
            else high = middle;
        }
        return low;
    }
    /// Bytes of a cyclic interval of the `ranks` blocks.
    constexpr bytes_t bytes(block_interval blocks, rank_t ranks) const {
        const rank_t end = blocks.first + blocks.count;
        if (end <= ranks) return prefix(end) - prefix(blocks.first);
        return prefix(ranks) - prefix(blocks.first) + prefix(end - ranks);
    }
    /// The smallest buffer that holds every block: max(displ + count).
    constexpr bytes_t extent(rank_t ranks) const { return irregular() ? extent_ : prefix(ranks); }
    constexpr bool has_gaps(rank_t ranks) const { return extent(ranks) != prefix(ranks); }

    /// The blocks [first, end) lie in one piece of memory, `bytes`; end is as large as it can be, at most `limit`.
    struct run {
        rank_t end = 0;
        byte_range bytes;
    };
    /// The run that starts with block `first`, first < limit. Empty blocks belong to any run. O(1), plus leading empty blocks.
    constexpr run run_at(rank_t first, rank_t limit) const {
        if (!irregular()) return {limit, {prefix(first), prefix(limit) - prefix(first)}};
        const rank_t end = run_end_[first] < limit ? run_end_[first] : limit;
        rank_t filled = first;
        while (filled + 1 < end && counts_[filled] == 0) ++filled;
        return {end, {displs_[filled], prefix_[end] - prefix_[first]}};
    }

    /// f(number) for the numbers that tell this layout from others.
    template <class F>
    constexpr void describe(F f) const {
        for (const std::int64_t number : {quotient_, remainder_, element_, counts_.size()}) f(number);
        for (rank_t i = 0; i < counts_.size(); ++i) f(counts_[i]), f(displs_[i]);
    }

    constexpr bool operator==(const block_layout& other) const {
        return error_ == other.error_ && quotient_ == other.quotient_ && remainder_ == other.remainder_ &&
               element_ == other.element_ && counts_ == other.counts_ && displs_ == other.displs_;
    }

  private:
    constexpr void measure() {
        if (counts_.empty()) error_ = {"counts", 0, "at least one count"};
        prefix_ = owned_array<bytes_t>(counts_.size() + 1);
        filled_ = owned_array<rank_t>(counts_.size() + 1);
        checked sum = 0;
        for (rank_t i = 0; i < counts_.size() && !error_; ++i) {
            if (counts_[i] < 0) error_ = {"counts", counts_[i], "0 bytes or more", i};
            sum = sum + counts_[i];
            if (!error_ && !sum.ok()) error_ = {"counts", counts_[i], "counts that sum to less than 2^63 bytes", i};
            prefix_[i + 1] = sum.value();
            filled_[i + 1] = filled_[i] + (counts_[i] > 0 ? 1 : 0);
        }
        extent_ = sum.value();
    }

    constexpr void place() {
        struct placed {
            bytes_t displ, count;
            rank_t block;
        };
        owned_array<placed> order(counts_.size());
        rank_t filled = 0;
        extent_ = 0;
        for (rank_t i = 0; i < counts_.size(); ++i) {
            const checked end = checked(displs_[i]) + counts_[i];
            if (displs_[i] < 0) error_ = {"displs", displs_[i], "0 bytes or more", i};
            else if (!end.ok()) error_ = {"displs", displs_[i], "displacement + count below 2^63 bytes", i};
            if (error_) return;
            if (end.value() > extent_) extent_ = end.value();
            if (counts_[i] > 0) order[filled++] = {displs_[i], counts_[i], i};
        }
        sort(order.begin(), filled, [](const placed& a, const placed& b) {
            return a.displ != b.displ ? a.displ < b.displ : a.block < b.block;
        });
        for (rank_t i = 1; i < filled; ++i)
            if (order[i - 1].displ + order[i - 1].count > order[i].displ) {
                error_ = {"displs", order[i].displ, "blocks that do not overlap", order[i].block};
                return;
            }
    }

    constexpr void find_runs() {
        run_end_ = owned_array<rank_t>(counts_.size());
        rank_t next = counts_.size();  // the next block that is not empty
        for (rank_t i = counts_.size(); i-- > 0;) {
            const bool at_end = next == counts_.size();
            const bool joined = !at_end && (counts_[i] == 0 || displs_[i] + counts_[i] == displs_[next]);
            run_end_[i] = joined ? run_end_[next] : next;
            if (counts_[i] > 0) next = i;
        }
    }

    bytes_t quotient_ = 0;
    rank_t remainder_ = 0;
    bytes_t element_ = 1;
    owned_array<bytes_t> counts_, displs_, prefix_;
    owned_array<rank_t> filled_, run_end_;
    bytes_t extent_ = 0;
    rank_t parts_ = 0;  // of a cut; 0 where any number of ranks will do
    error error_;
};

}  // namespace collsched
