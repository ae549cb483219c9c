#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/cycle_search.hpp"
#include "collsched/topology/detail/grid_cycles.hpp"
#include "collsched/topology/detail/rank_arcs.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// A cycle through all ranks of a network, in which data reaches the next rank without passing another one: by a link,
/// or through switches over the fewest links.
struct rank_cycle {
    owned_array<rank_t> order;   ///< the ranks in the order of the cycle, from rank 0 on; empty: none found
    std::int64_t bandwidth = 0;  ///< of the narrowest link in it, in bytes per second, each way counted alone
    bool exact = true;           ///< whether no cycle has more bandwidth; without a cycle: whether there is none
};

namespace detail {

/// Finds the cycle with the largest bandwidth.
class widest_cycle {
  public:
    explicit widest_cycle(const rank_arcs& arcs) : arcs_(arcs) {}

    rank_cycle run() {
        signed_vector<rank_t> sizes;
        for_each_sizes(arcs_.ranks(), most_dimensions, sizes, [this](const signed_vector<rank_t>& one) {
            for (std::int64_t d = 0; d < one.length(); ++d) consider(grid_cycle(one, d));
        });
        search();
        best_.order = owned_array<rank_t>(std::span<const rank_t>(order_));
        return static_cast<rank_cycle&&>(best_);
    }

  private:
    static constexpr std::int64_t most_dimensions = 4, budget = std::int64_t{1} << 21;

    /// Keeps a cycle if it exists and has more bandwidth than the best one, or as much and shorter ways.
    bool consider(const signed_vector<rank_t>& cycle) {
        std::int64_t width{}, length{};
        for (std::int64_t i = 0; i < cycle.length(); ++i) {
            const rank_arcs::arc* one = arcs_.find(cycle[i], cycle[i + 1 < cycle.length() ? i + 1 : 0]);
            if (one == nullptr) return false;
            if (i == 0 || one->bandwidth < width) width = one->bandwidth;
            length += one->links;
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
            for (const rank_arcs::arc& one : arcs_.from(r))
                if (one.bandwidth > best_.bandwidth) all.push_back(one.bandwidth);
        collsched::detail::sort(all.data(), all.length(), [](std::int64_t a, std::int64_t b) { return a < b; });
        for (const std::int64_t width : all)
            if (different.empty() || different.back() != width) different.push_back(width);
        return different;
    }

    const rank_arcs& arcs_;
    signed_vector<rank_t> order_;
    std::int64_t length_{};
    rank_cycle best_;
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
inline rank_cycle find_rank_cycle(const network& net) {
    constexpr std::int64_t most_arcs = std::int64_t{1} << 21;
    const detail::rank_arcs arcs(net, most_arcs);
    if (!arcs.fits()) return {{}, 0, false};
    return detail::widest_cycle(arcs).run();
}

}}}  // namespace collsched::COLLSCHED_ABI::topology
