#include "collsched/format/clusters/detail/slurm_yaml_cluster.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/brief.hpp"
#include "support/replaced.hpp"
#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::detail;
using support::replaced;

namespace {

using names = std::vector<std::string>;

constexpr cluster::defaults all{
    .overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100, .uplink_latency_us = 10, .uplink_bandwidth_MBps = 50};

cluster read(std::string_view text, const cluster::part& part = {}) {
    return read_slurm_yaml_cluster({"f", std::string(text)}, all, part);
}
void refused(std::string_view text, std::string_view line, const cluster::part& part = {}) {
    CHECK_THROWS_WITH_AS(read(text, part), support::located("f:", line).c_str(), input_error);
}

const std::string tree =
    "- topology: fabric\n"
    "  tree:\n"
    "    switches:\n"
    "    - switch: core\n"
    "      children: s[0-1]\n"
    "    - switch: s0\n"
    "      nodes: n[01-02]\n"
    "    - switch: s1\n"
    "      nodes: m\n";
const std::string blocks =
    "- topology: racks\n"
    "  block:\n"
    "    block_sizes: [2, 4]\n"
    "    blocks:\n"
    "    - block: b0\n"
    "      nodes: n[0-1]\n"
    "    - block: b1\n"
    "      nodes: n[2-3]\n";

}  // namespace

TEST_CASE("slurm_yaml_cluster: a tree of switches") {
    const cluster c = read(tree);
    CHECK(c.name == "fabric");
    CHECK(c.switch_names == names{"core", "s0", "s1"});
    CHECK(c.names == names{"n01", "n02", "m"});
    CHECK(c.cost.switches().distance(0, 1) == 2);
    CHECK(c.cost.switches().distance(0, 2) == 4);
    CHECK(c.cost.latency(0, 2) == 22'000'000);
    CHECK(read(tree, {.switch_name = "s0"}).names == names{"n01", "n02"});
}

TEST_CASE("slurm_yaml_cluster: a tree of blocks") {
    const cluster c = read(blocks);
    CHECK(c.name == "racks");
    CHECK(c.switch_names == names{"b0..b1", "b0", "b1"});
    CHECK(c.names == names{"n0", "n1", "n2", "n3"});
    CHECK(c.cost.switches().levels() == 2);
    CHECK(read(replaced(blocks, "    block_sizes: [2, 4]\n", "")).switch_names == c.switch_names);
    CHECK(read(replaced(blocks, "[2, 4]", "2")).switch_names == names{"racks", "b0", "b1"});
}

TEST_CASE("slurm_yaml_cluster: blocks without nodes, whose key is missing or empty") {
    const std::string padded = blocks + "    - block: pad\n      nodes: ''\n    - block: none\n";
    CHECK(read(padded).switch_names == names{"racks", "b0..b1", "b0", "b1"});
    CHECK(read(padded).names == names{"n0", "n1", "n2", "n3"});
}

TEST_CASE("slurm_yaml_cluster: names are a text or a list of texts, and may be missing") {
    CHECK(read(replaced(tree, "n[01-02]", "\n      - n01\n      - n02")).names == names{"n01", "n02", "m"});
    CHECK(read(replaced(tree, "n[01-02]", "[n01, n02]")).names == names{"n01", "n02", "m"});
    for (const std::string_view none : {"", "~", "\"\"", "[]"})
        CHECK(read(replaced(tree, "n[01-02]", none)).switch_names == names{"core", "s1"});
    refused(replaced(tree, "n[01-02]", "[a, \"\"]"), "7: nodes: got an empty text, expected a name");
    refused(replaced(tree, "n[01-02]", "{a: b}"), "7: nodes: got no text, expected a text");
}

TEST_CASE("slurm_yaml_cluster: the default topology, or the one that the option names") {
    const std::string both = blocks + tree;
    refused(both,
            "1: got 2 topologies, none with cluster_default: true, expected one with it, or a choice by topology");
    for (const std::string_view yes : {"true", "True", "yes", "on", "\"true\""})
        CHECK(read(replaced(both, "fabric\n", "fabric\n  cluster_default: " + std::string(yes) + "\n")).name ==
              "fabric");
    const std::string twice = replaced(replaced(both, "fabric\n", "fabric\n  cluster_default: true\n"), "racks\n",
                                       "racks\n  cluster_default: true\n");
    CHECK(read(twice).name == "racks");
    CHECK(read(twice, {.topology = "fabric"}).name == "fabric");
    CHECK(read(both, {.topology = "racks"}).name == "racks");
    CHECK(read(both, {.topology = "fabric", .switch_name = "s1"}).names == names{"m"});
    CHECK(read(replaced(tree, "fabric\n", "fabric\n  cluster_default: False\n")).name == "fabric");
    refused(both, "topology: got \"x\", expected \"racks\", \"fabric\"", {.topology = "x"});
    refused(tree + tree, "10: got topology \"fabric\" twice, expected every topology once");
    refused(replaced(tree, "fabric\n", "fabric\n  cluster_default: maybe\n"),
            "2: got cluster_default: \"maybe\", expected true, false");
}

