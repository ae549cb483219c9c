#pragma once

#include <concepts>
#include <span>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/sort.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Contiguous integers of any type.
template <class Array>
concept integers = integer_array<Array> || std::convertible_to<const Array&, std::span<const std::int64_t>>;

template <integers Array>
constexpr auto as_numbers(const Array& values) {
    if constexpr (integer_array<Array>) return widened(values);
    else return std::span<const std::int64_t>(values);
}

/// The concatenated lists of a neighborhood, and the matching of out-slots with in-slots. O(ranks + slots) memory.
struct neighbor_table {
    using numbers = std::span<const std::int64_t>;

    owned_array<std::int64_t> out_first, in_first;  ///< rank r's slots are first[r] .. first[r + 1] - 1
    owned_array<rank_t> targets, sources;           ///< [slot]; -1: empty
    owned_array<std::int64_t> arrivals;             ///< [out-slot]: the in-slot that it fills, or -1
    owned_array<std::int64_t> departures;           ///< [in-slot]: the out-slot that fills it, or -1
    rank_t largest = 0;                             ///< degree
    argument_error error;

    constexpr explicit neighbor_table(const argument_error& e) : error(e) {}

    /// Derives sources from targets, in ascending order.
    constexpr neighbor_table(numbers out_degrees, numbers all_targets) {
        if (!read_targets(out_degrees, all_targets)) return;
        owned_array<std::int64_t> degrees_in(ranks());
        for (const rank_t dst : targets)
            if (dst >= 0) ++degrees_in[dst];
        lay_out(in_first, degrees_in);
        sources = owned_array<rank_t>(in_first[ranks()]);
        owned_array<std::int64_t> next = in_first;
        for (rank_t r = 0; r < ranks(); ++r)
            for (std::int64_t s = out_first[r]; s < out_first[r + 1]; ++s) {
                if (targets[s] < 0) continue;
                arrivals[s] = next[targets[s]]++;
                sources[arrivals[s]] = r;
            }
        turn_around();
    }

    /// Matches the n-th slot of s for d with the n-th slot of d for s.
    constexpr neighbor_table(numbers out_degrees, numbers all_targets, numbers in_degrees, numbers all_sources)
        : neighbor_table(out_degrees, all_targets) {
        if (error) return;
        const owned_array<std::int64_t> first = in_first, filled_by = departures;
        const owned_array<rank_t> expected = sources;
        if (!read_sources(in_degrees, all_sources)) return;
        for (rank_t r = 0; r < ranks() && !error; ++r) match(r, {first, filled_by, expected});
        turn_around();
    }

    /// Matches out-slot n with in-slot slots[n] of its target.
    constexpr neighbor_table(numbers out_degrees, numbers all_targets, numbers in_degrees, numbers all_sources,
                             numbers slots) {
        if (!read_targets(out_degrees, all_targets) || !read_sources(in_degrees, all_sources)) return;
        if (std::ssize(slots) != targets.size()) error = {"slots", std::ssize(slots), "as many as targets"};
        owned_array<bool> filled(sources.size());
        for (rank_t r = 0; r < ranks() && !error; ++r)
            for (std::int64_t s = out_first[r]; s < out_first[r + 1] && !error; ++s)
                aim(r, s, slots[static_cast<std::size_t>(s)], filled);
        for (std::int64_t s = 0; s < sources.size() && !error; ++s)
            if (sources[s] >= 0 && !filled[s]) error = {"sources", sources[s], "a rank with a slot for this one", s};
        turn_around();
    }

    constexpr rank_t ranks() const { return out_first.size() - 1; }

    constexpr bool operator==(const neighbor_table& other) const {
        return error == other.error && out_first == other.out_first && in_first == other.in_first &&
               targets == other.targets && sources == other.sources && arrivals == other.arrivals;
    }

  private:
    /// Table of the neighborhood in which every rank lists its sources in ascending order.
    struct ascending_sources {
        const owned_array<std::int64_t>&first, &filled_by;
        const owned_array<rank_t>& expected;
    };

    constexpr bool read_targets(numbers degrees, numbers list) {
        if (!read({"out_degrees", "neighbors"}, degrees, list, out_first, targets)) return false;
        arrivals = owned_array<std::int64_t>(targets.size());
        for (std::int64_t& slot : arrivals) slot = -1;
        return true;
    }
    constexpr bool read_sources(numbers degrees, numbers list) {
        if (std::ssize(degrees) != ranks()) error = {"in_degrees", std::ssize(degrees), "as many as out_degrees"};
        return !error && read({"in_degrees", "sources"}, degrees, list, in_first, sources);
    }

