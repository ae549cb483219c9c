#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/signed_vector.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// Extends a permutation of the ranks to the switches, so that it maps arcs to arcs of equal bandwidth.
///
/// Switches get labels from those of their neighbors until no round distinguishes more of them: in the network, and in
/// its image, in which rank r has the label of its image. Equal labels are images of each other. Among switches that no
/// label distinguishes, the first is mapped to the first. The result is verified, so that labels need not be unique.
class switch_images {
  public:
    switch_images(const arc_table& arcs, rank_t ranks, rank_t vertices)
        : arcs_(arcs), ranks_(ranks), switches_(vertices - ranks) {}

    /// @param images  per rank, its image
    /// @return the image of each vertex, or nothing if none is found. O(rounds * links), of which there are at most one
    ///         per switch that labels distinguish, or that is chosen
    signed_vector<rank_t> extend(signed_vector<rank_t> images) {
        if (switches_ > 0 && !match(images)) return {};
        for (std::int64_t i = 0; i < arcs_.size(); ++i) {
            const std::int64_t found = arcs_.find(images[arcs_[i].from], images[arcs_[i].to]);
            if (found < 0 || arcs_[found].bandwidth != arcs_[i].bandwidth) return {};
        }
        return images;
    }

  private:
    using labels = signed_vector<std::uint64_t>;

    /// Most visits of arcs in the search for one permutation.
    static constexpr std::int64_t most_work = std::int64_t{1} << 30;

    static std::uint64_t mixed(std::uint64_t seed) { return collsched::detail::splitmix64(seed)(); }

    bool match(signed_vector<rank_t>& images) {
        labels domain, range;
        for (rank_t v = 0; v < ranks_ + switches_; ++v) {
            domain.push_back(mixed(v < ranks_ ? static_cast<std::uint64_t>(images[v]) + 1 : 0));
            range.push_back(mixed(v < ranks_ ? static_cast<std::uint64_t>(v) + 1 : 0));
        }
        std::int64_t work = 0;
        for (rank_t chosen = 0;; ++chosen) {
            for (std::int64_t before = 0, count = 1; count > before; work += 2 * arcs_.size()) {
                domain = refined(domain), range = refined(range);
                before = count, count = different(domain);
                if (work > most_work) return false;
            }
            const signed_vector<rank_t> from = sorted(domain), to = sorted(range);
            for (std::int64_t i = 0; i < switches_; ++i)
                if (domain[from[i]] != range[to[i]]) return false;
            const std::int64_t tied = first_tie(domain, from);
            if (tied < 0) {
                images.resize(domain.size());
                for (std::int64_t i = 0; i < switches_; ++i) images[from[i]] = to[i];
                return true;
            }
            domain[from[tied]] = range[to[tied]] = mixed(~static_cast<std::uint64_t>(chosen));
        }
    }
    /// Returns the position of the switch of the least number that shares its label with others, or -1.
    static std::int64_t first_tie(const labels& of, const signed_vector<rank_t>& order) {
        std::int64_t tied = -1;
        for (std::int64_t i = 0; i + 1 < order.length(); ++i) {
            const bool is_first = of[order[i]] == of[order[i + 1]] && (i == 0 || of[order[i]] != of[order[i - 1]]);
            if (is_first && (tied < 0 || order[i] < order[tied])) tied = i;
        }
        return tied;
    }

    /// Returns labels of switches that depend on those of their neighbors.
    labels refined(const labels& old) const {
        labels result = old;
        for (std::int64_t i = 0; i < arcs_.size(); ++i) {
            const arc_table::arc& arc = arcs_[i];
            const std::uint64_t rate = mixed(static_cast<std::uint64_t>(arc.bandwidth));
            if (arc.from >= ranks_) result[arc.from] += mixed(old[arc.to] ^ rate);
            if (arc.to >= ranks_) result[arc.to] += mixed(old[arc.from] + rate);
        }
        for (rank_t v = ranks_; v < result.length(); ++v) result[v] = mixed(result[v]);
        return result;
    }
    /// Returns the switches by label, then by number.
    signed_vector<rank_t> sorted(const labels& of) const {
        signed_vector<rank_t> order;
        for (rank_t v = ranks_; v < of.length(); ++v) order.push_back(v);
        collsched::detail::sort(order.data(), order.length(),
                                [&of](rank_t a, rank_t b) { return of[a] != of[b] ? of[a] < of[b] : a < b; });
        return order;
    }
    /// Returns the number of different labels of switches.
    std::int64_t different(const labels& of) const {
        const signed_vector<rank_t> order = sorted(of);
        std::int64_t count = 0;
        for (std::int64_t i = 0; i < switches_; ++i) count += i == 0 || of[order[i]] != of[order[i - 1]] ? 1 : 0;
        return count;
    }

    const arc_table& arcs_;
    rank_t ranks_, switches_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
