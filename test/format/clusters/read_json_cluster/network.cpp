#include "collsched/format/clusters/read_network.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/topology/throughput_bound.hpp"
#include "support/refusal.hpp"

using namespace collsched;
using topology::network;

namespace {

network read(const std::string& text) { return read_network(text_file{"c.json", text}); }
std::string refusal(const std::string& text) {
    return support::refusal_of([&] { read(text); });
}
/// A cluster of nodes a and b with this tree.
std::string pair(const std::string& tree) {
    return R"({"nodes": [{"name": "a", "bandwidth_MBps": 1}, {"name": "b", "bandwidth_MBps": 2}],)"
           "\n"
           R"("tree": )" +
           tree + "}";
}
std::string node(const std::string& values) { return R"({"nodes": [{"name": "a", )" + values + "}]}"; }

}  // namespace

TEST_CASE(
    "read_json_cluster: of a network, nodes and inner vertices of the tree have a cable to the vertex above them") {
    const network net = read(R"({"name": "two racks", "nodes": [
        {"name": "a", "overhead_us": 3, "latency_us": 1.5, "bandwidth_MBps": 12500},
        {"name": "b", "bandwidth_MBps": 0.000001}, {"name": "c", "latency_us": 0.25, "bandwidth_MBps": 1.25e2}],
        "tree": {"name": "core", "bandwidth_MBps": 7, "children": [
            {"name": "left", "latency_us": 2, "bandwidth_MBps": 400, "children": ["c", "a"]}, "b"]}})");
    CHECK(net.ranks() == 3);
    CHECK(net.switches() == 2);
    const std::vector<std::string_view> names{"a", "b", "c", "core", "left"};
    for (rank_t v = 0; v < 5; ++v) CHECK(net.name(v) == names[static_cast<std::size_t>(v)]);
    const std::vector<network::link> expected{{0, 4, 12'500'000'000, 1'500'000},
                                              {4, 0, 12'500'000'000, 1'500'000},
                                              {1, 3, 1, 0},
                                              {3, 1, 1, 0},
                                              {2, 4, 125'000'000, 250'000},
                                              {4, 2, 125'000'000, 250'000},
                                              {4, 3, 400'000'000, 2'000'000},
                                              {3, 4, 400'000'000, 2'000'000}};
    CHECK(std::vector<network::link>(net.links().begin(), net.links().end()) == expected);
}

TEST_CASE("read_json_cluster: of a network, without a tree all nodes have one switch") {
    const network net = read(R"({"nodes": [{"name": "s0", "bandwidth_MBps": 1}, {"name": "b", "bandwidth_MBps": 1}]})");
    CHECK(net.switches() == 1);
    CHECK(net.links().size() == 4);
    CHECK(net.name(2) == std::string_view("_s0"));
}

TEST_CASE("read_json_cluster: of a network, switches without a name of their own are numbered") {
    const network net = read(pair(R"({"name": "a", "children": [{"name": "x", "bandwidth_MBps": 1, "children": ["a"]},
        {"bandwidth_MBps": 1, "children": [{"name": "x", "bandwidth_MBps": 1, "children": ["b"]}]}]})"));
    const std::vector<std::string_view> names{"a", "b", "s0", "x", "s2", "s3"};
    REQUIRE(net.vertices() == 6);
    for (rank_t v = 0; v < 6; ++v) CHECK(net.name(v) == names[static_cast<std::size_t>(v)]);
}

TEST_CASE("read_json_cluster: of a network, the bound is that of the narrowest level") {
    const network net = read_network(std::filesystem::path("test/data/clusters/griffon_like.json"));
    CHECK(net.ranks() == 92);
    CHECK(net.switches() == 4);
    const topology::network::cut_bound bound = topology::throughput_bound(net, collective::broadcast, 0);
    CHECK(bound.bandwidth == fraction(125'000'000, 1));
}

TEST_CASE("read_json_cluster: of a network, clusters that are no graph of links are rejected with their line") {
    CHECK(refusal("{\"nodes\": [{\"name\": \"a\"}],\n\"latency_us\": [[0]]}") ==
          "c.json:2: latency_us: got a matrix, expected none for a network: a matrix has pairs of nodes, not links");
    CHECK(refusal(node(R"("latency_us": 1)")) ==
          "c.json:1: bandwidth_MBps: got none for node \"a\", expected one: links of a network have a bandwidth");
    CHECK(refusal(pair(R"({"children": ["a", {"children": ["b"]}]})")) ==
          "c.json:2: bandwidth_MBps: got none for a switch below another one, expected one: links of a network have a "
          "bandwidth");
    CHECK(refusal(node(R"("bandwidth_MBps": 1e-7)")) ==
          "c.json:1: bandwidth_MBps: got 1e-7, expected a whole number of bytes per second, 1e-6 to 2e9 MB/s");
    CHECK(refusal(node(R"("bandwidth_MBps": 0)")).starts_with("c.json:1: bandwidth_MBps: got 0,"));
    CHECK(refusal(node(R"("bandwidth_MBps": 3e9)")).starts_with("c.json:1: bandwidth_MBps: got 3e9,"));
    CHECK(refusal(node(R"("bandwidth_MBps": "1")")).starts_with("c.json:1: bandwidth_MBps: got no number,"));
    CHECK(refusal(node(R"("bandwidth_MBps": 1, "latency_us": -1)")) ==
          "c.json:1: latency_us: got -1, expected 0 to 1e12 us");
    CHECK(refusal(node(R"("bandwidth_MBps": 1, "overhead_us": -1)")).starts_with("c.json:1: overhead_us: got -1,"));
    CHECK(refusal(pair(R"({"children": ["a"]})")) ==
          "c.json:1: got node \"b\" is not under the tree, expected every node once");
    CHECK(refusal(pair(R"({"children": ["a", "b", "a"]})")) ==
          "c.json:2: got node \"a\" twice under the tree, expected every node once");
    CHECK(refusal(pair(R"({"children": ["a", "b", "c"]})")) ==
          "c.json:2: got unknown node \"c\", expected a name from \"nodes\"");
    CHECK(refusal(pair(R"({"children": []})")).starts_with("c.json:2: children: got none,"));
    CHECK(refusal(pair(R"({"children": [1]})")).starts_with("c.json:2: got a child of the tree"));
    CHECK(refusal(R"({"nodes": []})") == "c.json:1: nodes: got none, expected one or more");
    CHECK(refusal(R"({"nodes": [{"name": ""}]})") == "c.json:1: got a node without a name, expected a name");
    CHECK(refusal(R"({"nodes": [{"name": "a"}, {"name": "a"}]})") ==
          "c.json:1: got node \"a\" twice, expected every node once");
    CHECK(refusal(R"({"nodes": [], "links": []})").starts_with("c.json:1: got unknown key \"links\" in a cluster,"));
    std::string deep = R"("b")";
    for (int i = 0; i < 65; ++i) deep = R"({"bandwidth_MBps": 1, "children": [)" + deep + "]}";
    CHECK(refusal(pair(deep)) == "c.json:2: got \"\" too deep in the tree, expected at most 64 levels");
    CHECK_THROWS_AS(read_network(std::filesystem::path("nowhere")), input_error);
}
