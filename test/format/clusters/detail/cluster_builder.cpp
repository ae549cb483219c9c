#include "collsched/format/clusters/detail/cluster_builder.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

const text_file file{"f", ""};

/// Two switches with a node each; rates of links in fs per byte.
cluster_builder two(std::int64_t own, std::int64_t uplink, picoseconds latency = 1) {
    cluster_builder builder(file);
    builder.add_switch("root", -1, {}, 1);
    builder.add_switch("left", 0, {10, uplink}, 2);
    builder.add_switch("right", 0, {20, uplink}, 3);
    builder.add_node("a", 1, 100, {latency, own}, 4);
    builder.add_node("b", 2, 200, {latency, own}, 5);
    return builder;
}

}  // namespace

TEST_CASE("cluster_builder: a cluster is built of switches and nodes") {
    const cluster c = two(5, 7).build("c");
    CHECK(c.name == "c");
    CHECK(c.names == std::vector<std::string>{"a", "b"});
    CHECK(c.switch_names == std::vector<std::string>{"root", "left", "right"});
    CHECK(c.cost.switches().parent(2) == 0);
    CHECK(c.cost.switches().home(1) == 2);
    CHECK(c.cost.overhead(1) == 200);
    CHECK(c.cost.latency(0, 1) == 1 + 10 + 20 + 1);
    CHECK(c.cost.byte_fs(0, 1) == 7);
}

TEST_CASE("cluster_builder: added elements can be read and changed") {
    cluster_builder builder = two(5, 7);
    CHECK(builder.nodes() == 2);
    CHECK(builder.find("b") == 1);
    CHECK(builder.find("c") == -1);
    CHECK(builder.name(0) == "a");
    CHECK(builder.switch_name(1) == "left");
    CHECK(builder.parent(0) == -1);
    CHECK(builder.parent(2) == 0);
    builder.home(1) = 1;
    builder.node_link(0) = {3, 9};
    builder.uplink(1) = {1000, 1000};
    const cluster c = builder.build("c");
    CHECK(c.cost.latency(0, 1) == 4);
    CHECK(c.cost.byte_fs(0, 1) == 9);
}

TEST_CASE("cluster_builder: matrices override the tree") {
    const std::vector<picoseconds> latencies{0, 8, 9, 0};
    const std::vector<std::int64_t> byte_fs{0, 3, 4, 0};
    const cluster one = two(5, 7).build("c", latencies);
    CHECK(one.cost.latency(1, 0) == 9);
    CHECK(one.cost.byte_fs(1, 0) == 7);
    const cluster both = two(0, 0).build("c", latencies, byte_fs);
    CHECK(both.cost.byte_fs(0, 1) == 3);
    CHECK(both.cost.switches().switches() == 3);
}

TEST_CASE("cluster_builder: nodes have unique names") {
    cluster_builder builder = two(1, 1);
    CHECK_THROWS_WITH_AS(builder.add_node("a", 0, 0, {}, 9), "f:9: got node \"a\" twice, expected every node once",
                         input_error);
    CHECK_THROWS_WITH_AS(builder.add_node("", 0, 0, {}, 9), "f:9: got a node without a name, expected a name",
                         input_error);
}

TEST_CASE("cluster_builder: an error of the model names the line of the switch") {
    CHECK_THROWS_WITH_AS(two(0, 0).build("c"),
                         "f:1: got bandwidth of the paths at \"root\", expected a link with a bandwidth on every path",
                         input_error);
    cluster_builder deep = two(1, 1);
    deep.uplink(2).latency_ps = (picoseconds{1} << 60) + 1;
    CHECK_THROWS_WITH_AS(
        deep.build("c"),
        "f:3: got latency of the paths at \"right\", expected 0 ps or more, at most 2^60 ps along a path", input_error);
    cluster_builder bare(file);
    bare.add_switch("root", -1, {}, 1);
    bare.add_switch("left", 0, {1, 5}, 2);
    bare.add_node("a", 1, 0, {}, 3);
    bare.add_node("b", 1, 0, {}, 3);
    CHECK_THROWS_WITH_AS(bare.build("c"),
                         "f:2: got bandwidth of the paths at \"left\", expected a link with a bandwidth on every path",
                         input_error);
}

TEST_CASE("cluster_builder: names are UTF-8 that every output can show") {
    for (const char* name : {"a", "grüße", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "a<&\"b"}) {
        cluster_builder made(file);
        CHECK(made.add_switch("net", -1, {}, 1) == 0);
        CHECK(made.add_node(name, 0, 0, {}, 1) == 0);
    }
    const std::vector<std::string> odd{std::string("a\nb"),         std::string("\x7f"),
                                       std::string("a\xff"),        std::string("\xc0\x80"),
                                       std::string("\xed\xa0\x80"), std::string("\xef\xbf\xbf"),
                                       std::string("\xe2\x82"),     std::string("\xf4\x90\x80\x80"),
                                       std::string("\xc2\x85"),     std::string("a\0b", 3)};
    for (const std::string& name : odd) {
        cluster_builder made(file);
        std::string message;
        try {
            made.add_node(name, 0, 0, {}, 7);
        } catch (const input_error& wrong) {
            message = wrong.what();
        }
        CHECK(message.starts_with("f:7: got name "));
        CHECK(message.ends_with(", expected UTF-8 without control characters"));
        CHECK_THROWS_AS(made.add_switch(name, -1, {}, 1), input_error);
    }
}

TEST_CASE("cluster_builder: a tree has at most 64 levels, so that no path is long") {
    cluster_builder builder(file);
    for (rank_t e = 0; e < 64; ++e) builder.add_switch("e", e - 1, {}, 1);
    builder.add_switch("beside", 62, {}, 2);
    CHECK_THROWS_WITH_AS(builder.add_switch("below", 63, {}, 3),
                         "f:3: got \"below\" too deep in the tree, expected at most 64 levels", input_error);
}
