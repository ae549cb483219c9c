#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Counts and displacements of p blocks with derived tables: the representation of an irregular block_layout. O(p)
/// memory, O(p log p) construction.
struct block_table {
    owned_array<bytes_t> counts, displs;
    owned_array<bytes_t> prefix;  ///< bytes of the blocks 0 .. i-1
    owned_array<rank_t> filled;   ///< how many of the blocks 0 .. i-1 are not empty
    owned_array<rank_t> run_end;  ///< blocks i .. run_end[i]-1 are contiguous
    bytes_t extent = 0;           ///< max(displ + count)
    argument_error error;         ///< with an error, no other member is valid

    /// Packed in rank order.
    constexpr explicit block_table(std::span<const bytes_t> sizes) : counts(sizes) {
        measure();
        if (error) return;
        displs = owned_array<bytes_t>(counts.size());
        for (rank_t i = 0; i < counts.size(); ++i) displs[i] = prefix[i];
        find_runs();
    }
    constexpr block_table(std::span<const bytes_t> sizes, std::span<const bytes_t> places)
        : counts(sizes), displs(places) {
        if (displs.size() != counts.size()) error = {"displs", displs.size(), "as many displacements as counts"};
        if (!error) measure();
        if (!error) place();
        if (!error) find_runs();
    }

    constexpr bool operator==(const block_table& other) const {
        return error == other.error && counts == other.counts && displs == other.displs;
    }

  private:
    constexpr void measure() {
        if (counts.empty()) error = {"counts", 0, "at least one count"};
        prefix = owned_array<bytes_t>(counts.size() + 1);
        filled = owned_array<rank_t>(counts.size() + 1);
        checked sum = 0;
        for (rank_t i = 0; i < counts.size() && !error; ++i) {
            sum = sum + counts[i];
            if (counts[i] < 0) error = {"counts", counts[i], "0 bytes or more", i};
            else if (!sum.ok()) error = {"counts", counts[i], "counts that sum to less than 2^63 bytes", i};
            prefix[i + 1] = sum.value();
            filled[i + 1] = filled[i] + (counts[i] > 0 ? 1 : 0);
        }
        extent = sum.value();
    }

    constexpr void place() {
        struct placed {
            bytes_t displ, count;
            rank_t block;
        };
        owned_array<placed> order(counts.size());
        rank_t full = 0;
        for (rank_t i = 0; i < counts.size(); ++i) {
            const checked end = checked(displs[i]) + counts[i];
            if (displs[i] < 0) error = {"displs", displs[i], "0 bytes or more", i};
            else if (!end.ok()) error = {"displs", displs[i], "displacement + count below 2^63 bytes", i};
            if (error) return;
            // extent is the sum of all counts so far, and blocks that do not overlap end there or later.
            if (end.value() > extent) extent = end.value();
            if (counts[i] > 0) order[full++] = {displs[i], counts[i], i};
        }
        sort(order.begin(), full, [](const placed& a, const placed& b) {
            return a.displ != b.displ ? a.displ < b.displ : a.block < b.block;
        });
        for (rank_t i = 1; i < full; ++i)
            if (order[i - 1].displ + order[i - 1].count > order[i].displ) {
                error = {"displs", order[i].displ, "blocks that do not overlap", order[i].block};
                return;
            }
    }

    constexpr void find_runs() {
        run_end = owned_array<rank_t>(counts.size());
        rank_t next = counts.size();  // the next block that is not empty
        for (rank_t i = counts.size(); i-- > 0;) {
            const bool at_end = next == counts.size();
            const bool joined = !at_end && (counts[i] == 0 || displs[i] + counts[i] == displs[next]);
            run_end[i] = joined ? run_end[next] : next;
            if (counts[i] > 0) next = i;
        }
    }
};

}  // namespace detail

/// Cyclic interval of blocks: first, first+1, ..., `count` of them, modulo the number n of blocks.
///
/// @pre 0 <= first < n and 0 <= count <= n
struct block_interval {
    rank_t first = 0;  ///< first block, 0 .. n-1
    rank_t count = 0;  ///< number of blocks, 0 .. n
    bool operator==(const block_interval&) const = default;
};

namespace detail {

/// Contiguous array of integers of another type than bytes_t.
template <class Array>
concept integer_array = requires(const Array& a) {
    { *a.data() } -> std::convertible_to<bytes_t>;
    { a.size() } -> std::convertible_to<std::size_t>;
    requires std::integral<std::remove_cvref_t<decltype(*a.data())>>;
    requires !std::convertible_to<const Array&, std::span<const bytes_t>>;
};

template <integer_array Array>
constexpr owned_array<bytes_t> widened(const Array& values) {
    owned_array<bytes_t> wide(static_cast<std::int64_t>(values.size()));
    for (std::int64_t i = 0; i < wide.size(); ++i) wide[i] = static_cast<bytes_t>(values.data()[i]);
    return wide;
}

}  // namespace detail

