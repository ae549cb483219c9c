#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/cycle_search.hpp"
#include "collsched/topology/detail/signed_vector.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// A cycle through all ranks of a network, in which data reaches the next rank without passing another one: by a link,
/// or through switches over the fewest links.
struct network::rank_cycle {
    owned_array<rank_t> order;   ///< the ranks in the order of the cycle, from rank 0 on; empty: none found
    std::int64_t bandwidth = 0;  ///< of the narrowest link in it, in bytes per second, each way counted alone
    bool exact = true;           ///< whether no cycle has more bandwidth; without a cycle: whether there is none
};

namespace detail {

/// Calls f(sizes) for the sequences of 1 to `most` sizes, each 2 or more, with the product `ranks`.
template <class F>
void for_each_sizes(rank_t ranks, std::int64_t most, signed_vector<rank_t>& sizes, const F& f) {
    if (ranks == 1 && !sizes.empty()) f(sizes);
    if (sizes.length() == most) return;
    for (rank_t size = 2; size <= ranks; ++size) {
        if (ranks % size != 0) continue;
        sizes.push_back(size);
        for_each_sizes(ranks / size, most, sizes, f);
        sizes.pop_back();
    }
}

/// Returns the ranks of a mesh of these sizes, whose last coordinate varies fastest, in an order in which neighbors of
/// the order differ by 1 in one coordinate, with dimension d removed: all have 0 there. O(ranks of the result).
inline signed_vector<rank_t> boustrophedon(const signed_vector<rank_t>& sizes, std::int64_t removed) {
    signed_vector<rank_t> order{0};
    rank_t stride = 1;
    for (std::int64_t d = sizes.length(); d-- > 0; stride *= sizes[d]) {
        if (d == removed) continue;
        const std::int64_t before = order.length();
        for (rank_t place = 1; place < sizes[d]; ++place)
            for (std::int64_t i = 0; i < before; ++i) {
                const rank_t below = order[place % 2 == 0 ? i : before - 1 - i];
                order.push_back(below + place * stride);
            }
    }
    return order;
}

/// Returns a cycle through the ranks of a mesh of these sizes. It goes along dimension d, without coordinate 0, in turns
/// up and down for the ranks of the other dimensions in boustrophedon order, and returns at coordinate 0.
///
/// Neighbors in the cycle are neighbors in the mesh, but the last of the turns ends at the largest coordinate if the
/// number of turns is odd, and continues at 0: in a torus these are neighbors too. O(ranks).
inline signed_vector<rank_t> grid_cycle(const signed_vector<rank_t>& sizes, std::int64_t d) {
    rank_t stride = 1;
    for (std::int64_t i = d + 1; i < sizes.length(); ++i) stride *= sizes[i];
    const signed_vector<rank_t> turns = boustrophedon(sizes, d);
    signed_vector<rank_t> cycle;
    for (std::int64_t turn = 0; turn < turns.length(); ++turn)
        for (rank_t i = 1; i < sizes[d]; ++i)
            cycle.push_back(turns[turn] + (turn % 2 == 0 ? i : sizes[d] - i) * stride);
    for (std::int64_t turn = turns.length(); turn-- > 0;) cycle.push_back(turns[turn]);
    return cycle;
}

/// Finds the cycle with the largest bandwidth.
class widest_cycle {
  public:
    explicit widest_cycle(const rank_arcs& arcs) : arcs_(arcs) {}

    network::rank_cycle run() {
        signed_vector<rank_t> sizes;
        for_each_sizes(arcs_.ranks(), most_dimensions, sizes, [this](const signed_vector<rank_t>& candidate) {
            for (std::int64_t d = 0; d < candidate.length(); ++d) consider(grid_cycle(candidate, d));
        });
        search();
        best_.order = owned_array<rank_t>(std::span<const rank_t>(order_));
        return static_cast<network::rank_cycle&&>(best_);
    }

