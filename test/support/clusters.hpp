#pragma once

#include <vector>

#include "benchmarks/studies/random_cluster.hpp"

namespace support {

using namespace collsched;

inline constexpr studies::cluster_distribution some_clusters{.overhead_ps = {1'000, 9'000},
                                                             .own_latency_ps = {0, 2'000},
                                                             .own_kB_s = {100'000, 900'000},
                                                             .wide_latency_ps = {50'000, 90'000},
                                                             .wide_kB_s = {10'000, 20'000},
                                                             .local_latency_ps = {1'000, 3'000},
                                                             .local_kB_s = {50'000, 100'000},
                                                             .leaf = 3};

/// Clusters of p nodes: random ones of several levels, one with all nodes on one switch, one of equal nodes.
inline std::vector<lob_model> clusters(rank_t p) {
    std::vector<lob_model> made;
    for (const std::uint64_t seed : {1U, 2U}) made.push_back(random_cluster(some_clusters, p, seed));
    studies::cluster_distribution flat = some_clusters;
    flat.levels = 1;
    made.push_back(random_cluster(flat, p, 3));
    const std::vector<std::int64_t> o(static_cast<std::size_t>(p), 5), pairs(static_cast<std::size_t>(p * p), 7);
    made.emplace_back(o, pairs, pairs);
    return made;
}

}  // namespace support
