#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/signed_vector.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// The ways from each rank to the ranks that it reaches without passing another rank: by links, or through switches.
class rank_arcs {
  public:
    /// The way to a rank with the fewest links, and of these one with the largest bandwidth.
    struct arc {
        rank_t to{};
        std::int64_t links = 1;
        std::int64_t bandwidth = 0;  ///< of its narrowest link, where parallel links count as one
    };

    /// Finds all ways. O(ranks * links) with switches, else O(links log links).
    /// @param most  largest number of arcs; with more, fits() is false
    rank_arcs(const network& net, std::int64_t most) : ranks_(net.ranks()) {
        const arc_table table(net);
        fits_ = table.fits();
        signed_vector<std::int64_t> leaving(static_cast<std::size_t>(net.vertices() + 1), 0);
        for (std::int64_t i = 0; i < table.size(); ++i) ++leaving[table[i].from + 1];
        for (rank_t v = 0; v < net.vertices(); ++v) leaving[v + 1] += leaving[v];
        signed_vector<arc> best(static_cast<std::size_t>(net.vertices()));
        first_.push_back(0);
        for (rank_t r = 0; r < ranks_ && fits_; ++r) {
            add_from(r, table, leaving, best);
            first_.push_back(all_.length());
            fits_ = all_.length() <= most;
        }
    }

    /// Returns whether bandwidths and the number of arcs are in range. Otherwise no other method may be called.
    bool fits() const { return fits_; }
    rank_t ranks() const { return ranks_; }
    std::int64_t size() const { return all_.length(); }
    /// Returns the arcs from a rank, by `to`.
    std::span<const arc> from(rank_t r) const {
        return std::span<const arc>(all_).subspan(static_cast<std::size_t>(first_[r]),
                                                  static_cast<std::size_t>(first_[r + 1] - first_[r]));
    }
    /// Returns the arc from one rank to another, or nullptr. O(log arcs).
    const arc* find(rank_t from, rank_t to) const {
        std::int64_t low = first_[from], high = first_[from + 1];
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (all_[middle].to < to) low = middle + 1;
            else high = middle;
        }
        return low < first_[from + 1] && all_[low].to == to ? &all_[low] : nullptr;
    }

  private:
    /// Adds the arcs of a rank, by breadth first. `best` has zeros, also afterwards.
    void add_from(rank_t r, const arc_table& table, const signed_vector<std::int64_t>& leaving,
                  signed_vector<arc>& best) {
        signed_vector<rank_t> reached{r};
        best[r].links = 0;
        for (std::int64_t n = 0; n < reached.length(); ++n) {
            const rank_t v = reached[n];
            if (v < ranks_ && v != r) continue;
            for (std::int64_t i = leaving[v]; i < leaving[v + 1]; ++i) {
                arc& target = best[table[i].to];
                if (table[i].to == r) continue;
                const std::int64_t width =
                    v == r || table[i].bandwidth < best[v].bandwidth ? table[i].bandwidth : best[v].bandwidth;
                if (target.bandwidth == 0) {
                    target.to = table[i].to;
                    target.links = best[v].links + 1;
                    reached.push_back(target.to);
                }
                if (target.links == best[v].links + 1 && target.bandwidth < width) target.bandwidth = width;
            }
        }
        const std::int64_t begin = all_.length();
        for (const rank_t v : reached) {
            if (v < ranks_ && v != r) all_.push_back(best[v]);
            best[v] = {};
        }
        collsched::detail::sort(all_.data() + begin, all_.length() - begin,
                                [](const arc& a, const arc& b) { return a.to < b.to; });
    }

    rank_t ranks_;
    bool fits_ = true;
    signed_vector<arc> all_;
    signed_vector<std::int64_t> first_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
