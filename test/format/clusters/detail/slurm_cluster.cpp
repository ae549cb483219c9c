#include "collsched/format/clusters/detail/slurm_cluster.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/brief.hpp"
#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

constexpr cluster::defaults all{
    .overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100, .uplink_latency_us = 10, .uplink_bandwidth_MBps = 50};

cluster read(std::string_view text, const cluster::defaults& defaults = all) {
    return read_slurm_cluster({"dir/net.conf", std::string(text)}, defaults);
}
void refused(std::string_view text, std::string_view line, const cluster::defaults& defaults = all) {
    CHECK_THROWS_WITH_AS(read(text, defaults), support::located("dir/net.conf:", line).c_str(), input_error);
}

}  // namespace

TEST_CASE("slurm_cluster: a tree of switches is read") {
    const cluster c = read(
        "# two levels\n"
        "SwitchName=s0 Nodes=n[0-1]\n"
        "switchname=s1 NODES=m5 LinkSpeed=900\n"
        "SwitchName=top Switches=s[0-1]\n");
    CHECK(c.name == "net");
    CHECK(c.names == std::vector<std::string>{"n0", "n1", "m5"});
    CHECK(c.switch_names == std::vector<std::string>{"top", "s0", "s1"});
    CHECK(c.cost.switches().check() == argument_error{});
    CHECK(c.cost.check() == argument_error{});
    CHECK(c.cost.switches().home(1) == 1);
    CHECK(c.cost.switches().home(2) == 2);
    CHECK(c.cost.overhead(2) == 3'000'000);
    CHECK(c.cost.latency(0, 1) == 2'000'000);
    CHECK(c.cost.byte_fs(0, 1) == 10'000'000);
    CHECK(c.cost.latency(0, 2) == 22'000'000);
    CHECK(c.cost.byte_fs(2, 0) == 20'000'000);
}

TEST_CASE("slurm_cluster: switches may be in any order, deep or with nodes of their own") {
    const cluster c =
        read("SwitchName=c Nodes=z\nSwitchName=a Switches=b Nodes=x\nSwitchName=b Nodes=y \\\n  Switches=c\n");
    CHECK(c.names == std::vector<std::string>{"z", "x", "y"});
    CHECK(c.switch_names == std::vector<std::string>{"a", "b", "c"});
    CHECK(c.cost.switches().levels() == 3);
    CHECK(c.cost.latency(0, 1) == 22'000'000);
}

TEST_CASE("slurm_cluster: a tree has at most 64 levels of switches, in any order") {
    const auto chain = [](int levels) {
        std::string text = "SwitchName=s0 Nodes=n0\n";
        for (int i = 1; i < levels; ++i)
            text += "SwitchName=s" + std::to_string(i) + " Nodes=n" + std::to_string(i) + " Switches=s" +
                    std::to_string(i - 1) + "\n";
        return text;
    };
    CHECK(read(chain(64)).cost.switches().levels() == 64);
    refused(chain(65), "1: got \"s0\" too deep in the tree, expected at most 64 levels");
    refused(chain(3000), "2936: got \"s2935\" too deep in the tree, expected at most 64 levels");
}

TEST_CASE("slurm_cluster: one switch and one node need no uplinks") {
    const cluster c = read("SwitchName=s Nodes=n", {.overhead_us = 0, .latency_us = 0, .bandwidth_MBps = 1});
    CHECK(c.names == std::vector<std::string>{"n"});
    CHECK(c.cost.check() == argument_error{});
    CHECK(c.cost.overhead(0) == 0);
}

TEST_CASE("slurm_cluster: rates come from options, and a missing one is named") {
    const std::string tree = "SwitchName=a Nodes=n\nSwitchName=b Switches=a\n";
    refused(tree, "uplink_latency_us is required: dir/net.conf:1 has none for \"a\"", {});
    refused(tree, "uplink_bandwidth_MBps is required: dir/net.conf:1 has none for \"a\"", {.uplink_latency_us = 1});
    const std::string flat = "\nSwitchName=a \\\n Nodes=n1,n2\n";
    refused(flat, "overhead_us is required: dir/net.conf:3 has none for \"n1\"", {});
    refused(flat, "latency_us is required: dir/net.conf:3 has none for \"n1\"", {.overhead_us = 1});
    refused(flat, "bandwidth_MBps is required: dir/net.conf:3 has none for \"n1\"",
            {.overhead_us = 1, .latency_us = 1});
    CHECK_THROWS_WITH_AS(read(flat, {.overhead_us = -1}), "overhead_us: got -1, expected 0 to 1e12 us", input_error);
}

