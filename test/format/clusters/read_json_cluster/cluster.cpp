#include "collsched/format/clusters/read_json_cluster.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/brief.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

const std::string two_sites = R"({"name": "two sites",
 "nodes": [
  {"name": "a0", "overhead_us": 12, "latency_us": 5, "bandwidth_MBps": 125},
  {"name": "a1", "overhead_us": 0.0015, "bandwidth_MBps": 100},
  {"name": "b0", "overhead_us": 1e1, "latency_us": 2, "bandwidth_MBps": 1000}],
 "tree": {"name": "wan", "children": [
  {"name": "site b", "latency_us": 250, "children": ["b0"]},
  {"name": "site a", "latency_us": 500, "bandwidth_MBps": 12.5, "children": ["a1",
   "a0"]}]}})";

const std::string nodes = "{\"nodes\": [{\"name\": \"x\", \"bandwidth_MBps\": 1},\n{\"name\": \"y\"}],\n";

cluster read(std::string_view text, const cluster::defaults& defaults = {}) {
    return read_json_cluster({"dir/c.json", std::string(text)}, defaults);
}
void refused(std::string_view text, std::string_view line) {
    CHECK_THROWS_WITH_AS(read(text), ("dir/c.json:" + std::string(line)).c_str(), input_error);
}

}  // namespace

