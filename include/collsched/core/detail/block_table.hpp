#pragma once

#include <span>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/sort.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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

}}}  // namespace collsched::COLLSCHED_ABI::detail