TEST_CASE("slurm_cluster: descriptions that are no tree of switches are rejected with their line") {
    refused("# nothing",
            "1: got no switch and no block, expected lines SwitchName=NAME Nodes=LIST or Switches=LIST, or lines "
            "BlockName=NAME Nodes=LIST");
    refused("SwitchName=a Nodes=n\n\nSwitchName=b Nodes=m\n",
            "3: got no path from node \"n\" below switch \"a\" to node \"m\" below switch \"b\", expected one switch "
            "above all "
            "others, or a choice by switch_name");
    refused("SwitchName=a Nodes=n\nSwitchName=b \\\n Switches=a,q",
            "3: got unknown switch \"q\", expected the name of a switch of this topology");
    refused("SwitchName=a Nodes=n\nSwitchName=b Switches=a\nSwitchName=c Switches=a\nSwitchName=d Switches=b,c",
            "3: got switch \"a\" under \"b\" and \"c\", expected under one switch");
    refused("SwitchName=a Nodes=n\nSwitchName=b Switches=a,a",
            "2: got switch \"a\" under \"b\" and \"b\", expected under one switch");
    refused("SwitchName=a Switches=b\nSwitchName=b Switches=a",
            "1: got switch \"a\" below itself, expected a tree of switches");
    refused("SwitchName=a Switches=a", "1: got switch \"a\" below itself, expected a tree of switches");
    refused("SwitchName=r Nodes=n\nSwitchName=x Nodes=m\nSwitchName=a Switches=b,x\nSwitchName=b \\\nSwitches=a\n",
            "3: got switch \"a\" below itself, expected a tree of switches");
    refused("SwitchName=a Nodes=n[0-2]\nSwitchName=b Nodes=m,n1\nSwitchName=r Switches=a,b",
            "2: got node \"n1\" twice, expected every node once");
}

TEST_CASE("slurm_cluster: a line that is no record of a topology is rejected") {
    refused("Nodes=n", "1: got no SwitchName, expected SwitchName=NAME in every line");
    refused("SwitchName=a Nodes=n\nSwitchName=a Nodes=m", "2: got switch \"a\" twice, expected every switch once");
    refused("SwitchName=a Nodes=n nodes=m", "1: got \"nodes\" twice, expected once per line");
    refused("SwitchName=a\\\n Node=n", "2: got \"Node\", expected SwitchName, Nodes, Switches, LinkSpeed");
    refused("SwitchName=a Nodes=n[3-1]",
            "1: got \"3-1\", expected numbers below 2^31 and ranges of them such as 0-3,7");
    refused("SwitchName=a Nodes=n\nSwitchName=b Switches=a[", "2: got \"a[\", expected names with brackets in pairs");
    refused("hello", "1: got \"hello\", expected KEY=VALUE");
}

TEST_CASE("slurm_cluster: keywords are the same in capital and small letters, and every record has one name") {
    const cluster c = read("SWITCHNAME=a nodes=n linkspeed=x\nswitchName=b SWITCHES=a Nodes=m\n");
    CHECK(c.switch_names == std::vector<std::string>{"b", "a"});
    refused("SwitchName=a Nodes=n[0-1]\nSwitchName=a Nodes=n[2-3]",
            "2: got switch \"a\" twice, expected every switch once");
    refused("SwitchName=\"\" Nodes=n", "1: got no SwitchName, expected SwitchName=NAME in every line");
}

TEST_CASE("slurm_cluster: a file of blocks") {
    const cluster c = read("blockname=b0 Nodes=n[0-1]\nBlockName=b1 \\\n Nodes=n[2-3]\nBLOCKSIZES=2,4\n");
    CHECK(c.name == "net");
    CHECK(c.switch_names == std::vector<std::string>{"b0..b1", "b0", "b1"});
    CHECK(c.names == std::vector<std::string>{"n0", "n1", "n2", "n3"});
    CHECK(c.cost.latency(0, 1) == 2'000'000);
    CHECK(c.cost.latency(0, 2) == 22'000'000);
}

