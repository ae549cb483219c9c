#include "collsched/format/clusters/detail/slurm_switches.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("slurm_costs: every cost comes from its own default") {
    const text_file file{"f", ""};
    const cluster::defaults all{
        .overhead_us = 3, .latency_us = 1, .bandwidth_MBps = 100, .uplink_latency_us = 10, .uplink_bandwidth_MBps = 50};
    const detail::slurm_costs costs(file, all);
    CHECK(costs.overhead("n", 1) == 3'000'000);
    CHECK(costs.node_link("n", 1) == lob_model::link_cost{1'000'000, 10'000'000});
    CHECK(costs.uplink("s", 1) == lob_model::link_cost{10'000'000, 20'000'000});
}

TEST_CASE("slurm_costs: a missing default is named with its use") {
    const text_file file{"f", ""};
    const cluster::defaults none;
    const detail::slurm_costs costs(file, none);
    CHECK_THROWS_WITH_AS(costs.overhead("n", 4), "overhead_us is required: f:4 has none for \"n\"", input_error);
    CHECK_THROWS_WITH_AS(costs.node_link("n", 5), "latency_us is required: f:5 has none for \"n\"", input_error);
    CHECK_THROWS_WITH_AS(costs.uplink("s", 6), "uplink_latency_us is required: f:6 has none for \"s\"", input_error);
}
