#include "collsched/simulate/link_queue_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "collsched/topology/networks.hpp"

using namespace collsched;
using collsched::detail::network_paths;
using topology::network;

namespace {

std::vector<rank_t> path(network_paths& paths, rank_t from, rank_t to) {
    std::vector<rank_t> found;
    paths.append_shortest(from, to, found);
    return found;
}

}  // namespace

TEST_CASE("network_paths: shortest paths on a ring lead the shorter way round") {
    const network ring = topology::networks::ring(7, {.bandwidth = 1});
    network_paths paths(ring);
    for (rank_t from = 0; from < 7; ++from)
        for (rank_t to = 0; to < 7; ++to) {
            if (from == to) continue;
            const std::vector<rank_t> found = path(paths, from, to);
            const rank_t apart = std::min((to - from + 7) % 7, (from - to + 7) % 7);
            CHECK(std::ssize(found) == apart + 1);
            CHECK(found.front() == from);
            CHECK(found.back() == to);
            for (std::size_t i = 1; i < found.size(); ++i) {
                int links = 0;
                paths.for_each_link(found[i - 1], found[i], [&](std::int32_t) { ++links; });
                CHECK(links == 1);
            }
        }
}

TEST_CASE("network_paths: through switches rather than through a rank, and nothing without a path") {
    // 0 - 1 - 2 directly, and 0 - s3 - s4 - s5 - 2; rank 1 forwards only to what no switch reaches.
    const network::link links[] = {{0, 1}, {1, 2}, {0, 4}, {4, 5}, {5, 6}, {6, 2}, {2, 3}};
    const network net(4, 3, links);
    network_paths paths(net);
    CHECK(path(paths, 0, 2) == std::vector<rank_t>{0, 4, 5, 6, 2});
    CHECK(path(paths, 1, 3) == std::vector<rank_t>{1, 2, 3});
    CHECK(path(paths, 3, 0).empty());
}

TEST_CASE("network_paths: pairs are spread over equal paths") {
    const network net = topology::networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 8, .spines = 4});
    network_paths paths(net);
    std::set<rank_t> spines;
    for (rank_t to = 8; to < 16; ++to) spines.insert(path(paths, 0, to)[2]);
    CHECK(spines.size() == 4);
}
