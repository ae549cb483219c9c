#include "collsched/topology/forwarding_bound.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/random_network.hpp"

using namespace collsched;
using topology::network;
using topology::detail::arc_table;
using topology::detail::forced_arcs;
using arc_ends = std::pair<rank_t, rank_t>;

namespace {

/// Whether another rank has a path to a rank without the links between two vertices, through switches.
bool is_reached(const network& net, rank_t sink, const arc_ends& without) {
    std::vector<bool> inside(static_cast<std::size_t>(net.vertices()));
    inside[static_cast<std::size_t>(sink)] = true;
    for (rank_t more = 0; more < net.vertices(); ++more)
        for (const network::link& one : net.links()) {
            const bool on = one.to == sink || net.is_switch(one.to);
            if (on && inside[static_cast<std::size_t>(one.to)] && arc_ends(one.from, one.to) != without)
                inside[static_cast<std::size_t>(one.from)] = true;
        }
    for (rank_t r = 0; r < net.ranks(); ++r)
        if (r != sink && inside[static_cast<std::size_t>(r)]) return true;
    return false;
}

std::vector<arc_ends> found_arcs(const arc_table& arcs, forced_arcs& search, rank_t sink) {
    std::vector<arc_ends> found;
    for (const std::int64_t i : search.find(sink)) found.push_back({arcs[i].from, arcs[i].to});
    return found;
}

}  // namespace

TEST_CASE("forced_arcs: those without which no other rank reaches a rank") {
    int forced = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed)
        for (const support::network_shape shape :
             {support::network_shape::directed, support::network_shape::bidirectional}) {
            const network net = support::random_network(seed, shape);
            const arc_table arcs(net);
            forced_arcs search(arcs, net.ranks(), net.vertices());
            INFO(support::drawn(net));
            for (rank_t sink = 0; sink < net.ranks(); ++sink) {
                std::vector<arc_ends> expected;
                for (std::int64_t i = 0; i < arcs.size(); ++i)
                    if (!is_reached(net, sink, {arcs[i].from, arcs[i].to}))
                        expected.push_back({arcs[i].from, arcs[i].to});
                std::vector<arc_ends> found = found_arcs(arcs, search, sink);
                std::sort(found.begin(), found.end());
                CHECK(found == expected);
                forced += found.empty() ? 0 : 1;
            }
        }
    CHECK(forced > 500);
}

TEST_CASE("forced_arcs: in their order, from the rank backward") {
    // 0 -> 2 -> 3 -> 4 -> 1, with two ways between the switches 3 and 4.
    const std::vector<network::link> links{{0, 2}, {2, 3}, {3, 4}, {3, 5}, {5, 4}, {4, 1}, {1, 0}};
    const network net(2, 4, links);
    const arc_table arcs(net);
    forced_arcs search(arcs, net.ranks(), net.vertices());
    CHECK(found_arcs(arcs, search, 1) == std::vector<arc_ends>{{4, 1}, {2, 3}, {0, 2}});
    CHECK(found_arcs(arcs, search, 0) == std::vector<arc_ends>{{1, 0}});
}

TEST_CASE("forced_arcs: none where there is no path") {
    const std::vector<network::link> links{{0, 2}, {2, 1}, {2, 0}};
    const network net(2, 1, links);
    const arc_table arcs(net);
    forced_arcs search(arcs, net.ranks(), net.vertices());
    CHECK(search.find(0).empty());
    CHECK(search.find(1).size() == 2);
}
