#include "collsched/format/clusters/detail/simgrid_builder.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace collsched;
using namespace collsched::detail;

namespace {

const text_file file{"f", "<e id='a'>\n<b id='b'/>\n<c id='a'/></e>"};

struct world {
    simgrid_builder into{file, 7};
    pugi::xml_node root = into.xml.root("e"), second = root.child("b"), same = root.child("c");
};

}  // namespace

TEST_CASE("simgrid_builder: a zone becomes a switch with its first host, and those around it too") {
    world w;
    CHECK(w.into.add_zone(w.root, -1, simgrid_platform::routing::full) == 0);
    CHECK(w.into.add_zone(w.second, 0, simgrid_platform::routing::none) == 1);
    CHECK(w.into.platform.zone_at(1).level == 1);
    CHECK(w.into.platform.zone_at(1).line == 2);
    CHECK(w.into.switch_of(1) == 1);
    CHECK(w.into.switch_of(0) == 0);
    CHECK(w.into.builder.switch_name(1) == "b");
    w.into.add_host(w.second, 1, {.name = "h", .zone = 1}, 0);
    CHECK(w.into.point_of == std::vector<rank_t>{0});
    CHECK(w.into.like == std::vector<rank_t>{0});
    CHECK(w.into.builder.nodes() == 1);
}

TEST_CASE("simgrid_builder: zones, hosts and routers share one namespace") {
    world w;
    w.into.add_zone(w.root, -1, simgrid_platform::routing::full);
    const std::string refused = "f:3: got \"a\" twice, expected every zone, host and router once";
    CHECK_THROWS_WITH_AS(w.into.add_zone(w.same, 0, simgrid_platform::routing::full), refused.c_str(), input_error);
    CHECK_THROWS_WITH_AS(w.into.add_point(w.same, {.name = "a", .zone = 0}), refused.c_str(), input_error);
}

TEST_CASE("simgrid_builder: at most 2^24 links without a name are accepted") {
    world w;
    CHECK(w.into.add_links(w.root, 5, {{{1, 2}}}) == 0);
    CHECK(w.into.add_links(w.root, 0, {}) == 5);
    CHECK(w.into.platform.links.size() == 5);
    CHECK_THROWS_WITH_AS(
        w.into.add_links(w.root, (std::size_t{1} << 24) - 4, {}),
        "f:1: got too many links, expected at most 2^24 of topologies and Vivaldi zones, counted each way",
        input_error);
}
