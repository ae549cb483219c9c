#include "collsched/format/clusters/detail/simgrid_routes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace collsched;
using namespace collsched::detail;

namespace {

using routing = simgrid_platform::routing;

/// Two zones in a third, routers in all of them, some links; and the routes that the text puts in one of the zones.
struct world {
    explicit world(std::string_view text) : file{"f", "<e>" + std::string(text) + "</e>"} {
        platform.zones = {{.id = "top"},
                          {.id = "left", .parent = 0, .level = 1},
                          {.id = "right", .parent = 0, .level = 1, .routing = routing::star}};
        platform.points = {{.name = "a", .zone = 1},
                           {.name = "b", .zone = 1},
                           {.name = "c", .zone = 2, .linked = true},
                           {.name = "d", .zone = 2}};
        platform.zone_names = {{"top", 0}, {"left", 1}, {"right", 2}};
        platform.point_names = {{"a", 0}, {"b", 1}, {"c", 2}, {"d", 3}};
        for (const lob_model::link_cost& one : {lob_model::link_cost{1, 5}, {10, 7}, {100, 1}, {1000, 1}})
            platform.add_link({{one}});
        platform.link_names = {{"x", 0}, {"y", 1}, {"z_UP", 2}, {"z_DOWN", 3}};
        platform.other_way = {{2, 3}, {3, 2}};
    }
    simgrid_routes read(rank_t z) {
        const xml_file xml(file);
        const simgrid_elements elements(file, xml);
        simgrid_routes routes(xml, elements, platform);
        for (const pugi::xml_node node : xml.root("e").children()) routes.read(node, z);
        return routes;
    }
    const simgrid_platform::route* route(rank_t z, rank_t from, rank_t to) const {
        const auto& routes = platform.zone_at(z).routes;
        const auto found = routes.find(simgrid_platform::pair_key(from, to));
        return found == routes.end() ? nullptr : &found->second;
    }

    text_file file;
    simgrid_platform platform{file};
};

void refused(rank_t z, std::string_view text, std::string_view line) {
    world w(text);
    CHECK_THROWS_WITH_AS(w.read(z), ("f:" + std::string(line)).c_str(), input_error);
}

const std::string x = "<link_ctn id='x'/>";

}  // namespace

TEST_CASE("simgrid_routes: a route holds for both directions unless declared otherwise") {
    world both("<route src='a' dst='b'>" + x + "<link_ctn id='y'/></route>");
    both.read(1);
    REQUIRE(both.route(1, 0, 1) != nullptr);
    REQUIRE(both.route(1, 1, 0) != nullptr);
    CHECK(both.route(1, 0, 1)->links == link_route{0, 1});
    CHECK(both.route(1, 1, 0)->links == link_route{1, 0});
    world one("<route src='a' dst='b' symmetrical='NO'>" + x + "</route>");
    one.read(1);
    CHECK(one.route(1, 0, 1) != nullptr);
    CHECK(one.route(1, 1, 0) == nullptr);
    world loop("<route src='a' dst='a'>" + x + "</route>");
    loop.read(1);
    CHECK(loop.route(1, 0, 0)->links == link_route{0});
}

TEST_CASE("simgrid_routes: split links have directions") {
    world w(
        "<route src='a' dst='b'><link_ctn id='z' direction='UP'/><link_ctn id='z_DOWN'/>"
        "<link_ctn id='x' direction='NONE'/></route>");
    w.read(1);
    CHECK(w.route(1, 0, 1)->links == link_route{2, 3, 0});
    CHECK(w.route(1, 1, 0)->links == link_route{0, 3, 3});  // links named without a direction stay
}

TEST_CASE("simgrid_routes: routes between zones have gateways, which change places on the way back") {
    for (const std::string name : {"zoneRoute", "ASroute"}) {
        world w("<" + name + " src='left' dst='right' gw_src='b' gw_dst='d'>" + x + "</" + name + ">");
        CHECK(w.read(0).gateway_zones.empty());
        REQUIRE(w.route(0, 1, 2) != nullptr);
        CHECK(w.route(0, 1, 2)->from_gateway == 1);
        CHECK(w.route(0, 1, 2)->to_gateway == 3);
        CHECK(w.route(0, 2, 1)->from_gateway == 3);
        CHECK(w.route(0, 2, 1)->to_gateway == 1);
    }
    world host("<zoneRoute src='left' dst='right' gw_src='b' gw_dst='c'>" + x + "</zoneRoute>");
    CHECK(host.read(0).gateway_zones.contains(2));
}

TEST_CASE("simgrid_routes: hosts of a star have links of their own") {
    world w("<host_link id='d' up='z_UP' down='z_DOWN'/>");
    w.read(2);
    CHECK(w.platform.point_at(3).linked);
    CHECK(w.platform.point_at(3).up == 2);
    CHECK(w.platform.point_at(3).down == 3);
    refused(2, "<host_link id='c' up='x' down='y'/>", "1: got a second link of \"c\", expected one");
    refused(2, "<host_link id='a' up='x' down='y'/>", "1: id: got \"a\", expected a host or router of this zone");
    refused(2, "<host_link id='d' up='x'/>", "1: got <host_link> without down, expected down=\"...\"");
    world shared("<host_link id='d' up='x' down='x'/><host_link id='c' up='x' down='y'/>");
    shared.platform.point_at(2).linked = false;
    shared.read(2);
    link_route found;
    shared.platform.find_route(3, 2, found);
    CHECK(found == link_route{0, 1});
    found.clear();
    shared.platform.find_route(2, 3, found);
    CHECK(found == link_route{0});  // a link that hosts share counts once
}