TEST_CASE("slurm_yaml_cluster: plugins that describe no tree are named") {
    const std::string_view accepted =
        ", expected topology/tree, topology/block, or a choice of another topology by its name";
    refused("- topology: t\n  flat: true\n", "2: got topology/flat, which is no tree" + std::string(accepted));
    refused("- topology: t\n  flat:\n    alpha_step_rank: true\n",
            "2: got topology/flat, which is no tree" + std::string(accepted));
    refused("- topology: t\n  flat: [a]\n", "2: flat: got no text, expected a text");
    refused("- topology: t\n  ring:\n    rings: []\n",
            "2: got topology/ring, which is no tree" + std::string(accepted));
    refused("- topology: t\n  torus3d: {toruses: [{dims: {x: 4}}]}\n",
            "2: got topology/torus3d, which is no tree" + std::string(accepted));
    CHECK(read(tree + "- topology: t\n  torus3d: {}\n", {.topology = "fabric"}).name == "fabric");
    CHECK(read(replaced(tree, "fabric\n", "fabric\n  flat: false\n")).name == "fabric");
}

TEST_CASE("slurm_yaml_cluster: text that is no topology is rejected with its line") {
    refused("# x\n", "1: the file: got no list, expected - ITEM");
    refused("apiVersion: v1\n", "1: the file: got no list, expected - ITEM");
    refused("- a\n", "1: a topology: got no mapping, expected KEY: VALUE");
    refused("- tree: {}\n", "1: topology is required: a key of a topology");
    refused("- topology: t\n", "1: got a topology without plugin, expected tree or block");
    refused("- topology: t\n  fat: {}\n",
            "2: got unknown key \"fat\" in a topology, expected topology, cluster_default, tree, block");
    refused("- topology: t\n  tree: {}\n  block: {}\n", "3: got tree and block in a topology, expected one of them");
    refused("- topology: t\n  tree: {}\n", "2: switches is required: a key of tree");
    refused("- topology: t\n  tree:\n", "2: tree: got no mapping, expected KEY: VALUE");
    refused("- topology: t\n  tree: {switches: []}\n", "2: got no switch, expected - switch: NAME");
    refused("- topology: t\n  block: {blocks: []}\n", "2: got no block, expected - block: NAME");
    refused(replaced(tree, "children", "child"),
            "5: got unknown key \"child\" in a switch, expected switch, children, nodes");
    refused(replaced(tree, "      nodes: m", "      switch: m"),
            "9: got key \"switch\" twice in a switch, expected once");
    refused(replaced(tree, "switch: s0", "switch: \"\""), "6: switch: got an empty text, expected a name");
    refused(replaced(tree, "s[0-1]", "s[0-2]"),
            "5: got unknown switch \"s2\", expected the name of a switch of this topology");
    refused(replaced(blocks, "[2, 4]", "[2, 5]"),
            "3: got block size \"5\", expected a number of nodes, the first one times 2^k, k = 0 to 15");
    refused(blocks, "switch_name: got \"b0\", expected none with topology/block, which has no switches",
            {.switch_name = "b0"});
}

TEST_CASE("slurm_yaml_cluster: every damaged file is read or rejected with a one-line error") {
    const std::string text = replaced(blocks, "racks\n", "racks\n  cluster_default: true\n") + tree;
    const auto tried = [](const std::string& changed) {
        try {
            const cluster c = read(changed);
            CHECK(c.cost.switches().check() == argument_error{});
            CHECK(c.cost.check() == argument_error{});
        } catch (const input_error& wrong) {
            const std::string line = wrong.what();
            const bool fine =
                line.starts_with("f:") &&
                (line.find(": got ") < line.find(", expected ") || line.find(" is required: ") != line.npos) &&
                !line.ends_with(' ');
            CHECK_MESSAGE(fine, line);
        }
    };
    for (std::size_t i = 0; i < text.size(); i += support::one_of()) {
        tried(text.substr(0, i));
        tried(std::string(text).erase(i, 1));
        for (const char other : {'"', '[', ']', '-', '9', ',', ':', '*', '&', '{', '\n', '\0'}) {
            std::string changed = text;
            changed[i] = other;
            tried(changed);
        }
    }
}
