#include "collsched/tree/detail/switch_paths.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "support/random_network.hpp"
#include "support/transfer_oracle.hpp"

using namespace collsched;
using topology::network;
using trees::detail::chunks_within;
using trees::detail::ingress_bound;
using trees::detail::link_time;
using trees::detail::link_times;
using trees::detail::transmission_time;

TEST_CASE("link_times: the time of a transmission is rounded up to a picosecond, exactly") {
    CHECK(transmission_time(1, 1).value() == 1'000'000'000'000);
    CHECK(transmission_time(3, 2'000'000'000'000).value() == 2);
    CHECK(transmission_time(1, INT64_MAX).value() == 1);
    CHECK(transmission_time(INT64_MAX, 1'000'000'000'000).value() == INT64_MAX);
    CHECK(!transmission_time(INT64_MAX, 1'000'000'000).ok());
    support::random_source random(3);
    for (int i = 0; i < 2000; ++i) {
        const std::int64_t bytes = 1 + random.below(std::int64_t{1} << (1 + i % 50)),
                           bandwidth = 1 + random.below(std::int64_t{1} << (20 + i % 43));
        const checked time = transmission_time(bytes, bandwidth);
        if (time.ok()) CHECK(support::transfer_oracle::is_transmission(time.value(), bytes, bandwidth));
    }
}

TEST_CASE("link_times: latency holds a link or does not, and times that are too long are reported") {
    const std::vector<network::link> links{{0, 1, 1'000'000'000, 7}, {1, 0, 2'000'000'000, 9}};
    const network net(2, 0, links);
    for (const bool holds : {false, true}) {
        const link_times times(net, 100, holds, 4);
        REQUIRE(!times.error);
        CHECK(times.of[0].held == (holds ? 100'007 : 100'000));
        CHECK(times.of[0].total == 100'007);
        CHECK(times.of[1].held == (holds ? 50'009 : 50'000));
        CHECK(times.of[1].total == 50'009);
    }
    CHECK(link_times(net, INT64_MAX, true, 4).error);
    CHECK(link_times(net, 1'000'000'000, true, INT64_MAX / 2).error);
    const std::vector<network::link> far{{0, 1, 1'000'000'000, INT64_MAX}};
    CHECK(link_times(network(2, 0, far), 1, true, 4).error);
}

TEST_CASE("link_times: the chunks within a time") {
    const link_time one{10, 25};
    CHECK(chunks_within(one, -1) == 0);
    CHECK(chunks_within(one, 24) == 0);
    CHECK(chunks_within(one, 25) == 1);
    CHECK(chunks_within(one, 34) == 1);
    CHECK(chunks_within(one, 35) == 2);
}

TEST_CASE("link_times: the bound is the least time in which every rank can receive its chunks") {
    CHECK(ingress_bound(network(1, 0, {}), owned_array<link_time>(), 0) == 0);
    CHECK(ingress_bound(network(2, 0, {}), owned_array<link_time>(), 1) == INT64_MAX);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const network net = support::random_network(seed, support::network_shape::directed);
        const link_times times(net, 1 + static_cast<bytes_t>(seed % 5), seed % 2 == 0, 1000);
        REQUIRE(!times.error);
        const auto enough = [&](std::int64_t time, std::int64_t chunks) {
            std::vector<std::int64_t> brought(static_cast<std::size_t>(net.vertices()));
            for (std::size_t i = 0; i < net.links().size(); ++i)
                brought[static_cast<std::size_t>(net.links()[i].to)] +=
                    chunks_within(times.of[static_cast<std::int64_t>(i)], time);
            for (rank_t r = 0; r < net.ranks(); ++r)
                if (brought[static_cast<std::size_t>(r)] < chunks) return false;
            return true;
        };
        for (const std::int64_t chunks : {1, 2, 17}) {
            const std::int64_t bound = ingress_bound(net, times.of, chunks);
            CHECK(enough(bound, chunks));
            CHECK(!enough(bound - 1, chunks));
        }
    }
}
