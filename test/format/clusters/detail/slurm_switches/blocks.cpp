#include "collsched/format/clusters/detail/slurm_switches.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

using names = std::vector<std::string>;

const text_file file{"f", ""};
constexpr cluster::defaults all{
    .overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100, .uplink_latency_us = 10, .uplink_bandwidth_MBps = 50};

cluster build(const slurm_topology& topology, const cluster::defaults& defaults = all) {
    return detail::slurm_blocks(file, topology, detail::slurm_costs(file, defaults)).build();
}
/// Blocks b0, b1, ... of two nodes each, block i in line i + 1, and the sizes in line 99.
slurm_topology pairs(int blocks, const std::string& sizes) {
    slurm_topology topology{"t", 9};
    for (int b = 0; b < blocks; ++b) {
        const std::string name = std::to_string(b);
        topology.blocks.push_back({"b" + name, b + 1, {"n" + name + "[0-1]", b + 1}});
    }
    topology.block_sizes = {sizes, 99};
    return topology;
}
/// "NAME" or "NAME<PARENT" of all switches.
std::string tree(const cluster& c) {
    std::string text;
    for (rank_t e = 0; e < c.cost.switches().switches(); ++e) {
        if (e > 0) text += ' ';
        text += c.switch_names[static_cast<std::size_t>(e)];
        if (e > 0) text += '<' + std::to_string(c.cost.switches().parent(e));
    }
    return text;
}
void refused(const slurm_topology& topology, std::string_view line) {
    CHECK_THROWS_WITH_AS(build(topology), ("f:" + std::string(line)).c_str(), input_error);
}

}  // namespace

TEST_CASE("slurm_blocks: neighboring blocks make the larger blocks of every size") {
    const cluster c = build(pairs(4, "2,4,8"));
    CHECK(tree(c) == "b0..b3 b0..b1<0 b2..b3<0 b0<1 b1<1 b2<2 b3<2");
    CHECK(c.names == names{"n00", "n01", "n10", "n11", "n20", "n21", "n30", "n31"});
    CHECK(c.cost.switches().levels() == 3);
    CHECK(c.cost.switches().distance(0, 1) == 2);
    CHECK(c.cost.switches().distance(0, 2) == 4);
    CHECK(c.cost.switches().distance(0, 4) == 6);
    CHECK(c.cost.latency(0, 1) == 2'000'000);
    CHECK(c.cost.latency(0, 4) == 42'000'000);
    CHECK(tree(build(pairs(4, "2,8"))) == "b0..b3 b0<0 b1<0 b2<0 b3<0");
}

TEST_CASE("slurm_blocks: a root holds all blocks where no size does") {
    CHECK(tree(build(pairs(4, "2,4"))) == "t b0..b1<0 b2..b3<0 b0<1 b1<1 b2<2 b3<2");
    CHECK(tree(build(pairs(2, "2"))) == "t b0<0 b1<0");
}

TEST_CASE("slurm_blocks: blocks that are left over make no larger block than they fill") {
    CHECK(tree(build(pairs(5, "2,4,8"))) == "t b0..b3<0 b0..b1<1 b2..b3<1 b0<2 b1<2 b2<3 b3<3 b4<0");
    CHECK(tree(build(pairs(5, "2,4,8,16"))) == "b0..b4 b0..b3<0 b0..b1<1 b2..b3<1 b0<2 b1<2 b2<3 b3<3 b4<0");
    CHECK(tree(build(pairs(3, "2,4,8"))) == "b0..b2 b0..b1<0 b0<1 b1<1 b2<0");
    CHECK(tree(build(pairs(7, "2,8"))) == "t b0..b3<0 b4..b6<0 b0<1 b1<1 b2<1 b3<1 b4<2 b5<2 b6<2");
}

TEST_CASE("slurm_blocks: without sizes 1, 2, 4, 8 and 16 blocks make a block") {
    CHECK(tree(build(pairs(3, ""))) == "b0..b2 b0..b1<0 b0<1 b1<1 b2<0");
    CHECK(build(pairs(16, "")).cost.switches().levels() == 5);
    CHECK(build(pairs(17, "")).switch_names.front() == "t");
    CHECK(build(pairs(17, "")).cost.switches().levels() == 6);
}