    struct argument_names {
        const char *degrees, *list;
    };
    constexpr bool read(argument_names names, numbers degrees, numbers list, owned_array<std::int64_t>& first,
                        owned_array<rank_t>& neighbors) {
        checked sum = 0;
        for (std::size_t r = 0; r < degrees.size() && !error; ++r) {
            sum = sum + degrees[r];
            if (degrees[r] < 0) error = {names.degrees, degrees[r], "0 or more", static_cast<std::int64_t>(r)};
        }
        if (!error && (!sum.ok() || sum.value() != std::ssize(list)))
            error = {names.list, std::ssize(list), "as many ranks as the degrees sum to"};
        for (std::size_t s = 0; s < list.size() && !error; ++s)
            if (list[s] < -1 || list[s] >= std::ssize(degrees))
                error = {names.list, list[s], "0 to ranks-1, or -1 for none", static_cast<std::int64_t>(s)};
        if (error) return false;
        lay_out(first, owned_array<std::int64_t>(degrees));
        neighbors = owned_array<rank_t>(list);
        return true;
    }
    constexpr void lay_out(owned_array<std::int64_t>& first, const owned_array<std::int64_t>& degrees) {
        first = owned_array<std::int64_t>(degrees.size() + 1);
        for (rank_t r = 0; r < degrees.size(); ++r) {
            first[r + 1] = first[r] + degrees[r];
            if (degrees[r] > largest) largest = degrees[r];
        }
    }

    constexpr void match(rank_t r, const ascending_sources& from) {
        owned_array<std::int64_t> order(in_first[r + 1] - in_first[r]);
        std::int64_t n = 0;
        for (std::int64_t s = in_first[r]; s < in_first[r + 1]; ++s)
            if (sources[s] >= 0) order[n++] = s;
        sort(order.begin(), n, [&](std::int64_t a, std::int64_t b) {
            return sources[a] != sources[b] ? sources[a] < sources[b] : a < b;
        });
        const std::int64_t begin = from.first[r], count = from.first[r + 1] - begin;
        for (std::int64_t i = 0; i < n || i < count; ++i) {
            const rank_t source = i < n ? sources[order[i]] : ranks();
            const rank_t expected = i < count ? from.expected[begin + i] : ranks();
            if (source < expected)
                error = {"sources", source, "each rank as often as it lists this one as a target", order[i]};
            else if (expected < source)
                error = {"neighbors", r, "each rank as often as it lists this one as a source",
                         from.filled_by[begin + i]};
            if (error) return;
            arrivals[from.filled_by[begin + i]] = order[i];
        }
    }

    constexpr void aim(rank_t r, std::int64_t s, std::int64_t slot, owned_array<bool>& filled) {
        const rank_t dst = targets[s];
        if (dst < 0) {
            if (slot != -1) error = {"slots", slot, "-1 where there is no target", s};
            return;
        }
        const std::int64_t at = slot < 0 || slot >= in_first[dst + 1] - in_first[dst] ? -1 : in_first[dst] + slot;
        if (at < 0 || sources[at] != r || filled[at]) error = {"slots", slot, "a slot of the target, for this rank", s};
        else filled[arrivals[s] = at] = true;
    }

    constexpr void turn_around() {
        departures = owned_array<std::int64_t>(sources.size());
        for (std::int64_t& slot : departures) slot = -1;
        for (std::int64_t s = 0; s < arrivals.size() && !error; ++s)
            if (arrivals[s] >= 0) departures[arrivals[s]] = s;
    }
};

/// Returns the lists of a Cartesian grid. The last dimension varies fastest.
constexpr neighbor_table grid_table(neighbor_table::numbers dims, neighbor_table::numbers periodic) {
    const auto dimensions = std::ssize(dims);
    if (std::ssize(periodic) != dimensions)
        return neighbor_table({"periodic", std::ssize(periodic), "a flag for each dimension"});
    checked all = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        const auto index = static_cast<std::int64_t>(d);
        all = all * dims[d];
        if (dims[d] < 1) return neighbor_table({"dims", dims[d], "1 or more", index});
        if (!(all * (2 * dimensions)).ok()) return neighbor_table({"dims", dims[d], "fewer than 2^63 slots", index});
    }
    const rank_t ranks = all.value();
    owned_array<std::int64_t> degrees(ranks), slots(ranks * 2 * dimensions);
    owned_array<rank_t> neighbors(slots.size());
    for (rank_t r = 0; r < ranks; ++r) {
        degrees[r] = 2 * dimensions;
        rank_t stride = ranks;
        for (std::int64_t d = 0; d < dimensions; ++d) {
            const rank_t n = dims[static_cast<std::size_t>(d)];
            const bool cyclic = periodic[static_cast<std::size_t>(d)] != 0;
            stride /= n;
            const rank_t x = r / stride % n, far = (n - 1) * stride;
            const std::int64_t minus = (r * dimensions + d) * 2, plus = minus + 1;
            neighbors[minus] = x > 0 ? r - stride : cyclic ? r + far : -1;
            neighbors[plus] = x < n - 1 ? r + stride : cyclic ? r - far : -1;
            // A down-slot fills an up-slot and vice versa, also if both lead to one rank.
            slots[minus] = neighbors[minus] < 0 ? -1 : 2 * d + 1;
            slots[plus] = neighbors[plus] < 0 ? -1 : 2 * d;
        }
    }
    return {degrees, neighbors, degrees, neighbors, slots};
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
