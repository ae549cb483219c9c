
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "collsched/format/clusters/read_cluster.hpp"
#include "collsched/topology/networks.hpp"
#include "support/refusal.hpp"

using namespace collsched;
using collsched::detail::link_route;

namespace {

cluster read(const std::string& name, const cluster::defaults& defaults = {}) {
    return read_cluster(std::filesystem::path("test/data/networks/" + name), defaults);
}
const text_file file{"dir/net.json", ""};

}  // namespace

TEST_CASE("network_cluster: nodes are below the switch of their first link") {
    const cluster c = read("two_boxes.json", {.overhead_us = 2});
    CHECK(c.name == "two_boxes");
    CHECK(c.names == std::vector<std::string>{"b0.r0", "b0.r1", "b1.r0", "b1.r1"});
    CHECK(c.switch_names == std::vector<std::string>{"two_boxes", "b0.switch", "b1.switch"});
    CHECK(c.cost.switches().common_switch(0, 1) == 1);
    CHECK(c.cost.switches().common_switch(1, 2) == 0);
    CHECK(c.cost.overhead(3) == 2'000'000);
}

TEST_CASE("network_cluster: costs are those of a shortest path") {
    const cluster c = read("two_boxes.json");
    CHECK(c.cost.latency(0, 1) == c.links.cost(c.links.route(0, 1)).latency_ps);
    CHECK(c.cost.latency(0, 2) == 1'700'000);  // over two interfaces and the spine
    CHECK(c.cost.byte_fs(0, 2) == 40'000);     // 25 GB/s
    for (const std::int32_t link : c.links.route(0, 2)) CHECK(c.links[link].shared);
    CHECK(c.links.route(0, 2).size() == 4);
    CHECK(c.links.route(2, 2).empty());
}

TEST_CASE("network_cluster: parallel links are taken in turns, and ranks forward where no switch does") {
    const cluster fabric = read("two_leaves.ibnet", {.latency_us = 0.5});
    CHECK(fabric.names == std::vector<std::string>{"node3 HCA-1", "node2 HCA-1", "node1 HCA-1"});
    CHECK(fabric.cost.latency(0, 1) == 1'500'000);
    CHECK(fabric.links.route(0, 1)[1] != fabric.links.route(0, 2)[1]);
    const cluster mesh = read("mesh_3x2.json");
    CHECK(mesh.cost.switches().switches() == 1);
    CHECK(mesh.links.route(0, 5).size() == 3);
}

TEST_CASE("network_cluster: networks without a path between two ranks, or with too many ranks, are rejected") {
    const auto refusal = [](const topology::network& net) {
        return support::refusal_of([&] { detail::network_cluster(file, net).read({}); });
    };
    const topology::network::link link[] = {{0, 1, 1, 0}};
    const char* const names[] = {"a", "b"};
    CHECK(refusal(topology::network(2, 0, link, names)) ==
          "dir/net.json:1: got no path from \"b\" to \"a\", expected links that join all ranks");
    CHECK(refusal(topology::networks::ring(2049, {})) ==
          "dir/net.json:1: got 2049 ranks, expected at most 2048 of a network with routes between all");
}