TEST_CASE("slurm_blocks: a single block is the root, and its link upwards needs no rates") {
    CHECK(tree(build(pairs(1, "2,4"), {.overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100})) == "b0");
    CHECK_THROWS_WITH_AS(build(pairs(2, "2,4"), {.overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100}),
                         "uplink_latency_us is required: f:1 has none for \"b0\"", input_error);
}

TEST_CASE("slurm_blocks: a block may have more or fewer nodes than the base block size") {
    slurm_topology uneven = pairs(2, "2,4");
    uneven.blocks[1].nodes.text = "m[0-4]";
    CHECK(build(uneven).cost.switches().nodes() == 7);
    uneven.blocks[1].nodes.text = "m";
    CHECK(build(uneven).names == names{"n00", "n01", "m"});
    CHECK(tree(build(uneven)) == "b0..b1 b0<0 b1<0");
    uneven.block_sizes.text = "4,8";
    CHECK(tree(build(uneven)) == "b0..b1 b0<0 b1<0");
    uneven.block_sizes.text = "";
    CHECK(build(uneven).cost.switches().nodes() == 3);
}

TEST_CASE("slurm_blocks: blocks without nodes count, and are no switches") {
    slurm_topology padded = pairs(4, "2,4");
    padded.blocks[1].nodes.text = padded.blocks[3].nodes.text = "";
    CHECK(tree(build(padded)) == "t b0..b1<0 b2..b3<0 b0<1 b2<2");
    CHECK(build(padded).names == names{"n00", "n01", "n20", "n21"});
    CHECK(build(padded).cost.switches().distance(0, 2) == 6);
    padded.blocks[2].nodes.text = "";
    CHECK(tree(build(padded)) == "t b0..b1<0 b0<1");
    padded = pairs(3, "2,4,8");
    padded.blocks[0].nodes.text = "";
    CHECK(tree(build(padded)) == "b0..b2 b0..b1<0 b1<1 b2<0");
    padded.blocks[1].nodes.text = padded.blocks[2].nodes.text = "";
    refused(padded, "9: got no block with nodes, expected one node or more");
}

TEST_CASE("slurm_blocks: sizes in any order, repeated, with blanks or without a text between commas are Slurm's") {
    for (const char* sizes : {"2,8,4", "2,4,4,8", "2,4,8,", ",2,,4,8", "2, 4, 8"})
        CHECK(tree(build(pairs(5, sizes))) == tree(build(pairs(5, "2,4,8"))));
}

TEST_CASE("slurm_blocks: a text that makes no blocks is rejected with its line") {
    const std::string accepted = ", expected a number of nodes, the first one times 2^k, k = 0 to 15";
    for (const auto& [sizes, wrong] :
         std::vector<std::pair<std::string, std::string>>{{"0", "0"},
                                                          {"-2", "-2"},
                                                          {",", ","},
                                                          {"2,3", "3"},
                                                          {"2,6", "6"},
                                                          {"4,8,2", "2"},
                                                          {"2,x", "x"},
                                                          {"2,4x", "4x"},
                                                          {"1,65536", "65536"},
                                                          {"99999999999999999999", "99999999999999999999"},
                                                          {"2,1", "1"}})
        refused(pairs(2, sizes), "99: got block size \"" + wrong + "\"" + accepted);
    CHECK(build(pairs(2, "1,32768")).switch_names.front() == "b0..b1");
    slurm_topology wrong = pairs(2, "2");
    wrong.blocks[1].name = "b0";
    refused(wrong, "2: got block \"b0\" twice, expected every block once");
    wrong = pairs(2, "2");
    wrong.blocks[1].nodes.text = "m,n00";
    refused(wrong, "2: got node \"n00\" twice, expected every node once");
    wrong = pairs(2, "2");
    for (slurm_block& block : wrong.blocks) block.nodes.text = "n[0-9][0-9][0-9][0-9][0-9][0-8]";
    refused(wrong, "2: got too many nodes, expected at most 2^20");
}