/// Maps each of the p blocks of a collective to a byte range of a buffer: block i has count(i) bytes at displacement
/// displ(i).
///
/// Regular layouts take O(1) memory: equal blocks, or a total cut into p parts (partition), packed in rank order.
/// Irregular layouts take O(p): counts, with displacements or packed in rank order. Zero counts and gaps are allowed. A
/// copy costs O(1): copies share the irregular tables. check(p) reports wrong arguments; then no other method may be
/// called.
class block_layout {
  public:
    /// Layout of empty blocks, for any number of ranks.
    constexpr block_layout() = default;

    /// Layout whose blocks have `block` bytes each, packed in rank order.
    /// @param block  bytes, 0 or more
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr block_layout(Integer block) : quotient_(static_cast<bytes_t>(block)) {
        if (quotient_ >= 0) return;
        if constexpr (std::is_signed_v<Integer>) error_ = {"block", quotient_, "0 bytes or more"};
        else error_ = {"block", std::numeric_limits<bytes_t>::max(), "less than 2^63 bytes"};
    }

    /// Layout whose block i has counts[i] bytes, packed in rank order. O(p).
    /// @param counts  bytes of each block, 0 or more
    constexpr explicit block_layout(std::span<const bytes_t> counts) : table_(detail::block_table(counts)) {
        error_ = table_->error;
    }

    /// Layout whose block i has counts[i] bytes at displs[i]. Blocks must not overlap. O(p log p).
    /// @param counts  bytes of each block, 0 or more
    /// @param displs  displacement of each block in bytes, 0 or more
    constexpr block_layout(std::span<const bytes_t> counts, std::span<const bytes_t> displs)
        : table_(detail::block_table(counts, displs)) {
        error_ = table_->error;
    }

    /// As above, for counts and displacements in bytes of another integer type, such as the int arrays of MPI programs.
    /// @param counts  bytes of each block, 0 or more
    template <detail::integer_array Counts>
    constexpr explicit block_layout(const Counts& counts)
        : block_layout(std::span<const bytes_t>(detail::widened(counts))) {}
    /// Layout whose block i has counts[i] bytes at displs[i], for arrays of another integer type. O(p log p).
    /// @param counts  bytes of each block, 0 or more
    /// @param displs  displacement of each block in bytes, 0 or more
    template <detail::integer_array Counts, detail::integer_array Displs>
    constexpr block_layout(const Counts& counts, const Displs& displs)
        : block_layout(std::span<const bytes_t>(detail::widened(counts)),
                       std::span<const bytes_t>(detail::widened(displs))) {}

    /// Returns the layout of `total` bytes cut into `ranks` parts of whole elements: of n elements, the first n mod
    /// ranks parts have one element more than the others.
    ///
    /// @param total    bytes, a multiple of `element`
    /// @param ranks    1 or more
    /// @param element  bytes per element, 1 or more
    /// @return a layout for `ranks` ranks. check() fails for wrong arguments. O(1).
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

    /// Returns the first error for use with `ranks` ranks, or no error. O(1).
    /// @param ranks  number of ranks, 1 or more
    /// @return the first wrong argument of construction, or a number of ranks or a size that does not fit
    constexpr argument_error check(rank_t ranks) const {
        if (error_) return error_;
        if (parts_ > 0 && parts_ != ranks) return {"ranks", ranks, "as many as the layout was cut in parts for"};
        if (irregular()) {
            if (table_->counts.size() != ranks) return {"counts", table_->counts.size(), "as many counts as ranks"};
        } else if (!(checked(quotient_) * ranks).ok()) {
            return {"block", quotient_, "ranks * block below 2^63 bytes"};
        }
        return {};
    }

    /// Returns whether the layout stores counts and displacements.
    constexpr bool irregular() const { return static_cast<bool>(table_); }
    /// Returns whether the layout is regular and all blocks are equal. O(1).
    constexpr bool uniform() const { return !irregular() && remainder_ == 0; }

