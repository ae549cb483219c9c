#include "collsched/format/clusters/cluster.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace collsched;

namespace {

cluster on_one_switch(std::vector<std::string> names) {
    const auto n = static_cast<rank_t>(names.size());
    const std::vector<picoseconds> overheads(names.size(), 1);
    const std::vector<lob_model::link_cost> own(names.size(), {2, 3}), uplinks(1);
    const topology::switch_tree switches = topology::switch_tree::flat(n);
    return {"c", std::move(names), {"switch"}, lob_model(switches, overheads, own, uplinks)};
}

std::vector<rank_t> seats(const topology::placement& where) {
    std::vector<rank_t> list;
    for (rank_t r = 0; r < where.ranks(); ++r) list.push_back(where.node(r));
    return list;
}

}  // namespace

TEST_CASE("cluster: an error is one line for any quoted text") {
    CHECK(std::string(input_error({.value = "a\nb\tc\r\x7f d", .expected = "e"}).what()) ==
          "got a b c   d, expected e");
}

TEST_CASE("cluster: nodes are found by name") {
    const cluster c = on_one_switch({"A", "B", "C"});
    CHECK(c.find("A") == 0);
    CHECK(c.find("C") == 2);
    CHECK(!c.find("D"));
    CHECK(!c.find(""));
}

TEST_CASE("cluster: a placement is block, cyclic, or one node per rank") {
    const cluster c = on_one_switch({"A", "B", "C"});
    CHECK(seats(read_placement("block", c, 7)) == std::vector<rank_t>{0, 0, 0, 1, 1, 2, 2});
    CHECK(seats(read_placement("cyclic", c, 5)) == std::vector<rank_t>{0, 1, 2, 0, 1});
    CHECK(seats(read_placement("block", c, 2)) == std::vector<rank_t>{0, 1});
    CHECK(seats(read_placement("A,B,B,A", c, 4)) == std::vector<rank_t>{0, 1, 1, 0});
    CHECK(seats(read_placement("C", c, 1)) == std::vector<rank_t>{2});
    CHECK(read_placement("B,B", c, 2).nodes() == 3);
    CHECK(c.cost.placed(read_placement("A,B,B,A", c, 4)).check() == argument_error{});
}

TEST_CASE("cluster: the words block and cyclic have precedence over nodes of that name") {
    const cluster c = on_one_switch({"x", "block"});
    CHECK(seats(read_placement("block", c, 1)) == std::vector<rank_t>{0});
    CHECK(seats(read_placement("block,x", c, 2)) == std::vector<rank_t>{1, 0});
}

TEST_CASE("cluster: a wrong placement is reported in one line") {
    const cluster c = on_one_switch({"A", "B"});
    const std::string accepted = ", expected block, cyclic, or names of nodes with commas between them";
    CHECK_THROWS_WITH_AS(read_placement("A,Q", c, 2), ("placement[1]: got \"Q\"" + accepted).c_str(), input_error);
    CHECK_THROWS_WITH_AS(read_placement("", c, 1), ("placement[0]: got \"\"" + accepted).c_str(), input_error);
    CHECK_THROWS_WITH_AS(read_placement("A,", c, 2), ("placement[1]: got \"\"" + accepted).c_str(), input_error);
    CHECK_THROWS_WITH_AS(read_placement("A, B", c, 2), ("placement[1]: got \" B\"" + accepted).c_str(), input_error);
    CHECK_THROWS_WITH_AS(read_placement("A,B", c, 3), "placement: got 2 nodes, expected 3, one per rank", input_error);
    CHECK_THROWS_WITH_AS(read_placement("A,B,A", c, 2), "placement: got 3 nodes, expected 2, one per rank",
                         input_error);
    CHECK_THROWS_WITH_AS(read_placement("block", c, 0), "ranks: got 0, expected 1 or more", input_error);
}

TEST_CASE("cluster: defaults in range are accepted, given or not") {
    cluster::defaults{}.check();
    cluster::defaults{.overhead_us = 0,
                      .latency_us = 1e12,
                      .bandwidth_MBps = 1e-9,
                      .uplink_latency_us = 0.5,
                      .uplink_bandwidth_MBps = 2e9}
        .check();
}

TEST_CASE("cluster: an option out of range is named") {
    CHECK_THROWS_WITH_AS((cluster::defaults{.overhead_us = -1}.check()), "overhead_us: got -1, expected 0 to 1e12 us",
                         input_error);
    CHECK_THROWS_WITH_AS((cluster::defaults{.latency_us = 2e12}.check()),
                         "latency_us: got 2000000000000, expected 0 to 1e12 us", input_error);
    CHECK_THROWS_WITH_AS((cluster::defaults{.bandwidth_MBps = 0}.check()),
                         "bandwidth_MBps: got 0, expected 1e-9 to 2e9 MB/s", input_error);
    CHECK_THROWS_WITH_AS((cluster::defaults{.uplink_latency_us = -0.5}.check()),
                         "uplink_latency_us: got -0.5, expected 0 to 1e12 us", input_error);
    CHECK_THROWS_WITH_AS((cluster::defaults{.uplink_bandwidth_MBps = std::numeric_limits<double>::quiet_NaN()}.check()),
                         "uplink_bandwidth_MBps: got nan, expected 1e-9 to 2e9 MB/s", input_error);
}
