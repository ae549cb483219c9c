#pragma once

#include <concepts>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/block_layout.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

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

}  // namespace detail

/// Graph of a neighborhood collective: the ordered lists of targets and sources of each rank.
///
/// A position in a list is a slot. Each out-slot of a rank fills one in-slot of its target. A pair of ranks may have
/// several slots, and a rank may be its own neighbor. A slot may be empty, as for MPI_PROC_NULL: no bytes move, but the
/// slot has its place in the buffers.
///
/// Memory: O(ranks + slots), shared by all copies. Methods are O(1). A default neighborhood has no edges, for any
/// number of ranks. check() reports wrong lists; then no other method may be called.
class neighborhood {
  public:
    /// The rank at the other end of an empty slot.
    static constexpr rank_t none = -1;

    /// Neighborhood without edges, for any number of ranks.
    constexpr neighborhood() = default;

    /// Neighborhood in which rank r has the next out_degrees[r] entries of `targets`. Its sources are in ascending
    /// order, and several slots of one source in the order of that source.
    /// @param out_degrees  number of targets of each rank
    /// @param targets      ranks, or -1 for an empty slot
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets))) {}

    /// Neighborhood with explicit sources, as a distributed graph of MPI. The n-th slot of s to d fills the n-th slot
    /// of d from s; both numbers of slots must be equal.
    /// @param out_degrees  number of targets of each rank
    /// @param targets      ranks, or -1 for an empty slot
    /// @param in_degrees   number of sources of each rank
    /// @param sources      ranks, or -1 for an empty slot
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets, const Degrees& in_degrees,
                           const Ranks& sources)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets),
                                       detail::as_numbers(in_degrees), detail::as_numbers(sources))) {}

    /// Neighborhood with explicit slots: the out-slot of targets[n] fills in-slot slots[n] of that target; -1 for an
    /// empty slot.
    /// @param out_degrees  number of targets of each rank
    /// @param targets      ranks, or -1 for an empty slot
    /// @param in_degrees   number of sources of each rank
    /// @param sources      ranks, or -1 for an empty slot
    /// @param slots        positions in the list of sources of each target, or -1; as many as targets
    template <detail::integers Degrees, detail::integers Ranks = Degrees>
    constexpr neighborhood(const Degrees& out_degrees, const Ranks& targets, const Degrees& in_degrees,
                           const Ranks& sources, const Ranks& slots)
        : held_(detail::neighbor_table(detail::as_numbers(out_degrees), detail::as_numbers(targets),
                                       detail::as_numbers(in_degrees), detail::as_numbers(sources),
                                       detail::as_numbers(slots))) {}

    /// Returns the neighborhood of a Cartesian grid of sizes `dims`, whose last dimension varies fastest.
    ///
    /// Slot 2d leads one step down in dimension d, slot 2d+1 one step up; both are empty at the ends of a dimension
    /// that is not periodic. A message sent down fills the up-slot of its target. So a periodic dimension of size 1 or
    /// 2, whose slots lead to one rank, does not swap the two.
    /// @param dims      size of each dimension, 1 or more
    /// @param periodic  for each dimension, whether its ends are neighbors
    /// @return a neighborhood of the product of `dims` ranks, with 2 * dimensions slots per rank
    template <detail::integers Dims, detail::integers Flags>
    static constexpr neighborhood cartesian(const Dims& dims, const Flags& periodic) {
        neighborhood grid;
        grid.held_ = detail::shared(detail::grid_table(detail::as_numbers(dims), detail::as_numbers(periodic)));
        return grid;
    }

    /// Returns the number of ranks with lists; 0 for a default neighborhood.
    /// @return 0 or more
    constexpr rank_t ranks() const { return held_ ? held_->ranks() : 0; }
    /// Returns the number of out-slots of rank r, empty ones included.
    /// @param r  rank, 0 .. p-1
    /// @return 0 or more
    constexpr rank_t out_degree(rank_t r) const { return held_ ? held_->out_first[r + 1] - held_->out_first[r] : 0; }
    /// Returns the number of in-slots of rank r, empty ones included.
    /// @param r  rank, 0 .. p-1
    /// @return 0 or more
    constexpr rank_t in_degree(rank_t r) const { return held_ ? held_->in_first[r + 1] - held_->in_first[r] : 0; }
    /// Returns the largest degree of any rank.
    /// @return the largest number of out-slots or in-slots of a rank
    constexpr rank_t largest_degree() const { return held_ ? held_->largest : 0; }

    /// Returns the target of out-slot i of rank r, or none.
    /// @param r  rank, 0 .. p-1
    /// @param i  out-slot, 0 .. out_degree(r) - 1
    /// @return a rank, or -1
    constexpr rank_t target(rank_t r, rank_t i) const { return held_->targets[out_slot(r, i)]; }
    /// Returns the source of in-slot j of rank r, or none.
    /// @param r  rank, 0 .. p-1
    /// @param j  in-slot, 0 .. in_degree(r) - 1
    /// @return a rank, or -1
    constexpr rank_t source(rank_t r, rank_t j) const { return held_->sources[in_slot(r, j)]; }
    /// Returns the in-slot of the target that out-slot i of rank r fills, or -1.
    /// @param r  rank, 0 .. p-1
    /// @param i  out-slot, 0 .. out_degree(r) - 1
    /// @return 0 .. in_degree(target(r, i)) - 1; -1 for an empty slot
    constexpr rank_t arrival(rank_t r, rank_t i) const {
        const std::int64_t slot = held_->arrivals[out_slot(r, i)];
        return slot < 0 ? -1 : slot - held_->in_first[target(r, i)];
    }
    /// Returns the out-slot of the source that fills in-slot j of rank r, or -1.
    /// @param r  rank, 0 .. p-1
    /// @param j  in-slot, 0 .. in_degree(r) - 1
    /// @return 0 .. out_degree(source(r, j)) - 1; -1 for an empty slot
    constexpr rank_t departure(rank_t r, rank_t j) const {
        const std::int64_t slot = held_->departures[in_slot(r, j)];
        return slot < 0 ? -1 : slot - held_->out_first[source(r, j)];
    }

    /// Returns the number of out-slots of all ranks.
    /// @return sum of the out-degrees
    constexpr std::int64_t out_slots() const { return held_ ? held_->targets.size() : 0; }
    /// Returns the number of in-slots of all ranks.
    /// @return sum of the in-degrees
    constexpr std::int64_t in_slots() const { return held_ ? held_->sources.size() : 0; }
    /// Returns the global number of out-slot i of rank r: slots are numbered rank by rank.
    /// @param r  rank, 0 .. p-1
    /// @param i  out-slot, 0 .. out_degree(r) - 1
    /// @return 0 .. out_slots() - 1
    constexpr std::int64_t out_slot(rank_t r, rank_t i) const { return held_ ? held_->out_first[r] + i : i; }
    /// Returns the global number of in-slot j of rank r.
    /// @param r  rank, 0 .. p-1
    /// @param j  in-slot, 0 .. in_degree(r) - 1
    /// @return 0 .. in_slots() - 1
    constexpr std::int64_t in_slot(rank_t r, rank_t j) const { return held_ ? held_->in_first[r] + j : j; }

    /// Returns the first error for use with `ranks` ranks, or no error. O(1).
    /// @param ranks  number of ranks, 1 or more
    /// @return the first wrong list, or another number of ranks than that of the lists
    constexpr argument_error check(rank_t ranks) const {
        if (!held_) return {};
        if (held_->error) return held_->error;
        if (held_->ranks() != ranks) return {"neighbors", held_->ranks(), "lists for as many ranks as there are"};
        return {};
    }

    /// Calls f(number) for the numbers that determine this neighborhood. Used for fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        f(ranks());
        for (rank_t r = 0; r < ranks(); ++r) {
            f(out_degree(r)), f(in_degree(r));
            for (rank_t i = 0; i < out_degree(r); ++i) f(target(r, i)), f(arrival(r, i));
        }
    }
    /// Returns an address that copies of this neighborhood share: equal ones have equal lists while one of them lives.
    /// @return null for a neighborhood without edges
    constexpr const void* identity() const { return held_.identity(); }
    /// Compares the lists. O(1) for copies of one neighborhood, else O(ranks + slots).
    /// @return whether all lists and pairs of slots are equal
    bool operator==(const neighborhood&) const = default;

  private:
    detail::shared<detail::neighbor_table> held_;
};

}}  // namespace collsched::COLLSCHED_ABI
