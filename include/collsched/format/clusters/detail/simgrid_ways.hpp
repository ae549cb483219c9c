#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "collsched/cost/lob.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/clusters/detail/simgrid_platform.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns the cost of two consecutive parts of a path: the sum of the latencies, at most 2^61 ps, and the smaller
/// bandwidth.
constexpr lob_model::link_cost in_series(lob_model::link_cost a, lob_model::link_cost b) {
    constexpr picoseconds most = picoseconds{1} << 61;
    const picoseconds sum = a.latency_ps + b.latency_ps;
    return {sum < most ? sum : most, a.byte_fs < b.byte_fs ? b.byte_fs : a.byte_fs};
}

/// The costs of the routes of a SimGrid platform. Routes between zones are composed of routes to and from gateways,
/// each of which is evaluated once. O(levels) for a route of any length whose parts have been evaluated.
class simgrid_ways {
  public:
    explicit simgrid_ways(const simgrid_platform& platform) : platform_(platform) {}

    /// Returns the cost of all links from p to q together. Throws input_error if there is no route, or if it has more
    /// than 1024 links or one with a fault.
    lob_model::link_cost way(rank_t p, rank_t q) {
        if (p == q) return {};
        const part all = measure(p, q);
        if (all.links > most)
            platform_.file.refuse(
                platform_.zone_at(platform_.point_at(p).zone).line,
                fmt::format("{} links from {} to {}", all.links, json_text(platform_.point_at(p).name),
                            json_text(platform_.point_at(q).name)),
                fmt::format("at most {}", most));
        return all.cost;
    }

  private:
    static constexpr std::int64_t most = 1024, beyond = std::int64_t{1} << 40;

    struct part {
        lob_model::link_cost cost;
        std::int64_t links = 0;
    };

    void add(part& all, const part& more) const {
        all.cost = in_series(all.cost, more.cost);
        all.links = std::min(all.links + more.links, beyond);
    }
    part measure(rank_t p, rank_t q) {
        part all;
        platform_.compose(
            p, q,
            [&](std::span<const std::int32_t> links) {
                for (const std::int32_t i : links) add(all, {platform_.usable_link(i).cost, 1});
            },
            [&](rank_t a, rank_t b) { add(all, known(a, b)); });
        return all;
    }
    /// Returns the cost of a part. Routes within a zone are computed as fast as they could be looked up, unless its
    /// routing uses a graph.
    part known(rank_t p, rank_t q) {
        const rank_t z = platform_.point_at(p).zone;
        if (z == platform_.point_at(q).zone && !platform_.zone_at(z).graph) return measure(p, q);
        const std::uint64_t key = simgrid_platform::pair_key(p, q);
        if (const auto found = measured_.find(key); found != measured_.end()) return found->second;
        const part made = measure(p, q);
        return measured_.emplace(key, made).first->second;
    }

    const simgrid_platform& platform_;
    std::unordered_map<std::uint64_t, part> measured_;  ///< to and from gateways
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
