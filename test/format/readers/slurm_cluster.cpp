#include "collsched/format/readers/slurm_cluster.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace collsched;

namespace {

constexpr cluster_defaults all{
    .overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100, .uplink_latency_us = 10, .uplink_bandwidth_MBps = 50};

cluster read(std::string_view text, const cluster_defaults& defaults = all) {
    return read_slurm_cluster({"dir/net.conf", std::string(text)}, defaults);
}
void refused(std::string_view text, std::string_view line, const cluster_defaults& defaults = all) {
    CHECK_THROWS_WITH_AS(read(text, defaults), ("dir/net.conf:" + std::string(line)).c_str(), input_error);
}

}  // namespace

TEST_CASE("a tree of switches") {
    const cluster c = read(
        "# two levels\n"
        "SwitchName=s0 Nodes=n[0-1]\n"
        "switchname=s1 NODES=m5 LinkSpeed=900\n"
        "SwitchName=top Switches=s[0-1]\n");
    CHECK(c.name == "net");
    CHECK(c.names == std::vector<std::string>{"n0", "n1", "m5"});
    CHECK(c.equipment == std::vector<std::string>{"top", "s0", "s1"});
    CHECK(c.machines.check() == error{});
    CHECK(c.cost.check() == error{});
    CHECK(c.machines.home(1) == 1);
    CHECK(c.machines.home(2) == 2);
    CHECK(c.cost.overhead(2) == 3'000'000);
    CHECK(c.cost.latency(0, 1) == 2'000'000);
    CHECK(c.cost.byte_fs(0, 1) == 10'000'000);
    CHECK(c.cost.latency(0, 2) == 22'000'000);
    CHECK(c.cost.byte_fs(2, 0) == 20'000'000);
}

TEST_CASE("switches may stand in any order, deep or with nodes of their own") {
    const cluster c =
        read("SwitchName=c Nodes=z\nSwitchName=a Switches=b Nodes=x\nSwitchName=b Nodes=y \\\n  Switches=c\n");
    CHECK(c.names == std::vector<std::string>{"z", "x", "y"});
    CHECK(c.equipment == std::vector<std::string>{"a", "b", "c"});
    CHECK(c.machines.levels() == 3);
    CHECK(c.cost.latency(0, 1) == 22'000'000);
}

TEST_CASE("a tree has at most 64 levels of switches, which stand in any order") {
    const auto chain = [](int levels) {
        std::string text = "SwitchName=s0 Nodes=n0\n";
        for (int i = 1; i < levels; ++i)
            text += "SwitchName=s" + std::to_string(i) + " Nodes=n" + std::to_string(i) + " Switches=s" +
                    std::to_string(i - 1) + "\n";
        return text;
    };
    CHECK(read(chain(64)).machines.levels() == 64);
    refused(chain(65), "1: \"s0\" too deep in the tree (accepted: at most 64 levels)");
    refused(chain(3000), "2936: \"s2935\" too deep in the tree (accepted: at most 64 levels)");
}

TEST_CASE("one switch and one node need no uplinks") {
    const cluster c = read("SwitchName=s Nodes=n", {.overhead_us = 0, .latency_us = 0, .bandwidth_MBps = 1});
    CHECK(c.names == std::vector<std::string>{"n"});
    CHECK(c.cost.check() == error{});
    CHECK(c.cost.overhead(0) == 0);
}

TEST_CASE("rates come from options, and what is missing is named") {
    const std::string tree = "SwitchName=a Nodes=n\nSwitchName=b Switches=a\n";
    refused(tree, "1: no uplink_latency_us for \"a\" (accepted: the option uplink_latency_us)", {});
    refused(tree, "1: no uplink_bandwidth_MBps for \"a\" (accepted: the option uplink_bandwidth_MBps)",
            {.uplink_latency_us = 1});
    const std::string flat = "\nSwitchName=a \\\n Nodes=n1,n2\n";
    refused(flat, "3: no overhead_us for \"n1\" (accepted: the option overhead_us)", {});
    refused(flat, "3: no latency_us for \"n1\" (accepted: the option latency_us)", {.overhead_us = 1});
    refused(flat, "3: no bandwidth_MBps for \"n1\" (accepted: the option bandwidth_MBps)",
            {.overhead_us = 1, .latency_us = 1});
    CHECK_THROWS_WITH_AS(read(flat, {.overhead_us = -1}), "overhead_us = -1 (accepted: 0 to 1e12 us)", input_error);
}

