#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/detail/signed_vector.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// The links of a network by sender and receiver. All links from one vertex to another are one arc.
class arc_table {
  public:
    /// An arc.
    struct arc {
        rank_t from{}, to{};
        std::int64_t bandwidth{};  ///< sum, in bytes per second
    };

    explicit arc_table(const network& net) : first_(static_cast<std::size_t>(net.vertices() + 1)), first_in_(first_) {
        signed_vector<arc> all;
        for (const network::link& link : net.links()) all.push_back({link.from, link.to, link.bandwidth});
        collsched::detail::sort(all.data(), all.length(), before);
        for (const arc& entry : all) {
            const bool parallel = !arcs_.empty() && !before(arcs_.back(), entry);
            if (!parallel) arcs_.push_back({entry.from, entry.to, 0});
            const checked sum = checked(arcs_.back().bandwidth) + entry.bandwidth;
            fits_ = fits_ && sum.ok();
            arcs_.back().bandwidth = sum.value();
        }
        find_incident();
    }

    /// Returns whether no bandwidth exceeds 63 bits.
    bool fits() const { return fits_; }
    std::int64_t size() const { return arcs_.length(); }
    const arc& operator[](std::int64_t number) const { return arcs_[number]; }
    /// Returns the index of the first arc from a vertex or one with a larger number.
    /// @param v  vertex, or the number of vertices
    std::int64_t first(rank_t v) const { return first_[v]; }
    /// Returns the numbers of the arcs that enter a vertex.
    std::span<const std::int64_t> into(rank_t v) const {
        return std::span(in_).subspan(static_cast<std::size_t>(first_in_[v]),
                                      static_cast<std::size_t>(first_in_[v + 1] - first_in_[v]));
    }
    /// Returns the number of an arc, or -1. O(log of the arcs that leave `from`).
    std::int64_t find(rank_t from, rank_t to) const {
        const std::int64_t end = first_[from + 1];
        const std::int64_t i =
            collsched::detail::first_where(first_[from], end, [&](std::int64_t n) { return arcs_[n].to >= to; });
        return i < end && arcs_[i].to == to ? i : -1;
    }

  private:
    static bool before(const arc& a, const arc& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; }

    void find_incident() {
        for (const arc& entry : arcs_) ++first_[entry.from + 1], ++first_in_[entry.to + 1];
        for (std::int64_t v = 1; v < first_.length(); ++v) first_[v] += first_[v - 1], first_in_[v] += first_in_[v - 1];
        signed_vector<std::int64_t> next = first_in_;
        in_.resize(arcs_.size());
        for (std::int64_t i = 0; i < arcs_.length(); ++i) in_[next[arcs_[i].to]++] = i;
    }

    signed_vector<arc> arcs_;  // by sender, then by receiver
    signed_vector<std::int64_t> first_, first_in_, in_;
    bool fits_ = true;
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
