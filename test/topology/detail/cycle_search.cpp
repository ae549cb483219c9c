#include "collsched/topology/detail/cycle_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "support/random_network.hpp"

using namespace collsched;

using topology::network;
using topology::detail::cycle_search;
using topology::detail::rank_arcs;
using preference = cycle_search::preference;
namespace networks = topology::networks;

namespace {

bool has_cycle(const rank_arcs& arcs, std::int64_t width) {
    std::vector<rank_t> order;
    for (rank_t r = 0; r < arcs.ranks(); ++r) order.push_back(r);
    do {
        bool all = true;
        for (std::size_t i = 0; i < order.size() && all; ++i) {
            const rank_arcs::arc* one = arcs.find(order[i], order[(i + 1) % order.size()]);
            all = one != nullptr && one->bandwidth >= width;
        }
        if (all) return true;
    } while (std::next_permutation(order.begin() + 1, order.end()));
    return false;
}

/// The number of arcs at which a search looks: the least budget with which it ends.
std::int64_t effort(const rank_arcs& arcs, preference rule) {
    std::int64_t few = -1, enough = 1 << 20;  // the first is too small, the second is not
    while (few + 1 < enough) {
        const std::int64_t budget = (few + enough) / 2;
        cycle_search search(arcs, 1);
        search.run(rule, budget);
        (search.is_cut_short() ? few : enough) = budget;
    }
    return enough;
}

}  // namespace

TEST_CASE("cycle_search: finds a cycle exactly if there is one, in both orders") {
    int cycles = 0, none = 0, excluded = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const network net = support::random_network(seed, support::network_shape::directed);
        if (net.ranks() > 7) continue;
        const rank_arcs arcs(net, 1000);
        for (rank_t r = 0; r < 2; ++r)
            for (const rank_arcs::arc& wide : arcs.from(r)) {
                const bool expected = has_cycle(arcs, wide.bandwidth);
                for (const preference rule : {preference::wide, preference::few_followers}) {
                    cycle_search search(arcs, wide.bandwidth);
                    const auto found = search.run(rule, 1 << 20);
                    CAPTURE(seed);
                    CHECK(!search.is_cut_short());
                    CHECK(!found.empty() == expected);
                    CHECK(!(search.excluded() && expected));
                    excluded += search.excluded() ? 1 : 0;
                    for (std::int64_t i = 0; i < found.length(); ++i)
                        CHECK(arcs.find(found[i], found[(i + 1) % found.length()])->bandwidth >= wide.bandwidth);
                }
                (expected ? cycles : none) += 1;
            }
    }
    CHECK(cycles > 20);
    CHECK(none > 20);
    CHECK(excluded > 20);
}

TEST_CASE("cycle_search: two sets of different sizes exclude a cycle") {
    const rank_t odd[] = {3, 3}, even[] = {3, 4};
    CHECK(cycle_search(rank_arcs(networks::mesh(odd, topology::network::cable{}), 1000), 1).excluded());
    CHECK(!cycle_search(rank_arcs(networks::mesh(even, topology::network::cable{}), 1000), 1).excluded());
    CHECK(!cycle_search(rank_arcs(networks::torus(odd, topology::network::cable{}), 1000), 1).excluded());
}

TEST_CASE("cycle_search: the search ends with its budget") {
    const rank_t sizes[] = {4, 4};
    const rank_arcs arcs(networks::mesh(sizes, topology::network::cable{}), 1000);
    cycle_search search(arcs, 1);
    CHECK(search.run(preference::wide, 3).empty());
    CHECK(search.is_cut_short());
    CHECK(search.run(preference::few_followers, 100'000).length() == 16);
    CHECK(!search.is_cut_short());
}

TEST_CASE("cycle_search: a generalized Kautz graph of 64 ranks has a cycle") {
    const rank_arcs arcs(networks::generalized_kautz(64, 4, {.bandwidth = 2}), 1000);
    CHECK(cycle_search(arcs, 2).run(preference::few_followers, 1 << 22).length() == 64);
}

// Its order and what it leaves out decide how long a search takes, and not what it finds.
TEST_CASE("cycle_search: looks at a known number of arcs") {
    const rank_t plane[] = {4, 4}, odd[] = {3, 3}, box[] = {2, 3, 2};
    const topology::network::cable cable{};
    const network kautz = networks::generalized_kautz(24, 2, {.bandwidth = 2});
    std::vector<std::int64_t> wide, few;
    for (const network& net : {networks::mesh(plane, cable), networks::torus(plane, cable), networks::mesh(odd, cable),
                               networks::mesh(box, cable), kautz}) {
        wide.push_back(effort(rank_arcs(net, 1000), preference::wide));
        few.push_back(effort(rank_arcs(net, 1000), preference::few_followers));
    }
    std::int64_t drawn_wide = 0, drawn_few = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const rank_arcs arcs(support::random_network(seed, support::network_shape::directed), 1000);
        drawn_wide += effort(arcs, preference::wide);
        drawn_few += effort(arcs, preference::few_followers);
    }
    CHECK(wide == std::vector<std::int64_t>{136, 180, 542, 109, 156});
    CHECK(few == wide);
    CHECK(drawn_wide == 2676);
    CHECK(drawn_few == 2529);
}

using topology::network;
using topology::detail::rank_arcs;

TEST_CASE("rank_arcs: parallel links are one arc, and arcs end at the first rank") {
    const network::link links[] = {{0, 1, 5}, {0, 1, 4}, {1, 2, 3}};
    const rank_arcs arcs(network(3, 0, links), 10);
    REQUIRE(arcs.fits());
    CHECK(arcs.size() == 2);
    REQUIRE(arcs.find(0, 1) != nullptr);
    CHECK(arcs.find(0, 1)->bandwidth == 9);
    CHECK(arcs.find(0, 1)->links == 1);
    CHECK(arcs.find(0, 2) == nullptr);
    CHECK(arcs.from(2).empty());
}

TEST_CASE("rank_arcs: the fewest links count, and of these ways the widest") {
    // Ranks 0 and 1, switches 2 to 5: ways over 2, over 3, and over 4 and 5.
    const network::link links[] = {{0, 2, 9}, {2, 1, 2}, {0, 3, 4}, {3, 1, 3}, {0, 4, 9}, {4, 5, 9}, {5, 1, 9}};
    const rank_arcs arcs(network(2, 4, links), 10);
    REQUIRE(arcs.size() == 1);
    CHECK(arcs.find(0, 1)->links == 2);
    CHECK(arcs.find(0, 1)->bandwidth == 3);
}

TEST_CASE("rank_arcs: too many arcs, and sums of bandwidths beyond 63 bits, do not fit") {
    const network net = topology::networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 3, .spines = 2});
    CHECK(rank_arcs(net, 30).fits());
    CHECK(rank_arcs(net, 30).size() == 30);
    CHECK(!rank_arcs(net, 29).fits());
    const network::link wide[] = {{0, 1, INT64_MAX}, {0, 1, 1}};
    CHECK(!rank_arcs(network(2, 0, wide), 10).fits());
}