TEST_CASE("what is no tree of switches is refused with its line") {
    refused("# nothing", "1: no switch (accepted: lines SwitchName=NAME Nodes=LIST or Switches=LIST)");
    refused("SwitchName=a Nodes=n\n\nSwitchName=b Nodes=m\n",
            "3: switches \"a\" and \"b\" are not connected (accepted: one switch above all others)");
    refused("SwitchName=a Nodes=n\nSwitchName=b \\\n Switches=a,q",
            "3: unknown switch \"q\" (accepted: a SwitchName of this file)");
    refused("SwitchName=a Nodes=n\nSwitchName=b Switches=a\nSwitchName=c Switches=a\nSwitchName=d Switches=b,c",
            "3: switch \"a\" under \"b\" and \"c\" (accepted: under one switch)");
    refused("SwitchName=a Nodes=n\nSwitchName=b Switches=a,a",
            "2: switch \"a\" under \"b\" and \"b\" (accepted: under one switch)");
    refused("SwitchName=a Switches=b\nSwitchName=b Switches=a",
            "1: switch \"a\" stands under itself (accepted: a tree of switches)");
    refused("SwitchName=a Switches=a", "1: switch \"a\" stands under itself (accepted: a tree of switches)");
    refused("SwitchName=r Nodes=n\nSwitchName=x Nodes=m\nSwitchName=a Switches=b,x\nSwitchName=b \\\nSwitches=a\n",
            "3: switch \"a\" stands under itself (accepted: a tree of switches)");
    refused("SwitchName=a Nodes=n[0-2]\nSwitchName=b Nodes=m,n1\nSwitchName=r Switches=a,b",
            "2: node \"n1\" twice (accepted: every node once)");
}

TEST_CASE("what is no line of a topology is refused") {
    refused("SwitchName=a", "1: switch \"a\" is empty (accepted: Nodes=LIST or Switches=LIST)");
    refused("Nodes=n", "1: no SwitchName (accepted: SwitchName=NAME in every line)");
    refused("SwitchName=a Nodes=n\nSwitchName=a Nodes=m", "2: switch \"a\" twice (accepted: every switch once)");
    refused("SwitchName=a Nodes=n nodes=m", "1: \"nodes\" twice (accepted: once in a line)");
    refused("SwitchName=a\\\n Node=n", "2: \"Node\" (accepted: SwitchName, Nodes, Switches, LinkSpeed)");
    refused("BlockName=a Nodes=n", "1: \"BlockName\" (accepted: SwitchName, Nodes, Switches, LinkSpeed)");
    refused("SwitchName=a Nodes=n[3-1]", "1: \"3-1\" (accepted: numbers below 2^31 and ranges of them such as 0-3,7)");
    refused("SwitchName=a Nodes=n\nSwitchName=b Switches=a[", "2: \"a[\" (accepted: names with brackets in pairs)");
    refused("hello", "1: \"hello\" (accepted: KEY=VALUE)");
}

TEST_CASE("whatever is left of a file is read or refused in one line") {
    const std::string text =
        "SwitchName=s0 Nodes=n[0-3,7],m[01-02]\nSwitchName=s1 \\\n Nodes=\"k\" # leaf\nSwitchName=r Switches=s[0-1]\n";
    const auto tried = [](const std::string& changed) {
        try {
            const cluster c = read(changed);
            CHECK(c.machines.check() == error{});
            CHECK(c.cost.check() == error{});
        } catch (const input_error& wrong) {
            const std::string line = wrong.what();
            const bool fine = line.starts_with("dir/net.conf:") && line.find(" (accepted: ") != line.npos &&
                              line.ends_with(')') && line.find('\n') == line.npos;
            CHECK_MESSAGE(fine, line);
        }
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        tried(text.substr(0, i));
        tried(std::string(text).erase(i, 1));
        for (const char other : {'"', '[', ']', '-', '9', ',', '=', '\\', '\n', '\0'}) {
            std::string changed = text;
            changed[i] = other;
            tried(changed);
        }
    }
}

TEST_CASE("a large file is read in no time") {
    std::string text;
    for (int s = 0; s < 500; ++s)
        text += "SwitchName=s" + std::to_string(s) + " Nodes=r" + std::to_string(s) + "n[00-19]\n";
    const cluster c = read(text + "SwitchName=top Switches=s[0-499]\n");
    CHECK(c.machines.computers() == 10'000);
    CHECK(c.machines.equipment() == 501);
    CHECK(c.names.back() == "r499n19");
    CHECK(c.cost.check() == error{});
}
