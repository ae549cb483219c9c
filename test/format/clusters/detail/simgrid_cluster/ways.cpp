#include "collsched/format/clusters/detail/simgrid_cluster.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace collsched;
using namespace collsched::detail;

namespace {

using platform = simgrid_platform;
const text_file file{"f", ""};

/// Zones of two zones each, down to 2^levels of a host each. From one half to the other a message leaves by the last host of
/// its half and enters by the first one of the other, so that it passes all hosts from a to b, and b - a links.
void add_halves(platform& p, rank_t parent, rank_t level, rank_t levels) {
    const auto z = static_cast<rank_t>(p.zones.size());
    p.zones.push_back({.id = std::to_string(z), .line = 1, .parent = parent, .level = level});
    const auto first = static_cast<rank_t>(p.points.size());
    if (level == levels) return p.points.push_back({.name = "h" + std::to_string(first), .zone = z});
    add_halves(p, z, level + 1, levels);
    const auto right = static_cast<rank_t>(p.zones.size()), middle = static_cast<rank_t>(p.points.size());
    add_halves(p, z, level + 1, levels);
    const std::int32_t there = p.add_link({{{1, 5}}}), back = p.add_link({{{1, 6}}});
    p.zone_at(z).routes[platform::pair_key(z + 1, right)] = {{there}, middle - 1, middle};
    p.zone_at(z).routes[platform::pair_key(right, z + 1)] = {{back}, middle, middle - 1};
}
platform halves(rank_t levels) {
    platform p{file};
    add_halves(p, -1, 0, levels);
    return p;
}

}  // namespace

TEST_CASE("simgrid_ways: links join to paths") {
    CHECK(in_series({1, 5}, {2, 3}) == lob_model::link_cost{3, 5});
    CHECK(in_series({1, 0}, {2, 3}) == lob_model::link_cost{3, 3});
    const lob_model::link_cost endless{picoseconds{1} << 61, 1};
    CHECK(in_series(endless, endless) == endless);
}

TEST_CASE("simgrid_ways: a path costs the sum of its route") {
    const platform p = halves(4);
    simgrid_ways ways(p);
    for (rank_t a = 0; a < 16; ++a) {
        for (rank_t b = 0; b < 16; ++b) {
            link_route route;
            if (a != b) p.find_route(a, b, route);
            lob_model::link_cost sum;
            for (const std::int32_t i : route) sum = in_series(sum, p.links[static_cast<std::size_t>(i)].cost);
            CHECK(ways.way(a, b) == sum);
        }
    }
}

TEST_CASE("simgrid_ways: routes of hundreds of links, between all hosts, take no longer than short ones") {
    const platform p = halves(9);
    simgrid_ways ways(p);
    bool is_right = true;
    for (rank_t a = 0; a < 512; ++a)
        for (rank_t b = 0; b < 512; ++b)
            is_right = is_right && ways.way(a, b) == (a == b  ? lob_model::link_cost{}
                                                      : a < b ? lob_model::link_cost{b - a, 5}
                                                              : lob_model::link_cost{a - b, 6});
    CHECK(is_right);
}

TEST_CASE("simgrid_ways: a route has at most 1024 links") {
    const platform p = halves(12);
    simgrid_ways ways(p);
    CHECK(ways.way(0, 1024).latency_ps == 1024);
    CHECK_THROWS_WITH_AS(ways.way(0, 1025), "f:1: got 1025 links from \"h0\" to \"h1025\", expected at most 1024",
                         input_error);
    CHECK_THROWS_WITH_AS(ways.way(0, 4095), "f:1: got 4095 links from \"h0\" to \"h4095\", expected at most 1024",
                         input_error);
}
