#include "collsched/format/clusters/detail/simgrid_builder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

/// One cluster, with hosts 0-11 unless `more` gives others.
struct world {
    explicit world(std::string_view more, std::string_view radical = "0-11")
        : file{"f", "<cluster id='c' prefix='h' suffix='' radical='" + std::string(radical) +
                        "' speed='1f' bw='125MBps' lat='50us' " + std::string(more) + "/>"} {
        simgrid_clusters(into).read_cluster(into.xml.root("cluster"), -1);
    }
    link_route route(rank_t from, rank_t to) const {
        link_route found;
        into.platform.find_route(from, to, found);
        return found;
    }
    text_file file;
    simgrid_builder into{file, 0};
};
void refused(std::string_view more, std::string_view line) {
    CHECK_THROWS_WITH_AS(world{more}, ("f:" + std::string(line)).c_str(), input_error);
}

}  // namespace

TEST_CASE("simgrid_clusters: hosts of tori and dragonflies are all different, those of trees and stars are alike") {
    CHECK(world("").into.like == std::vector<rank_t>{0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2});
    const std::vector<rank_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    CHECK(world("topology='TORUS' topo_parameters='3,4'").into.like == all);
    CHECK(world("topology='DRAGONFLY' topo_parameters='1,1;2,1;3,1;2'").into.like == all);
}

TEST_CASE("simgrid_clusters: a dragonfly's groups, chassis and routers are switches, a torus is one switch") {
    const world fly("topology='DRAGONFLY' topo_parameters='1,1;2,1;3,1;2'");
    CHECK(fly.into.builder.parents().size() == 1 + 2 + 6);
    const world torus("topology='TORUS' topo_parameters='3,4'");
    CHECK(torus.into.builder.parents().empty());
}

TEST_CASE("simgrid_clusters: limiters are at every vertex of a topology, loopbacks at every host") {
    const world torus("topology='TORUS' topo_parameters='3,4' limiter_link='1MBps' loopback_bw='2MBps'");
    CHECK(torus.into.platform.links.size() == 12 * 2 * 2 + 12 + 12);
    CHECK(torus.route(0, 1).size() == 3);
    CHECK(torus.route(0, 7).size() == 2 * 3 + 1);
    const link_route loopback = torus.route(3, 3);
    REQUIRE(loopback.size() == 1);
    CHECK(torus.into.platform.links[static_cast<std::size_t>(loopback[0])] ==
          contention_model::network::link{{0, 500'000'000}, false});
    const world star("limiter_link='1MBps'");
    CHECK(star.route(1, 2).size() == 4);  // point 0 is the router
    CHECK(star.route(1, 1).size() == 3);
    const world tree("topology='FAT_TREE' topo_parameters='2;4,3;1,2;1,1' limiter_link='1MBps'");
    CHECK(tree.route(0, 5).size() == 4 + 5);
    CHECK(world("topology='TORUS' topo_parameters='3,4'").route(2, 2).empty());
}

TEST_CASE("simgrid_clusters: a shared cable is one link in both directions") {
    const world both("topology='TORUS' topo_parameters='12' sharing_policy='SHARED'");
    CHECK(both.into.platform.links.size() == 12);
    CHECK(both.route(0, 1) == both.route(1, 0));
    const world split("topology='TORUS' topo_parameters='12'");
    CHECK(split.into.platform.links.size() == 24);
    CHECK(split.route(0, 1) != split.route(1, 0));
}

TEST_CASE("simgrid_clusters: cables of a dragonfly have their widths") {
    const world fly("topology='DRAGONFLY' topo_parameters='1,1;2,5;3,4;2'");
    const auto rate = [&](rank_t from, rank_t to, std::size_t i) {
        return fly.into.platform.links[static_cast<std::size_t>(fly.route(from, to)[i])].cost.byte_fs;
    };
    CHECK(rate(0, 2, 0) == 8'000'000);
    CHECK(rate(0, 2, 1) == 2'000'000);
    CHECK(rate(2, 0, 1) == 2'000'000);
    CHECK(rate(0, 6, 1) == 1'600'000);
}

TEST_CASE("simgrid_clusters: unlimited sizes are rejected before memory is allocated") {
    refused("topology='TORUS' topo_parameters='1000000,1000000'",
            "1: topo_parameters: got \"1000000,1000000\", expected N,N,... with 16 dimensions at most and a product "
            "that is the number of hosts, 12");
    refused("topology='TORUS'", "1: got <cluster> without topo_parameters, expected topo_parameters=\"...\"");
    refused("topology='RING'", "1: topology: got \"RING\", expected FLAT, FAT_TREE, TORUS, DRAGONFLY");
    CHECK_THROWS_AS(world("", "0-1000000000"), input_error);
    CHECK_THROWS_WITH_AS(
        world("topology='TORUS' topo_parameters='1048576,1,1,1,1,1,1,1,1,1'", "0-1048575"),
        "f:1: got too many links, expected at most 2^24 of topologies and Vivaldi zones, counted each way",
        input_error);
    CHECK_THROWS_WITH_AS(
        world("topology='DRAGONFLY' topo_parameters='1,1;1,1;20000,1;1'", "0-19999"),
        "f:1: got too many links, expected at most 2^24 of topologies and Vivaldi zones, counted each way",
        input_error);
}