TEST_CASE("slurm_cluster: text that is no file of blocks is rejected with its line") {
    const std::string_view mixture = ": got switches and blocks, expected topology/tree or topology/block, not both";
    refused("SwitchName=a Nodes=n\nBlockName=b Nodes=m", "2" + std::string(mixture));
    refused("BlockName=b Nodes=m\n\nSwitchName=a Nodes=n", "3" + std::string(mixture));
    refused("SwitchName=a Nodes=n\nBlockSizes=2", "2" + std::string(mixture));
    refused("BlockSizes=2\nSwitchName=a Nodes=n", "2" + std::string(mixture));
    refused("BlockName=b Nodes=m LinkSpeed=1", "1: got \"LinkSpeed\", expected BlockName, Nodes");
    refused("BlockName=b Nodes=m BlockSizes=1", "1: got \"BlockName\", expected BlockSizes");
    refused("BlockName=b Nodes=m nodes=k", "1: got \"nodes\" twice, expected once per line");
    refused("BlockName=\"\" Nodes=m", "1: got no BlockName, expected BlockName=NAME");
    refused("BlockSizes=1\nBlockName=b Nodes=m\nblocksizes=1", "3: got BlockSizes twice, expected once");
    refused("BlockName=b Nodes=m\nBlockSizes=\"\"", "2: got no size, expected BlockSizes=NUMBERS");
    refused("\nBlockSizes=1",
            "2: got no switch and no block, expected lines SwitchName=NAME Nodes=LIST or Switches=LIST, or lines "
            "BlockName=NAME Nodes=LIST");
}

TEST_CASE("slurm_cluster: other plugins and files are named") {
    refused("\nringname=r Nodes=n[1-8]", "2: got RingName of topology/ring, expected topology/tree, topology/block");
    refused("TopologyParam=Dragonfly", "1: got TopologyParam of slurm.conf, expected the settings of a topology.conf");
    refused("topologyplugin=topology/3d_torus",
            "1: got TopologyPlugin of slurm.conf, expected the settings of a topology.conf");
}

TEST_CASE("slurm_cluster: the option switch_name selects a switch, and the option topology has no effect") {
    const text_file file{"f", "SwitchName=a Nodes=n\nSwitchName=b Nodes=m\n"};
    CHECK(read_slurm_cluster(file, all, {.switch_name = "b"}).names == std::vector<std::string>{"m"});
    CHECK_THROWS_WITH_AS(read_slurm_cluster(file, all, {.switch_name = "c"}),
                         "switch_name: got \"c\", expected a switch with nodes below it", input_error);
    CHECK_THROWS_WITH_AS(read_slurm_cluster(file, all, {.topology = "t"}),
                         "topology: got \"t\", expected none without a Slurm topology.yaml", input_error);
    CHECK_THROWS_WITH_AS(read_slurm_cluster({"f", "BlockName=b Nodes=n"}, all, {.switch_name = "b"}),
                         "switch_name: got \"b\", expected none with topology/block, which has no switches",
                         input_error);
}

TEST_CASE("slurm_cluster: every damaged file is read or rejected with a one-line error") {
    const std::string text =
        "SwitchName=s0 Nodes=n[0-3,7],m[01-02]\nSwitchName=s1 \\\n Nodes=\"k\" # leaf\nSwitchName=r Switches=s[0-1]\n";
    const auto tried = [](const std::string& changed) {
        try {
            const cluster c = read(changed);
            CHECK(c.cost.switches().check() == argument_error{});
            CHECK(c.cost.check() == argument_error{});
        } catch (const input_error& wrong) {
            const std::string line = wrong.what();
            const bool fine =
                line.starts_with("dir/net.conf:") &&
                (line.find(": got ") < line.find(", expected ") || line.find(" is required: ") != line.npos) &&
                !line.ends_with(' ') && line.find('\n') == line.npos;
            CHECK_MESSAGE(fine, line);
        }
    };
    for (std::size_t i = 0; i < text.size(); i += support::one_of()) {
        tried(text.substr(0, i));
        tried(std::string(text).erase(i, 1));
        for (const char other : {'"', '[', ']', '-', '9', ',', '=', '\\', '\n', '\0'}) {
            std::string changed = text;
            changed[i] = other;
            tried(changed);
        }
    }
}

TEST_CASE("slurm_cluster: more than 2^20 switches or blocks are rejected before they are stored" *
          doctest::skip(support::brief())) {
    for (const std::string_view line : {"SwitchName=s\n", "BlockName=b\n"}) {
        std::string text;
        for (int i = 0; i <= 1 << 20; ++i) text += line;
        refused(text, "1048577: got too many switches or blocks, expected at most 2^20");
    }
}

TEST_CASE("slurm_cluster: a large file is read quickly") {
    std::string text;
    for (int s = 0; s < 500; ++s)
        text += "SwitchName=s" + std::to_string(s) + " Nodes=r" + std::to_string(s) + "n[00-19]\n";
    const cluster c = read(text + "SwitchName=top Switches=s[0-499]\n");
    CHECK(c.cost.switches().nodes() == 10'000);
    CHECK(c.cost.switches().switches() == 501);
    CHECK(c.names.back() == "r499n19");
    CHECK(c.cost.check() == argument_error{});
}