  private:
    static constexpr std::int64_t most_dimensions = 4, budget = std::int64_t{1} << 21;

    /// Keeps a cycle if it exists and has more bandwidth than the best one, or as much and shorter ways.
    bool consider(const signed_vector<rank_t>& cycle) {
        std::int64_t width{}, length{};
        for (std::int64_t i = 0; i < cycle.length(); ++i) {
            const rank_arcs::arc* arc = arcs_.find(cycle[i], cycle[i + 1 < cycle.length() ? i + 1 : 0]);
            if (arc == nullptr) return false;
            if (i == 0 || arc->bandwidth < width) width = arc->bandwidth;
            length += arc->links;
        }
        if (width < best_.bandwidth || (width == best_.bandwidth && length >= length_)) return false;
        best_.bandwidth = width;
        length_ = length;
        order_.clear();
        std::int64_t zero = 0;
        while (cycle[zero] != 0) ++zero;
        for (std::int64_t i = 0; i < cycle.length(); ++i) order_.push_back(cycle[(zero + i) % cycle.length()]);
        return true;
    }
    /// Searches cycles with more bandwidth, by bisection over the bandwidths of all arcs.
    void search() {
        const signed_vector<std::int64_t> widths = bandwidths();
        std::int64_t low = 0, high = widths.length();  // less bandwidth than widths[low] is found; widths[high] is not
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (!found(widths[middle])) high = middle;
            while (low < high && widths[low] <= best_.bandwidth) ++low;
        }
    }
    bool found(std::int64_t width) {
        cycle_search search(arcs_, width);
        if (search.excluded()) return false;
        bool cut_short = true;
        for (const auto rule : {cycle_search::preference::wide, cycle_search::preference::few_followers}) {
            const signed_vector<rank_t> cycle = search.run(rule, budget + 8 * arcs_.size());
            if (!cycle.empty()) return consider(cycle);
            cut_short = cut_short && search.is_cut_short();
        }
        best_.exact = best_.exact && !cut_short;
        return false;
    }
    /// Returns the bandwidths of arcs above that of the best cycle, ascending.
    signed_vector<std::int64_t> bandwidths() const {
        signed_vector<std::int64_t> all, different;
        for (rank_t r = 0; r < arcs_.ranks(); ++r)
            for (const rank_arcs::arc& arc : arcs_.from(r))
                if (arc.bandwidth > best_.bandwidth) all.push_back(arc.bandwidth);
        collsched::detail::sort(all.data(), all.length(), [](std::int64_t a, std::int64_t b) { return a < b; });
        for (const std::int64_t width : all)
            if (different.empty() || different.back() != width) different.push_back(width);
        return different;
    }

    const rank_arcs& arcs_;
    signed_vector<rank_t> order_;
    std::int64_t length_{};
    network::rank_cycle best_;
};

}  // namespace detail

/// Finds a cycle through all ranks whose narrowest link has as much bandwidth as possible.
///
/// First the cycles of meshes and tori of up to 4 sizes are tried, if the ranks are numbered as in one, last coordinate
/// fastest. Then wider cycles are searched by backtracking, twice for each of the O(log links) tried bandwidths: at most
/// 2^21 arcs, and 8 times all arcs, are looked at each time. `exact` reports whether that was enough.
///
/// Complexity: O(ranks * links) with switches and O(links log links) without, and the search.
/// @param net  a network with at most 2^21 pairs of ranks that reach each other without passing a rank; with more there
///             is no cycle here, and `exact` is false
/// @return the cycle, if one was found
inline network::rank_cycle find_rank_cycle(const network& net) {
    constexpr std::int64_t most_arcs = std::int64_t{1} << 21;
    const detail::rank_arcs arcs(net, most_arcs);
    if (!arcs.fits()) return {{}, 0, false};
    return detail::widest_cycle(arcs).run();
}

}}}  // namespace collsched::COLLSCHED_ABI::topology