TEST_CASE("read_json_cluster: latencies add up and the narrowest link counts") {
    const cluster c = read(two_sites);
    CHECK(c.name == "two sites");
    CHECK(c.names == std::vector<std::string>{"a0", "a1", "b0"});
    CHECK(c.switch_names == std::vector<std::string>{"wan", "site b", "site a"});
    CHECK(c.cost.switches().check() == argument_error{});
    CHECK(c.cost.check() == argument_error{});
    CHECK(c.cost.switches().home(0) == 2);
    CHECK(c.cost.switches().home(2) == 1);
    CHECK(c.cost.overhead(0) == 12'000'000);
    CHECK(c.cost.overhead(1) == 1'500);
    CHECK(c.cost.overhead(2) == 10'000'000);
    CHECK(c.cost.latency(0, 1) == 5'000'000);
    CHECK(c.cost.latency(0, 2) == 757'000'000);
    CHECK(c.cost.latency(2, 1) == 752'000'000);
    CHECK(c.cost.byte_fs(0, 1) == 10'000'000);
    CHECK(c.cost.byte_fs(1, 2) == 80'000'000);
    CHECK(c.cost.byte_fs(2, 0) == 80'000'000);
}

TEST_CASE("read_json_cluster: matrices override the tree, both or one of them") {
    const std::string tree = "\"tree\": {\"children\": [\"x\", \"y\"]}";
    const cluster both =
        read(nodes + tree + ", \"latency_us\": [[null, 10], [20, -7]], \"bandwidth_MBps\": [[0, 100], [50, 0]]}");
    CHECK(both.cost.latency(0, 1) == 10'000'000);
    CHECK(both.cost.latency(1, 0) == 20'000'000);
    CHECK(both.cost.byte_fs(0, 1) == 10'000'000);
    CHECK(both.cost.byte_fs(1, 0) == 20'000'000);
    CHECK(both.switch_names == std::vector<std::string>{""});
    const cluster one = read(nodes + tree + ", \"latency_us\": [[0, 10], [20, 0]]}");
    CHECK(one.cost.latency(1, 0) == 20'000'000);
    CHECK(one.cost.byte_fs(1, 0) == 1'000'000'000);
}

TEST_CASE("read_json_cluster: with a matrix every ordered pair of nodes has a link of its own") {
    const std::string three = "{\"nodes\": [{\"name\": \"x\"}, {\"name\": \"y\"}, {\"name\": \"z\"}], ";
    const cluster c = read(three + "\"bandwidth_MBps\": [[0, 1, 2], [3, 0, 4], [5, 6, 0]]}");
    CHECK(c.links.nodes() == 3);
    std::vector<std::int32_t> used;
    for (rank_t i = 0; i < 3; ++i) {
        for (rank_t j = 0; j < 3; ++j) {
            const std::vector<std::int32_t> route = c.links.route(i, j);
            REQUIRE(route.size() == (i == j ? 0 : 1));
            used.insert(used.end(), route.begin(), route.end());
            if (i != j) CHECK(c.links.cost(route) == lob_model::link_cost{c.cost.latency(i, j), c.cost.byte_fs(i, j)});
        }
    }
    std::sort(used.begin(), used.end());
    CHECK(std::adjacent_find(used.begin(), used.end()) == used.end());
    CHECK(used.size() == 6);
    CHECK(read(nodes + "\"latency_us\": [[0, 1], [2, 0]]}").links.route(0, 1).size() == 1);
    CHECK(read(nodes + "\"name\": \"n\"}").links.route(0, 1).size() == 2);  // a tree
}

TEST_CASE("read_json_cluster: missing keys are named") {
    const cluster c = read(nodes + "\"name\": \"n\"}");
    CHECK(c.cost.overhead(0) == 0);
    CHECK(c.cost.latency(0, 1) == 0);
    CHECK(c.switch_names == std::vector<std::string>{"n"});
    CHECK(c.cost.switches() == topology::switch_tree::flat(2));
    CHECK(read(nodes + "\"tree\": {\"children\": [\"x\", \"y\"]}}").name == "c");
    const cluster filled = read(
        nodes + "\"tree\": {\"children\": [\"x\", {\"children\": [\"y\"]}]}}",
        {.overhead_us = 1, .latency_us = 2, .bandwidth_MBps = 3, .uplink_latency_us = 4, .uplink_bandwidth_MBps = 0.5});
    CHECK(filled.cost.overhead(1) == 1'000'000);
    CHECK(filled.cost.latency(0, 1) == 8'000'000);
    CHECK(filled.cost.byte_fs(0, 1) == 2'000'000'000);
    const cluster given = read(two_sites, {.overhead_us = 1, .latency_us = 7, .bandwidth_MBps = 1});
    CHECK(given.cost.overhead(0) == 12'000'000);
    CHECK(given.cost.latency(0, 1) == 12'000'000);
    CHECK(given.cost.byte_fs(0, 1) == 10'000'000);
    CHECK_THROWS_WITH_AS(read(two_sites, {.latency_us = -1}), "latency_us: got -1, expected 0 to 1e12 us", input_error);
}

TEST_CASE("read_json_cluster: one node is a cluster without any bandwidth") {
    const cluster c = read("{\"nodes\": [{\"name\": \"x\"}], \"tree\": {\"children\": [\"x\"]}}");
    CHECK(c.cost.switches().nodes() == 1);
    CHECK(c.cost.check() == argument_error{});
}

TEST_CASE("read_json_cluster: nodes are rejected with their line") {
    refused("{\"nodes\":\n[]}", "2: nodes: got none, expected one or more");
    refused("{\"nodes\":\n{}}", "2: nodes: got no list, expected [...]");
    refused("\n{\"tree\": 1}", "2: nodes is required: a key of this object");
    refused("{\"nodes\": [\n{}]}", "2: name is required: a key of this object");
    refused("{\"nodes\": [\n5]}",
            "2: a node: got no object, expected {name, overhead_us, latency_us, bandwidth_MBps, intra_node}");
    refused("{\"nodes\": [{\"name\":\n5}]}", "2: name: got no text, expected \"...\"");
    refused("{\"nodes\": [{\"name\":\n\"\"}]}", "2: got a node without a name, expected a name");
    refused("{\"nodes\": [{\"name\": \"x\"},\n{\"name\": \"y\"},\n{\"name\": \"x\"}]}",
            "3: got node \"x\" twice, expected every node once");
    refused("[]", "1: a cluster: got no object, expected {name, nodes, tree, latency_us, bandwidth_MBps, intra_node}");
}

TEST_CASE("read_json_cluster: numbers are rejected with their line") {
    const auto node = [](std::string_view rate) {
        return "{\"nodes\": [{\"name\": \"x\",\n" + std::string(rate) + "}]}";
    };
    refused(node("\"overhead_us\": -1"), "2: overhead_us: got -1, expected 0 to 1e12 us");
    refused(node("\"latency_us\":\n-0.5"), "3: latency_us: got -0.5, expected 0 to 1e12 us");
    refused(node("\"latency_us\": 1e13"), "2: latency_us: got 10000000000000, expected 0 to 1e12 us");
    refused(node("\"latency_us\": \"5\""), "2: latency_us: got no number, expected 0 to 1e12 us");
    refused(node("\"bandwidth_MBps\": 0"), "2: bandwidth_MBps: got 0, expected 1e-9 to 2e9 MB/s");
    refused(node("\"bandwidth_MBps\": -125"), "2: bandwidth_MBps: got -125, expected 1e-9 to 2e9 MB/s");
    refused(node("\"bandwidth_MBps\": null"), "2: bandwidth_MBps: got no number, expected 1e-9 to 2e9 MB/s");
    refused(node("\"bandwith_MBps\": 125"),
            "2: got unknown key \"bandwith_MBps\" in a node, expected name, overhead_us, latency_us, bandwidth_MBps, "
            "intra_node");
    refused(node("\"latency_us\": 1,\n\"latency_us\": 2"), "3: got key \"latency_us\" twice in a node, expected once");
    refused(nodes + "\"nodes\": []}", "3: got key \"nodes\" twice in a cluster, expected once");
    refused(nodes + "\"names\": 1}",
            "3: got unknown key \"names\" in a cluster, expected name, nodes, tree, latency_us, bandwidth_MBps, "
            "intra_node");
}

TEST_CASE("read_json_cluster: trees are rejected with their line") {
    const auto tree = [](std::string_view text) { return nodes + "\"tree\":\n" + std::string(text) + "}"; };
    refused(tree("{\"children\": [\"x\",\n\"z\"]}"), "5: got unknown node \"z\", expected a name from \"nodes\"");
    refused(tree("{\"children\": [\"x\", \"y\",\n\"x\"]}"),
            "5: got node \"x\" twice under the tree, expected every node once");
    refused(tree("{\"children\": [\"x\"]}"), "2: got node \"y\" is not under the tree, expected every node once");
    refused(tree("{\"children\":\n[]}"),
            "5: children: got none, expected one or more, names of nodes or inner nodes of the tree");
    refused(tree("{\"children\": [\"x\", \"y\", {\n\"children\": [] }]}"),
            "5: children: got none, expected one or more, names of nodes or inner nodes of the tree");
    refused(tree("{}"), "4: children is required: a key of this object");
    refused(tree("{\"children\": [\"x\",\n5]}"),
            "5: got a child of the tree is neither text nor object, expected \"NODE\" or {...}");
    refused(tree("\"x\""), "4: the tree: got no object, expected {name, latency_us, bandwidth_MBps, children}");
    refused(tree("{\"children\": [\"x\", \"y\"],\n\"latency_us\": -1}"),
            "5: latency_us: got -1, expected 0 to 1e12 us");
    refused(tree("{\"nodes\": []}"),
            "4: got unknown key \"nodes\" in the tree, expected name, latency_us, bandwidth_MBps, children");
}

TEST_CASE("read_json_cluster: a path without bandwidth is rejected at its turning point") {
    const std::string bare = R"({"nodes": [{"name": "x"}, {"name": "y"}, {"name": "z", "bandwidth_MBps": 1}],
"tree": {"name": "top", "bandwidth_MBps": 1, "children": ["z",
  {"name": "low", "bandwidth_MBps": 1, "children": ["x",
    "y"]}]}})";
    refused(bare, "3: got bandwidth of the paths at \"low\", expected a link with a bandwidth on every path");
}

TEST_CASE("read_json_cluster: matrices are rejected with their line") {
    const auto matrix = [](std::string_view text) { return nodes + "\"latency_us\":\n" + std::string(text) + "}"; };
    refused(matrix("[[0, 1]]"), "4: latency_us: got 1 entries, expected 2, one for each node");
    refused(matrix("[[0, 1],\n[1, 0, 5]]"), "5: latency_us[1]: got 3 entries, expected 2, one for each node");
    refused(matrix("[[0, 1],\n7]"), "5: latency_us[1]: got no list, expected [...]");
    refused(matrix("5"), "4: latency_us: got no list, expected [...]");
    refused(matrix("[[0,\n-1], [1, 0]]"), "5: latency_us[0][1]: got -1, expected 0 to 1e12 us");
    refused(matrix("[[0, 1], [\n\"1\", 0]]"), "5: latency_us[1][0]: got no number, expected 0 to 1e12 us");
    refused(nodes + "\"bandwidth_MBps\": [[1, 1],\n[0, 1]]}",
            "4: bandwidth_MBps[1][0]: got 0, expected 1e-9 to 2e9 MB/s");
}

TEST_CASE("read_json_cluster: every damaged file is read or rejected with a one-line error") {
    const auto tried = [](const std::string& text) {
        try {
            const cluster c = read(text);
            CHECK(c.cost.check() == argument_error{});
            return true;
        } catch (const input_error& wrong) {
            const std::string line = wrong.what();
            const bool fine =
                line.starts_with("dir/c.json:") &&
                (line.find(": got ") < line.find(", expected ") || line.find(" is required: ") != line.npos) &&
                !line.ends_with(' ') && line.find('\n') == line.npos;
            CHECK_MESSAGE(fine, line);
            return false;
        }
    };
    const std::string text =
        two_sites.substr(0, two_sites.size() - 1) +
        ",\n\"latency_us\": [[0,1,2],[3,0,4],[5,6,0]],\n\"bandwidth_MBps\":[[0,1,2],[3,0,4],[5,6,0]]}";
    REQUIRE(tried(text));
    for (std::size_t n = 0; n < text.size(); n += support::one_of()) CHECK(!tried(text.substr(0, n)));
    std::size_t read_anyway = 0;
    for (std::size_t i = 0; i < text.size(); i += support::one_of()) {
        read_anyway += tried(std::string(text).erase(i, 1)) ? 1U : 0U;
        for (const char other : {'"', '0', '{', ']', ',', '\n', '\0', '\xff'}) {
            std::string changed = text;
            changed[i] = other;
            tried(changed);
        }
    }
    CHECK(read_anyway > 20 / support::one_of());
    CHECK(read_anyway < text.size() / 2);
}

TEST_CASE("read_json_cluster: a large file is read quickly") {
    std::string all = "{\"nodes\": [", tree;
    for (int s = 0; s < 50; ++s) {
        std::string children;
        for (int i = 0; i < 100; ++i) {
            const std::string name = "\"s" + std::to_string(s) + "n" + std::to_string(i) + "\"";
            all += (s + i > 0 ? ",\n" : "") + ("{\"name\": " + name) + ", \"bandwidth_MBps\": 125, \"latency_us\": 1}";
            children += (i > 0 ? "," : "") + name;
        }
        tree += (s > 0 ? ",\n" : "") + ("{\"latency_us\": 3, \"children\": [" + children) + "]}";
    }
    const cluster c = read(all + "], \"tree\": {\"children\": [" + tree + "]}}");
    CHECK(c.cost.switches().nodes() == 5000);
    CHECK(c.cost.switches().switches() == 51);
    CHECK(c.cost.latency(0, 4999) == 8'000'000);
}

TEST_CASE(
    "read_json_cluster: links within nodes are those of the node, of the file, of the defaults, or typical ones") {
    const auto inside = [](const cluster& c) { return c.cost.intra_nodes(); };
    const cluster typical = read(nodes + "\"name\": \"n\"}");
    REQUIRE(inside(typical).size() == 1);
    CHECK(inside(typical)[0] == intra_node_links{});
    const cluster::defaults defaults{
        .intra_node_latency_us = 2, .intra_node_bandwidth_MBps = 500, .intra_node_shared = true};
    CHECK(inside(read(nodes + "\"name\": \"n\"}", defaults))[0] ==
          intra_node_links{.rank_link = {2'000'000, 2'000'000}, .shared = true});
    const std::string x =
        R"({"nodes": [{"name": "x", "bandwidth_MBps": 1, "intra_node": {"sockets": 2, "shared": false}},
        {"name": "y"}], "intra_node": {"latency_us": 0.25, "socket_latency_us": 1, "socket_bandwidth_MBps": 100}})";
    const cluster both = read(x, defaults);
    REQUIRE(inside(both).size() == 2);
    const link_cost socket{1'000'000, 10'000'000};
    CHECK(inside(both)[0] == intra_node_links{.rank_link = {250'000, 2'000'000}, .sockets = 2, .socket_link = socket});
    CHECK(inside(both)[1] ==
          intra_node_links{.rank_link = {250'000, 2'000'000}, .shared = true, .socket_link = socket});
    const contention_model model = both.sharing({.combine_fs = 3}, topology::placement::block(4, 2));
    CHECK(!model.check());
    CHECK(model.intra_nodes == inside(both));
    CHECK(model.combine_fs == 3);
    CHECK(read(x).cost.placed(topology::placement::block(4, 2)).latency(0, 1) == 1'250'000);
}

TEST_CASE("read_json_cluster: wrong links within nodes are refused") {
    const auto text = [](std::string_view inside) { return nodes + "\"intra_node\": " + std::string(inside) + "}"; };
    refused(text("3"),
            "3: intra_node: got no object, expected {latency_us, bandwidth_MBps, shared, sockets, "
            "socket_latency_us, socket_bandwidth_MBps}");
    refused(text("{\"latency_us\": -1}"), "3: latency_us: got -1, expected 0 to 1e12 us");
    refused(text("{\"bandwidth_MBps\": 0}"), "3: bandwidth_MBps: got 0, expected 1e-9 to 2e9 MB/s");
    refused(text("{\"socket_bandwidth_MBps\": \"x\"}"),
            "3: socket_bandwidth_MBps: got no number, expected 1e-9 to 2e9 MB/s");
    refused(text("{\"shared\": 1}"), "3: shared: got another value, expected true or false");
    refused(text("{\"sockets\": 0}"), "3: sockets: got 0, expected a whole number, 1 to 1024");
    refused("{\"nodes\": [{\"name\": \"x\", \"intra_node\": {\"memory\": 1}}]}",
            "1: got unknown key \"memory\" in intra_node, expected latency_us, bandwidth_MBps, shared, sockets, "
            "socket_latency_us, socket_bandwidth_MBps");
    CHECK_THROWS_WITH_AS(read(nodes + "\"name\": \"n\"}", {.intra_node_bandwidth_MBps = 0}),
                         "intra_node_bandwidth_MBps: got 0, expected 1e-9 to 2e9 MB/s", input_error);
}
