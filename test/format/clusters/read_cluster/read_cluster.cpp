#include "collsched/format/clusters/read_cluster.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

using namespace collsched;

namespace {

constexpr cluster::defaults rates{
    .overhead_us = 8, .latency_us = 24, .bandwidth_MBps = 125, .uplink_latency_us = 12, .uplink_bandwidth_MBps = 1250};

cluster read(const std::string& name, const cluster::defaults& defaults = {}) {
    return read_cluster(std::filesystem::path("test/data/clusters/" + name), defaults);
}
void refused(const std::string& name, const std::string& line) {
    CHECK_THROWS_WITH_AS(read(name), ("test/data/clusters/" + name + line).c_str(), input_error);
}
std::pair<double, std::int64_t> path(const cluster& c, std::string_view a, std::string_view b) {
    const rank_t i = c.find(a).value(), j = c.find(b).value();
    return {static_cast<double>(c.cost.latency(i, j)) / 1e6, c.cost.byte_fs(i, j)};
}
using us_fs = std::pair<double, std::int64_t>;

/// The links of all routes as test/simgrid/routes.cpp prints those of SimGrid.
std::vector<std::string> links_of(const cluster& c) {
    std::vector<std::pair<std::string, rank_t>> hosts;
    for (std::size_t i = 0; i < c.names.size(); ++i) hosts.emplace_back(c.names[i], static_cast<rank_t>(i));
    std::sort(hosts.begin(), hosts.end());
    std::map<std::int32_t, std::string> lines;
    for (const auto& [from, i] : hosts) {
        for (const auto& [to, j] : hosts) {
            for (const std::int32_t l : c.links.route(i, j)) {
                const contention_model::network::link& link = c.links[l];
                const std::string costs =
                    fmt::format("{} {} {}", link.cost.latency_ps, link.cost.byte_fs, link.shared ? 1 : 0);
                lines.try_emplace(l, costs).first->second += fmt::format(" {}>{}", from, to);
            }
        }
    }
    std::vector<std::string> sorted;
    for (const auto& [l, line] : lines) sorted.push_back(line);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace

TEST_CASE("read_cluster: one cluster in three languages") {
    const std::vector<cluster> all{read("griffon_like.json"), read("griffon_like.conf", rates),
                                   read("griffon_like.xml", rates)};
    for (const cluster& c : all) {
        CHECK(c.cost.switches().check() == argument_error{});
        CHECK(c.cost.check() == argument_error{});
        CHECK(c.switch_names == std::vector<std::string>{"nancy", "cabinet1", "cabinet2", "cabinet3"});
        CHECK(path(c, "griffon-1", "griffon-58") == us_fs{48, 8'000'000});
        CHECK(path(c, "griffon-30", "griffon-92") == us_fs{72, 8'000'000});
        CHECK(c.names == all[0].names);
        CHECK(c.cost.switches() == all[0].cost.switches());
        for (rank_t i = 0; i < 92; ++i) {
            CHECK(c.cost.overhead(i) == 8'000'000);
            for (rank_t j = 0; j < 92; ++j) {
                REQUIRE(c.cost.latency(i, j) == all[0].cost.latency(i, j));
                REQUIRE(c.cost.byte_fs(i, j) == all[0].cost.byte_fs(i, j));
            }
        }
    }
}

TEST_CASE("read_cluster: the other examples are read") {
    const cluster sites = read("two_sites.json");
    CHECK(path(sites, "a0", "b1") == us_fs{755, 80'000'000});
    CHECK(path(sites, "b0", "b1") == us_fs{2, 20'000'000});
    const cluster matrices = read("matrices.json");
    CHECK(matrices.name == "matrices");
    CHECK(path(matrices, "z", "y") == us_fs{31, 12'500'000});
    const cluster fat = read("fat_tree.xml");
    CHECK(path(fat, "n0", "n3") == us_fs{100, 8'000'000});
    CHECK(path(fat, "n3", "n4") == us_fs{200, 8'000'000});
    CHECK(fat.switch_names == std::vector<std::string>{"world", "tree", "tree/0", "tree/1"});
    const cluster cabinets = read("cabinets.xml");
    CHECK(path(cabinets, "l1.0", "l2.0") == us_fs{700, 8'000'000});
    CHECK(path(cabinets, "l1.1", "l2.1") == us_fs{520, 5'000'000});
    CHECK(path(cabinets, "l1.0", "l1.1") == us_fs{610, 8'000'000});
    CHECK(path(cabinets, "r1.0", "r3.0") == us_fs{200, 8'000'000});
    CHECK(path(cabinets, "l1.1", "r3.0") == us_fs{1610, 100'000'000});
}

TEST_CASE("read_cluster: routes through tori, dragonflies and fat trees have the links of SimGrid") {
    for (const std::string name : {"dragonfly_split", "dragonfly_shared", "dragonfly_fatpipe", "dragonfly_limited",
                                   "torus_split", "torus_shared", "torus_limited", "fat_tree", "joined"}) {
        const std::string platform = "simgrid/routes_" + name;
        std::ifstream file("test/data/clusters/" + platform + ".txt");
        std::vector<std::string> expected;
        for (std::string line; std::getline(file, line);) expected.push_back(line);
        const std::vector<std::string> found = links_of(read(platform + ".xml"));
        CHECK_MESSAGE(found.size() >= 20, name);
        REQUIRE_MESSAGE(found.size() == expected.size(), name);
        const auto [here, simgrid] = std::mismatch(found.begin(), found.end(), expected.begin());
        if (here != found.end()) FAIL_CHECK(name << ": got " << *here << ", expected " << *simgrid);
    }
}

TEST_CASE("read_cluster: Slurm's trees, blocks, topologies and included files") {
    using names = std::vector<std::string>;
    const cluster fabric = read("leaf_spine.conf", rates);
    CHECK(fabric.switch_names == names{"core", "spine1", "spine2", "leaf1", "leaf2", "leaf3"});
    CHECK(fabric.names == names{"rack0n01", "rack0n02", "rack1n01", "rack1n02", "gpu8", "gpu9", "gpu10", "login",
                                "cn098", "cn099", "cn100", "cn101"});
    CHECK(path(fabric, "rack0n01", "rack1n02") == us_fs{48, 8'000'000});
    CHECK(path(fabric, "rack0n01", "login") == us_fs{72, 8'000'000});
    CHECK(path(fabric, "gpu10", "cn101") == us_fs{96, 8'000'000});
    const cluster blocks = read("blocks.conf", rates);
    CHECK(blocks.switch_names == names{"blocks", "b1..b4", "b1..b2", "b3..b4", "b1", "b2", "b3", "b4", "b5"});
    CHECK(blocks.cost.switches().nodes() == 21);
    CHECK(path(blocks, "n01", "n04") == us_fs{48, 8'000'000});
    CHECK(path(blocks, "n01", "n05") == us_fs{72, 8'000'000});
    CHECK(path(blocks, "n01", "n16") == us_fs{96, 8'000'000});
    CHECK(path(blocks, "n01", "n17") == us_fs{96, 8'000'000});
    const cluster joined = read("includes.conf", rates);
    CHECK(joined.name == "includes");
    CHECK(joined.switch_names == names{"top", "rack1", "rack2"});
    CHECK(joined.names == names{"a1", "a2", "b1", "b2"});
}

TEST_CASE("read_cluster: a part of a description of several") {
    using names = std::vector<std::string>;
    const auto part = [](const std::string& name, const cluster::part& wanted) {
        return read_cluster(std::filesystem::path("test/data/clusters/" + name), rates, wanted);
    };
    CHECK(part("topology.yaml", {}).name == "fabric");
    CHECK(part("topology.yaml", {}).switch_names == names{"root", "s1", "s2"});
    CHECK(part("topology.yaml", {.topology = "racks"}).switch_names == names{"racks", "b1..b2", "b1", "b2", "b3"});
    CHECK(part("topology.yaml", {.switch_name = "s2"}).names == names{"node04", "node05", "node06"});
    CHECK(part("broken_two_networks.conf", {.switch_name = "right"}).names == names{"b0", "b1", "b2", "b3"});
    for (const std::string name : {"two_sites.json", "fat_tree.xml"}) {
        CHECK_THROWS_WITH_AS(part(name, {.topology = "t"}),
                             "topology: got \"t\", expected none without a topology of Slurm", input_error);
        CHECK_THROWS_WITH_AS(part(name, {.switch_name = "s"}),
                             "switch_name: got \"s\", expected none without a topology of Slurm", input_error);
    }
}

TEST_CASE("read_cluster: the content determines the language") {
    CHECK(read_cluster(text_file{"c.txt", "\n {\"nodes\": [{\"name\": \"x\"}]}"}).names.front() == "x");
    CHECK(read_cluster(text_file{"c.json", "SwitchName=s Nodes=x"}, rates).names.front() == "x");
    CHECK(read_cluster(
              text_file{"c", "\t<platform version='4'><zone id='z' routing='None'><host id='x'/></zone></platform>"})
              .names.front() == "x");
    CHECK_THROWS_WITH_AS(read_cluster(text_file{"c", " \n"}),
                         "c:1: got nothing in it, expected a cluster or network in JSON, a SimGrid platform, output of "
                         "ibnetdiscover, a Slurm topology.conf or topology.yaml",
                         input_error);
    CHECK(read_cluster(text_file{"c.conf", "# x\n- topology: t\n  tree: {switches: [{switch: s, nodes: x}]}"}, rates)
              .names.front() == "x");
    for (const std::string_view text : {"# 1\n\n8 ranks", "\n\n8 nodes"})
        CHECK_THROWS_WITH_AS(read_cluster(text_file{"c", std::string(text)}),
                             "c:3: got \"8\", expected a cluster or network in JSON, a SimGrid platform, output of "
                             "ibnetdiscover, a Slurm topology.conf or topology.yaml",
                             input_error);
    CHECK_THROWS_WITH_AS(
        read_cluster(text_file{"c", "[]"}),
        "c:1: a cluster: got no object, expected {name, nodes, tree, latency_us, bandwidth_MBps, intra_node}",
        input_error);
}

TEST_CASE("read_cluster: broken files are reported with their line") {
    refused("broken_unknown_node.json", ":9: got unknown node \"a1\", expected a name from \"nodes\"");
    refused("broken_syntax.json",
            ":5: got syntax error while parsing object - unexpected string literal, expected '}'");
    refused(
        "broken_two_networks.conf",
        ":3: got no path from node \"a0\" below switch \"left\" to node \"b0\" below switch \"right\", expected one "
        "switch "
        "above all others, or a choice by switch_name");
    refused("broken_two_parents.conf",
            ":3: got switch \"leaf\" under \"spine1\" and \"spine2\", expected under one switch");
    refused("broken_ring.conf", ":1: got RingName of topology/ring, expected topology/tree, topology/block");
    refused("broken_torus3d.yaml",
            ":2: got topology/torus3d, which is no tree, expected topology/tree, topology/block, or a choice of "
            "another topology by its name");
    refused("broken_alias.yaml", ":7: got an alias, expected YAML without aliases");
    CHECK_THROWS_WITH_AS(
        read("broken_included.conf"),
        "test/data/clusters/included/broken.conf:2: got \"Node\", expected SwitchName, Nodes, Switches, LinkSpeed",
        input_error);
    refused("broken_torus.xml",
            ":6: topo_parameters: got \"2,2,3\", expected N,N,... with 16 dimensions at most and a product that is the "
            "number of hosts, 8");
    refused("missing.json", ": got No such file or directory, expected a file that can be read");
    refused("", ": got a directory, expected a file that can be read");
}
