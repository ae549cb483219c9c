#pragma once

#include <cstdint>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/cost/lob.hpp"

namespace collsched::studies {

/// Integers low .. high with equal probability.
struct uniform_range {
    std::int64_t low = 0, high = 0;

    constexpr std::int64_t draw(detail::splitmix64& random) const { return random.between(low, high); }
    constexpr argument_error check(const char* name, std::int64_t least) const {
        if (low < least) return {name, low, "a lower end that is not too small"};
        if (high < low) return {name, high, "an upper end that is not below the lower end"};
        return {};
    }
    bool operator==(const uniform_range&) const = default;
};

/// Distribution of random clusters. Every number is drawn independently and uniformly from its range.
///
/// Tree: the nodes of a subcluster are split into `fanout` parts, at most one per node; each node falls in any part
/// with equal probability, and empty parts are omitted. A part of more than `leaf` nodes is split again while fewer
/// than `levels` levels of switches are above it. Costs: overhead per node; latency and bandwidth of node links, of
/// uplinks of level 1 (wide area) and of all deeper uplinks. Bandwidths are in kB/s: 10^12 / b femtoseconds per byte.
struct cluster_distribution {
    uniform_range overhead_ps{},       ///< overhead of a node in picoseconds, 0 or more
        own_latency_ps{},              ///< latency of the link of a node in picoseconds, 0 or more
        own_kB_s{1, 1};                ///< bandwidth of the link of a node in kB/s, 1 or more
    uniform_range wide_latency_ps{},   ///< latency of an uplink of level 1 in picoseconds, 0 or more
        wide_kB_s{1, 1};               ///< bandwidth of an uplink of level 1 in kB/s, 1 or more
    uniform_range local_latency_ps{},  ///< latency of a deeper uplink in picoseconds, 0 or more
        local_kB_s{1, 1};              ///< bandwidth of a deeper uplink in kB/s, 1 or more
    uniform_range fanout{2, 4};        ///< number of parts of a subcluster, 1 or more
    rank_t leaf = 8;                   ///< parts of more nodes are split, 1 or more
    rank_t levels = 3;                 ///< largest number of levels of switches, 1 .. 64

    /// Returns the first error in the ranges, or no error.
    constexpr argument_error check() const {
        const struct {
            const char* name;
            const uniform_range& range;
            std::int64_t least;
        } all[] = {{"overhead", overhead_ps, 0},       {"own latency", own_latency_ps, 0},
                   {"own bandwidth", own_kB_s, 1},     {"wide latency", wide_latency_ps, 0},
                   {"wide bandwidth", wide_kB_s, 1},   {"local latency", local_latency_ps, 0},
                   {"local bandwidth", local_kB_s, 1}, {"fanout", fanout, 1}};
        for (const auto& [name, range, least] : all)
            if (argument_error error = range.check(name, least)) return error;
        if (leaf < 1) return {"leaf", leaf, "1 node or more"};
        if (levels < 1 || levels > 64) return {"levels", levels, "1 to 64"};
        return {};
    }
    bool operator==(const cluster_distribution&) const = default;
};

/// Draws one cluster.
class cluster_generator {
  public:
    constexpr cluster_generator(const cluster_distribution& parameters, rank_t nodes, std::uint64_t seed)
        : parameters_(parameters), random_(seed), homes_(nodes), parents_(nodes * parameters.levels) {}

    constexpr lob_model draw() {
        owned_array<rank_t> all_nodes(homes_.size());
        for (rank_t c = 0; c < all_nodes.size(); ++c) all_nodes[c] = c;
        split(all_nodes, 0, 0);
        const std::span<const rank_t> parents(parents_.begin() + 1, static_cast<std::size_t>(last_));
        const topology::switch_tree switches(parents, homes_);
        owned_array<picoseconds> overheads(homes_.size());
        owned_array<lob_model::link_cost> links(homes_.size()), uplinks(switches.switches());
        for (picoseconds& o : overheads) o = parameters_.overhead_ps.draw(random_);
        for (lob_model::link_cost& link : links) link = link_of(parameters_.own_latency_ps, parameters_.own_kB_s);
        for (rank_t e = 1; e < uplinks.size(); ++e)
            uplinks[e] = switches.level(e) == 1 ? link_of(parameters_.wide_latency_ps, parameters_.wide_kB_s)
                                                : link_of(parameters_.local_latency_ps, parameters_.local_kB_s);
        return {switches, overheads, links, uplinks};
    }

  private:
    constexpr lob_model::link_cost link_of(const uniform_range& latency_ps, const uniform_range& kB_s) {
        const picoseconds latency = latency_ps.draw(random_);
        return {latency, 1'000'000'000'000 / kB_s.draw(random_)};
    }

    /// Splits the nodes of a subcluster, whose switch is e on this level.
    constexpr void split(const owned_array<rank_t>& nodes, rank_t e, rank_t level) {
        for (const rank_t c : nodes) homes_[c] = e;
        if (nodes.size() <= parameters_.leaf || level + 1 >= parameters_.levels) return;
        const rank_t drawn = parameters_.fanout.draw(random_);
        const rank_t parts = drawn < nodes.size() ? drawn : nodes.size();
        owned_array<rank_t> part_of(nodes.size()), sizes(parts);
        for (rank_t& part : part_of) ++sizes[part = random_.between(0, parts - 1)];
        for (rank_t part = 0; part < parts; ++part) {
            if (sizes[part] == 0) continue;
            owned_array<rank_t> members(sizes[part]);
            for (rank_t i = 0, n = 0; i < nodes.size(); ++i)
                if (part_of[i] == part) members[n++] = nodes[i];
            parents_[++last_] = e;
            split(members, last_, level + 1);
        }
    }

    const cluster_distribution& parameters_;
    detail::splitmix64 random_;
    owned_array<rank_t> homes_, parents_;
    rank_t last_ = 0;
};

/// Returns a pseudo-random cluster: equal arguments return equal clusters on every compiler.
///
/// @param parameters  distribution of the cluster
/// @param nodes       1 or more
/// @param seed        any number
/// Failure: wrong arguments return a default model, whose check() reports an error. O(nodes * levels).
constexpr lob_model random_cluster(const cluster_distribution& parameters, rank_t nodes, std::uint64_t seed) {
    if (nodes < 1 || parameters.check()) return {};
    return cluster_generator(parameters, nodes, seed).draw();
}

}  // namespace collsched::studies
