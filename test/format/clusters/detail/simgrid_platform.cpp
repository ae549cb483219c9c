#include "collsched/format/clusters/detail/simgrid_platform.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/format/clusters/detail/simgrid_cluster.hpp"
#include "support/cable_network.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using platform = simgrid_platform;
const text_file file{"f", ""};

void add_route(platform& p, rank_t z, rank_t from, rank_t to, lob_model::link_cost way, rank_t out = -1,
               rank_t in = -1) {
    p.zone_at(z).routes[platform::pair_key(from, to)] = {{p.add_link({{way}})}, out, in};
}
link_route route(const platform& p, rank_t from, rank_t to) {
    link_route found;
    p.find_route(from, to, found);
    return found;
}
lob_model::link_cost way(const platform& p, rank_t from, rank_t to) { return simgrid_ways(p).way(from, to); }

}  // namespace

TEST_CASE("simgrid_platform: in a star the backbone is passed once, and from router to router not at all") {
    platform p{file};
    for (const lob_model::link_cost& one : {lob_model::link_cost{100, 7}, {1, 5}, {2, 6}, {10, 8}, {20, 3}, {0, 9}})
        p.add_link({{one}});
    p.zones.push_back({.id = "z", .routing = platform::routing::star, .backbone = 0});
    p.points = {{.name = "a", .zone = 0, .linked = true, .up = 1, .down = 2},
                {.name = "b", .zone = 0, .linked = true, .up = 3, .down = 4},
                {.name = "r", .zone = 0},
                {.name = "s", .zone = 0}};
    CHECK(way(p, 0, 1) == lob_model::link_cost{121, 7});
    CHECK(way(p, 1, 0) == lob_model::link_cost{112, 8});
    CHECK(way(p, 0, 2) == lob_model::link_cost{101, 7});
    CHECK(way(p, 2, 1) == lob_model::link_cost{120, 7});
    CHECK(way(p, 2, 3) == lob_model::link_cost{});
    CHECK(way(p, 0, 0) == lob_model::link_cost{});
    CHECK(route(p, 0, 1) == link_route{1, 0, 4});
    CHECK(route(p, 2, 1) == link_route{0, 4});
    p.points[0].limiter = 5;
    CHECK(route(p, 0, 1) == link_route{5, 1, 0, 4});
    CHECK(route(p, 1, 0) == link_route{3, 0, 2, 5});
    CHECK(way(p, 1, 0) == lob_model::link_cost{112, 9});
}

TEST_CASE("simgrid_platform: in a fat tree a message climbs no higher than it must") {
    platform p{file};
    const std::vector<rank_t> down{2, 3, 2}, up{1, 2, 2}, cables{1, 1, 1};
    const fat_tree_cables shape(down, up, cables);
    p.zones.push_back({.id = "z", .routing = platform::routing::topology, .shape = shape, .first_cable = 0});
    p.links.assign(static_cast<std::size_t>(2 * shape.cables()), {{10, 4}});
    for (rank_t i = 0; i < 12; ++i) p.points.push_back({.name = "h", .zone = 0, .position = i, .linked = true});
    CHECK(way(p, 0, 1) == lob_model::link_cost{20, 4});
    CHECK(way(p, 1, 2) == lob_model::link_cost{40, 4});
    CHECK(way(p, 0, 5) == lob_model::link_cost{40, 4});
    CHECK(way(p, 5, 6) == lob_model::link_cost{60, 4});
    CHECK(way(p, 11, 0) == lob_model::link_cost{60, 4});
    const contention_model::network same = support::cable_network(shape, {10, 4});
    for (rank_t a = 0; a < 12; ++a)
        for (rank_t b = 0; b < 12; ++b)
            if (a != b) CHECK(route(p, a, b) == same.route(a, b));
    p.zone_at(0).two_ways = false;
    CHECK(route(p, 0, 1) == link_route{0, 1});
}

TEST_CASE("simgrid_platform: between zones a route passes gateways of any kind") {
    platform p{file};
    p.zones = {{.id = "top"},
               {.id = "left", .parent = 0, .level = 1},
               {.id = "right", .parent = 0, .level = 1, .routing = platform::routing::none},
               {.id = "inner", .line = 4, .parent = 1, .level = 2},
               {.id = "other", .parent = 1, .level = 2, .routing = platform::routing::none}};
    p.points = {{.name = "a", .zone = 3}, {.name = "b", .zone = 3}, {.name = "c", .zone = 4}, {.name = "d", .zone = 2}};
    add_route(p, 3, 0, 1, {1, 1});
    add_route(p, 1, 3, 4, {10, 2}, 1, 2);
    add_route(p, 0, 1, 2, {100, 3}, 2, 3);
    CHECK(way(p, 0, 1) == lob_model::link_cost{1, 1});
    CHECK(way(p, 0, 2) == lob_model::link_cost{11, 2});
    CHECK(way(p, 1, 2) == lob_model::link_cost{10, 2});
    CHECK(way(p, 0, 3) == lob_model::link_cost{111, 3});
    CHECK(way(p, 2, 3) == lob_model::link_cost{100, 3});
    CHECK_THROWS_WITH_AS(way(p, 1, 0),
                         "f:4: got no route from \"b\" to \"a\" in \"inner\", expected routes between all hosts",
                         input_error);
    CHECK_THROWS_WITH_AS(
        way(p, 3, 0), "f: got no route from \"d\" to \"a\" in \"top\", expected routes between all hosts", input_error);
}