    /// Returns the bytes of block i. O(1).
    /// @param i  block, 0 .. p-1
    /// @return bytes, 0 or more
    constexpr bytes_t count(rank_t i) const {
        return irregular() ? table_->counts[i] : quotient_ + (i < remainder_ ? element_ : 0);
    }
    /// Returns the displacement of block i in bytes. O(1).
    /// @param i  block, 0 .. p-1
    /// @return bytes, 0 or more
    constexpr bytes_t displ(rank_t i) const { return irregular() ? table_->displs[i] : prefix(i); }
    /// Returns the bytes of blocks 0 .. i-1, 0 <= i <= p. O(1).
    /// @param i  number of blocks, 0 .. p
    /// @return bytes, without gaps between blocks
    [[gnu::always_inline]] constexpr bytes_t prefix(rank_t i) const {
        return irregular() ? table_->prefix[i] : i * quotient_ + (i < remainder_ ? i : remainder_) * element_;
    }
    /// Returns the number of nonempty blocks among blocks 0 .. i-1. O(1).
    /// @param i  number of blocks, 0 .. p
    /// @return number of blocks, 0 .. i
    constexpr rank_t filled(rank_t i) const {
        if (irregular()) return table_->filled[i];
        if (quotient_ > 0) return i;
        return i < remainder_ ? i : remainder_;
    }
    /// Returns a bound from which on all blocks are empty: `ranks` for irregular layouts. O(1).
    /// @param ranks  number of ranks p
    /// @return number of a block, 0 .. p
    constexpr rank_t filled_end(rank_t ranks) const { return irregular() || quotient_ > 0 ? ranks : remainder_; }
    /// Returns the nonempty block that has n nonempty blocks before it. O(log ranks).
    /// @pre 0 <= n < filled(ranks)
    /// @param n  number of nonempty blocks before the result
    /// @return a block, n .. p-1
    constexpr rank_t nth_filled(rank_t n) const {
        if (!irregular()) return n;
        return detail::first_where(0, table_->counts.size(), [&](rank_t i) { return table_->filled[i + 1] > n; });
    }
    /// Returns the bytes of a cyclic interval of the `ranks` blocks. O(1).
    /// @param blocks  interval, with first below `ranks` and count of at most `ranks`
    /// @param ranks   number of ranks
    /// @return bytes, without gaps between blocks
    [[gnu::always_inline]] constexpr bytes_t bytes(block_interval blocks, rank_t ranks) const {
        const rank_t end = blocks.first + blocks.count;
        if (end <= ranks) return prefix(end) - prefix(blocks.first);
        return prefix(ranks) - prefix(blocks.first) + prefix(end - ranks);
    }
    /// Returns the size of the smallest buffer that contains every block: max(displ + count). O(1).
    /// @param ranks  number of ranks
    /// @return bytes, 0 or more
    constexpr bytes_t extent(rank_t ranks) const { return irregular() ? table_->extent : prefix(ranks); }
    /// Returns whether some byte of the extent belongs to no block. O(1).
    /// @param ranks  number of ranks
    constexpr bool has_gaps(rank_t ranks) const { return extent(ranks) != prefix(ranks); }

    /// Contiguous blocks: those from a first block up to end - 1 occupy the byte range `bytes`.
    struct run {
        rank_t end = 0;    ///< block behind the last block of the run
        byte_range bytes;  ///< range of all blocks of the run
    };
    /// Returns the longest run of blocks from block `first` on that ends at or before block `limit`. Empty blocks
    /// belong to any run. O(1 + leading empty blocks).
    /// @pre first < limit
    /// @param first  first block, 0 .. p-1
    /// @param limit  largest end of the run, first+1 .. p
    /// @return a run of at least one block
    constexpr run run_at(rank_t first, rank_t limit) const {
        if (!irregular()) return {limit, {prefix(first), prefix(limit) - prefix(first)}};
        const rank_t end = table_->run_end[first] < limit ? table_->run_end[first] : limit;
        rank_t filled = first;
        while (filled + 1 < end && table_->counts[filled] == 0) ++filled;
        return {end, {table_->displs[filled], table_->prefix[end] - table_->prefix[first]}};
    }

    /// Calls f(number) for the numbers that determine this layout. Used for fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        const rank_t blocks = irregular() ? table_->counts.size() : 0;
        for (const std::int64_t number : {quotient_, remainder_, element_, blocks}) f(number);
        for (rank_t i = 0; i < blocks; ++i) f(table_->counts[i]), f(table_->displs[i]);
    }

    /// Compares errors, sizes and displacements. Regular and irregular layouts are never equal. O(p) for irregular
    /// layouts.
    /// @param other  another layout
    /// @return whether both map every block to the same bytes and are stored alike
    constexpr bool operator==(const block_layout& other) const {
        return error_ == other.error_ && quotient_ == other.quotient_ && remainder_ == other.remainder_ &&
               element_ == other.element_ && table_ == other.table_;
    }

  private:
    bytes_t quotient_ = 0;
    rank_t remainder_ = 0;
    bytes_t element_ = 1;
    detail::shared<detail::block_table> table_;
    rank_t parts_ = 0;  // of a partition; 0: valid for any number of ranks
    argument_error error_;
};

}}  // namespace collsched::COLLSCHED_ABI
