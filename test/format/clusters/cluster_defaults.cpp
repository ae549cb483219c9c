#include "collsched/format/clusters/cluster_defaults.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace collsched;

TEST_CASE("cluster_defaults: defaults in range are accepted, given or not") {
    cluster::defaults{}.check();
    cluster::defaults{.overhead_us = 0,
                      .latency_us = 1e12,
                      .bandwidth_MBps = 1e-9,
                      .uplink_latency_us = 0.5,
                      .uplink_bandwidth_MBps = 2e9}
        .check();
}

TEST_CASE("cluster_defaults: an option out of range is named") {
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