TEST_CASE("simgrid_platform: a point has no route to a point in a zone beside its own") {
    platform p{file};
    p.zones = {{.id = "top"}, {.id = "in", .parent = 0, .level = 1}, {.id = "deep", .parent = 1, .level = 2}};
    p.points = {{.name = "a", .zone = 0}, {.name = "b", .zone = 2}};
    CHECK_THROWS_AS(way(p, 0, 1), input_error);
    CHECK_THROWS_AS(way(p, 1, 0), input_error);
}

namespace {

/// Zones left and right in the top one, of two zones each with one host.
platform four_corners() {
    platform p{file};
    p.zones = {{.id = "top"}};
    for (const rank_t half : {0, 1}) {
        const auto z = static_cast<rank_t>(p.zones.size());
        p.zones.push_back({.id = half == 0 ? "left" : "right", .parent = 0, .level = 1});
        for (const rank_t i : {0, 1}) {
            p.points.push_back({.name = std::to_string(2 * half + i), .zone = static_cast<rank_t>(p.zones.size())});
            p.zones.push_back({.id = "z", .parent = z, .level = 2});
        }
        add_route(p, z, z + 1, z + 2, {1, 1}, 2 * half, 2 * half + 1);
    }
    add_route(p, 0, 1, 4, {100, 1}, 1, 2);
    return p;
}
void add_bypass(platform& p, rank_t from, rank_t to, lob_model::link_cost cost, rank_t out, rank_t in) {
    p.zone_at(0).zone_bypasses[platform::pair_key(from, to)] = {{p.add_link({{cost}})}, out, in};
}

}  // namespace

TEST_CASE("simgrid_platform: the bypass between the zones nearest to both ends applies") {
    platform p = four_corners();
    CHECK(way(p, 0, 3) == lob_model::link_cost{102, 1});
    add_bypass(p, 1, 4, {50, 1}, 1, 2);
    CHECK(way(p, 0, 3) == lob_model::link_cost{52, 1});
    CHECK(way(p, 1, 2) == lob_model::link_cost{50, 1});  // from gateway to gateway: in no zone with a loopback
    add_bypass(p, 1, 6, {30, 1}, 1, 3);
    CHECK(way(p, 0, 3) == lob_model::link_cost{31, 1});
    CHECK(way(p, 0, 2) == lob_model::link_cost{51, 1});
    add_bypass(p, 2, 4, {20, 1}, 0, 2);
    CHECK(way(p, 0, 3) == lob_model::link_cost{
                              21, 1});  // (the first zone of the sender, the second of the receiver) before the reverse
    add_bypass(p, 2, 6, {10, 1}, 0, 3);
    CHECK(way(p, 0, 3) == lob_model::link_cost{10, 1});
    CHECK(way(p, 1, 3) == lob_model::link_cost{30, 1});
}

TEST_CASE("simgrid_platform: a message passes the loopback if a bypass begins at its own gateway") {
    platform p = four_corners();
    add_bypass(p, 2, 6, {10, 1}, 0, 3);
    p.loopback = p.add_link({{{5, 2}}});
    CHECK(way(p, 0, 3) == lob_model::link_cost{20, 2});
    CHECK(way(p, 0, 0) == lob_model::link_cost{});
    CHECK(route(p, 0, 0) == link_route{p.loopback});
    add_route(p, 2, 0, 0, {7, 1});
    CHECK(way(p, 0, 3) == lob_model::link_cost{22, 2});
    p.zone_at(2).routing = platform::routing::none;
    p.zone_at(6).routing = platform::routing::none;
    p.zone_at(2).routes.clear();
    CHECK(way(p, 0, 3) == lob_model::link_cost{10, 1});
}

TEST_CASE("simgrid_platform: a bypass between points of a zone holds for one direction") {
    platform p{file};
    p.zones = {{.id = "z"}};
    p.points = {{.name = "a", .zone = 0}, {.name = "b", .zone = 0}};
    add_route(p, 0, 0, 1, {1, 1});
    add_route(p, 0, 1, 0, {2, 1});
    p.zone_at(0).bypasses[platform::pair_key(0, 1)] = {{p.add_link({{{3, 1}}})}};
    CHECK(way(p, 0, 1) == lob_model::link_cost{3, 1});
    CHECK(way(p, 1, 0) == lob_model::link_cost{2, 1});
}

TEST_CASE("simgrid_platform: a path over several zones goes through each from gateway to gateway") {
    platform p{file};
    p.zones = {{.id = "top", .routing = platform::routing::floyd},
               {.id = "a", .parent = 0, .level = 1},
               {.id = "b", .parent = 0, .level = 1},
               {.id = "c", .parent = 0, .level = 1}};
    p.points = {
        {.name = "a", .zone = 1}, {.name = "b1", .zone = 2}, {.name = "b2", .zone = 2}, {.name = "c", .zone = 3}};
    add_route(p, 0, 1, 2, {1, 1}, 0, 1);
    add_route(p, 0, 2, 3, {10, 1}, 2, 3);
    add_route(p, 2, 1, 2, {100, 9});
    p.zone_at(0).graph.emplace(std::vector<rank_t>{1, 2, 3}, std::vector<simgrid_graph::edge>{{1, 2, 1}, {2, 3, 1}},
                               simgrid_graph::method::floyd);
    CHECK(way(p, 0, 3) == lob_model::link_cost{111, 9});
    CHECK(way(p, 0, 1) == lob_model::link_cost{1, 1});
    CHECK_THROWS_WITH_AS(
        way(p, 3, 0), "f: got no route from \"c\" to \"a\" in \"top\", expected routes between all hosts", input_error);
}