TEST_CASE("simgrid_routes: wrong routes are rejected with their line") {
    const std::string link = ", expected the id of a <link>, with a direction if its sharing_policy is SPLITDUPLEX";
    refused(1, "<route src='a' dst='b'>\n<link_ctn id='q'/></route>", "2: id: got \"q\"" + link);
    refused(1, "<route src='a' dst='b'>\n<link_ctn id='z'/></route>", "2: id: got \"z\"" + link);
    refused(1, "<route src='a' dst='b'>\n<link_ctn id='x' direction='UP'/></route>", "2: id: got \"x\"" + link);
    refused(1, "<route src='a' dst='b'/>", "1: got <route> without links, expected <link_ctn id=\"...\"/>");
    refused(1, "<route src='a' dst='b'><link id='x'/></route>", "1: got <link> in <route>, expected <link_ctn>");
    refused(1, "<route src='a'\n dst='c'>" + x + "</route>",
            "2: dst: got \"c\", expected a host or router of this zone");
    refused(1, "<route src='q' dst='b'>" + x + "</route>", "1: src: got \"q\", expected a host or router of this zone");
    refused(1, "<route src='a' dst='b'>" + x + "</route>\n<route src='b' dst='a'>" + x + "</route>",
            "2: got a second route between the two, expected one, which holds for both directions");
    refused(1, "<route src='a' dst='b' gw_src='a'>" + x + "</route>",
            "1: got gw_src of <route>, expected src, dst, symmetrical");
    refused(
        2, "<route src='c' dst='d'>" + x + "</route>",
        "1: got <route> in <e>, expected routing Full, Floyd or Dijkstra with it, or a route from a host to itself");
    refused(0, "<zoneRoute src='left' dst='right' gw_src='c' gw_dst='d'>" + x + "</zoneRoute>",
            "1: gw_src: got \"c\", expected a host or router in \"left\"");
    refused(0, "<zoneRoute src='left' dst='top' gw_src='a' gw_dst='d'>" + x + "</zoneRoute>",
            "1: dst: got \"top\", expected a zone directly in this one");
    refused(2, "<zoneRoute src='left' dst='right' gw_src='b' gw_dst='d'>" + x + "</zoneRoute>",
            "1: got <zoneRoute> in <e>, expected routing Full, Floyd or Dijkstra with it");
    refused(0, "<include/>",
            "1: got <include> in <e>, expected zones, clusters, cabinets, hosts, peers, routers, links, routes, "
            "bypasses, profiles");
    std::string long_route;
    for (int i = 0; i < 1025; ++i) long_route += x;
    refused(1, "<route src='a' dst='b'>" + long_route + "</route>",
            "1: got a link more, expected at most 1024 on a route");
    refused(1, "<route src='a' dst='b'><link_ctn id='z_UP' direction='UP'/></route>", "1: id: got \"z_UP\"" + link);
}

TEST_CASE("simgrid_routes: bypasses are read for one direction") {
    world w("<bypassRoute src='a' dst='b'>" + x + "</bypassRoute>");
    w.read(1);
    CHECK(w.platform.zone_at(1).bypasses.at(simgrid_platform::pair_key(0, 1)).links == link_route{0});
    CHECK(w.platform.zone_at(1).bypasses.size() == 1);
    for (const std::string name : {"bypassZoneRoute", "bypassASroute"}) {
        world zones("<" + name + " src='left' dst='right' gw_src='a' gw_dst='c'>" + x + "</" + name + ">");
        CHECK(zones.read(0).gateway_zones.contains(2));
        const simgrid_platform::route& found =
            zones.platform.zone_at(0).zone_bypasses.at(simgrid_platform::pair_key(1, 2));
        CHECK(found.links == link_route{0});
        CHECK(found.from_gateway == 0);
        CHECK(found.to_gateway == 2);
    }
    world star("<bypassRoute src='c' dst='d'>" + x + "</bypassRoute>");
    CHECK(star.read(2).gateway_zones.contains(2));
    refused(
        1, "<bypassRoute src='a' dst='b'>" + x + "</bypassRoute>\n<bypassRoute src='a' dst='b'>" + x + "</bypassRoute>",
        "2: got a second bypass between the two, expected one for each direction");
    refused(1, "<bypassRoute src='a' dst='b'/>", "1: got <bypassRoute> without links, expected <link_ctn id=\"...\"/>");
    refused(1, "<bypassRoute src='a' dst='c'>" + x + "</bypassRoute>",
            "1: dst: got \"c\", expected a host or router of this zone");
    refused(0, "<bypassZoneRoute src='left' dst='top' gw_src='a' gw_dst='c'>" + x + "</bypassZoneRoute>",
            "1: dst: got \"top\", expected a zone in this one");
    refused(1, "<bypassZoneRoute src='left' dst='right' gw_src='a' gw_dst='c'>" + x + "</bypassZoneRoute>",
            "1: src: got \"left\", expected a zone in this one");
    refused(0, "<bypassZoneRoute src='left' dst='right' gw_src='c' gw_dst='c'>" + x + "</bypassZoneRoute>",
            "1: gw_src: got \"c\", expected a host or router in \"left\"");
}

TEST_CASE("simgrid_routes: paths are found in zones with routing Floyd or Dijkstra") {
    for (const routing how : {routing::floyd, routing::dijkstra}) {
        world w("<route src='a' dst='b'>" + x + "</route>");
        w.platform.zone_at(1).routing = how;
        w.read(1).find_paths();
        link_route found;
        w.platform.find_route(1, 0, found);
        CHECK(found == link_route{0});
    }
    world wide("");
    wide.platform.zone_at(1).routing = routing::floyd;
    wide.platform.points.insert(wide.platform.points.end(), 4096, {.name = "p", .zone = 1});
    CHECK_THROWS_AS(wide.read(1).find_paths(), input_error);
}
