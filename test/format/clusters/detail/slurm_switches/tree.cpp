#include "collsched/format/clusters/detail/slurm_switches.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using names = std::vector<std::string>;

const text_file file{"f", ""};
constexpr cluster::defaults all{
    .overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100, .uplink_latency_us = 10, .uplink_bandwidth_MBps = 50};
constexpr cluster::defaults no_uplinks{.overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100};

/// Switch i is in line i + 1.
struct one_switch {
    std::string name, nodes, switches;
};
cluster build(const std::vector<one_switch>& switches, const std::string& below = "",
              cluster::defaults defaults = all) {
    slurm_topology topology{"t", 9};
    int line = 0;
    for (const one_switch& s : switches) {
        ++line;
        topology.switches.push_back({s.name, line, {s.nodes, line}, {s.switches, line}});
    }
    return detail::slurm_tree(file, topology, detail::slurm_costs(file, defaults)).build(below);
}
void refused(const std::vector<one_switch>& switches, std::string_view line, const std::string& below = "") {
    CHECK_THROWS_WITH_AS(build(switches, below), support::located("f:", line).c_str(), input_error);
}
rank_t home_of(const cluster& c, std::string_view node) { return c.cost.switches().home(c.find(node).value()); }

}  // namespace

TEST_CASE("slurm_tree: switches are numbered level by level from the root, nodes in the order of switches") {
    const cluster c =
        build({{"l0", "a[0-1]", ""}, {"core", "", "s[0-1]"}, {"s0", "", "l[0-1]"}, {"l1", "b", ""}, {"s1", "c", ""}});
    CHECK(c.switch_names == names{"core", "s0", "s1", "l0", "l1"});
    CHECK(c.names == names{"a0", "a1", "b", "c"});
    CHECK(c.cost.switches().levels() == 3);
    CHECK(home_of(c, "a1") == 3);
    CHECK(home_of(c, "b") == 4);
    CHECK(home_of(c, "c") == 2);
    CHECK(c.cost.switches().distance(0, 1) == 2);
    CHECK(c.cost.switches().distance(0, 2) == 4);
    CHECK(c.cost.switches().distance(0, 3) == 5);
}

TEST_CASE("slurm_tree: switches without nodes below them are left out") {
    const std::vector<one_switch> few{{"leaf", "n[0-1]", ""},
                                      {"idle1", "", ""},
                                      {"idle2", "", "idle1"},
                                      {"core", "", "leaf,idle2"},
                                      {"spare", "", ""}};
    const cluster c = build(few);
    CHECK(c.switch_names == names{"core", "leaf"});
    CHECK(c.cost.switches().switches() == 2);
    CHECK(build({{"leaf", "n", ""}, {"spare", "", ""}}, "", no_uplinks).switch_names == names{"leaf"});
    refused({{"a", "", ""}, {"b", "", "a"}}, "9: got switches without nodes, expected nodes below a switch");
}

TEST_CASE("slurm_tree: nodes without a common switch have no path") {
    const std::string_view expected = ", expected one switch above all others, or a choice by switch_name";
    const std::vector<one_switch> two{
        {"l", "a[5-6]", ""}, {"left", "", "idle,l"}, {"idle", "", ""}, {"right", "b", ""}};
    refused(two, "4: got no path from node \"a5\" below switch \"left\" to node \"b\" below switch \"right\"" +
                     std::string(expected));
}

TEST_CASE("slurm_tree: of several trees the option chooses one, of one tree a part") {
    const std::vector<one_switch> two{
        {"l0", "a[0-1]", ""}, {"l1", "a2", ""}, {"left", "", "l[0-1]"}, {"right", "b", ""}};
    CHECK(build(two, "right", no_uplinks).names == names{"b"});
    CHECK(build(two, "left").names == names{"a0", "a1", "a2"});
    const cluster part = build(two, "l0", no_uplinks);
    CHECK(part.names == names{"a0", "a1"});
    CHECK(part.switch_names == names{"l0"});
    for (const std::string_view wrong : {"nowhere", "idle"})
        refused({{"l", "n", ""}, {"idle", "", ""}},
                "switch_name: got \"" + std::string(wrong) + "\", expected a switch with nodes below it",
                std::string(wrong));
}

TEST_CASE("slurm_tree: a graph that is no tree is rejected with its line") {
    refused({{"l", "n", ""}, {"a", "", "l"}, {"b", "", "l"}, {"c", "", "a,b"}},
            "3: got switch \"l\" under \"a\" and \"b\", expected under one switch");
    refused({{"a", "", "b"}, {"b", "n", "a"}}, "1: got switch \"a\" below itself, expected a tree of switches");
    refused({{"r", "m", ""}, {"a", "", "b"}, {"b", "n", "a"}},
            "2: got switch \"a\" below itself, expected a tree of switches");
    refused({{"a", "", "b[0-1]"}, {"b0", "n", ""}},
            "1: got unknown switch \"b1\", expected the name of a switch of this topology");
    refused({{"a", "n", ""}, {"a", "m", ""}}, "2: got switch \"a\" twice, expected every switch once");
    refused({{"a", "n", ""}, {"b", "n", ""}, {"r", "", "a,b"}}, "2: got node \"n\" twice, expected every node once");
}

TEST_CASE("slurm_tree: 100,000 switches in one chain of children are rejected for their depth") {
    std::vector<one_switch> chain{{"s0", "n", ""}};
    for (int i = 1; i < 100'000; ++i) chain.push_back({"s" + std::to_string(i), "", "s" + std::to_string(i - 1)});
    refused(chain, "99936: got \"s99935\" too deep in the tree, expected at most 64 levels");
}
