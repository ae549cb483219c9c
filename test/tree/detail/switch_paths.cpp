#include "collsched/tree/detail/switch_paths.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "support/random_network.hpp"
#include "support/transfer_oracle.hpp"

using namespace collsched;

using topology::network;
using trees::detail::link_times;
using trees::detail::switch_path;
using trees::detail::switch_paths;

namespace {

/// The arrival of the path to `to` from each rank.
std::map<rank_t, std::int64_t> arrivals(const switch_paths& paths, rank_t to) {
    std::map<rank_t, std::int64_t> found;
    paths.visit(to, [&](const switch_path& path, std::int64_t i) {
        CHECK(paths[i].arrival == path.arrival);
        CHECK(found.emplace(path.from, path.arrival).second);
    });
    return found;
}

/// Rank 0 and rank 1 at switch 3, rank 2 behind switch 4: 10 ps per link, and 100 ps from rank 0 to rank 1 directly.
const std::vector<network::link> links{{0, 1, 10'000'000'000, 0},  {0, 3, 100'000'000'000, 0},
                                       {3, 1, 100'000'000'000, 0}, {1, 3, 100'000'000'000, 0},
                                       {3, 4, 100'000'000'000, 0}, {4, 2, 100'000'000'000, 0}};

}  // namespace

TEST_CASE("switch_paths: the earliest arrival over switches, not over ranks") {
    const network net(3, 2, links);
    const link_times times(net, 1, true, 10);
    switch_paths paths(net, times.of);
    paths.search(5);
    CHECK(arrivals(paths, 0).empty());
    CHECK(arrivals(paths, 1) == std::map<rank_t, std::int64_t>{{0, 25}});
    CHECK(arrivals(paths, 2) == std::map<rank_t, std::int64_t>{{0, 35}, {1, 35}});
    CHECK(paths.wake == INT64_MAX);
}

TEST_CASE("switch_paths: a path begins when its later links are free as the chunk reaches them") {
    const network net(3, 2, links);
    const link_times times(net, 1, true, 10);
    switch_paths paths(net, times.of);
    paths.search(0);
    std::vector<std::pair<std::int64_t, std::int64_t>> used;
    paths.visit(2, [&](const switch_path& path, std::int64_t) {
        if (path.from != 0) return;
        CHECK(paths.last_link(path) == 5);
        CHECK(paths.usable(path, 0));
        paths.occupy(path, 0, [&](std::int64_t link, std::int64_t begin) { used.emplace_back(link, begin); });
        CHECK(!paths.usable(path, 0));
        CHECK(!paths.usable(path, 9));
        CHECK(paths.usable(path, 10));
    });
    CHECK(used == std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 0}, {4, 10}, {5, 20}});
    CHECK(paths.free_from(5) == 30);
    paths.search(5);  // rank 1 reaches switch 3 at 15, where the link to switch 4 is in use up to 20
    CHECK(arrivals(paths, 2).empty());
    CHECK(arrivals(paths, 1) == std::map<rank_t, std::int64_t>{{0, 105}});
    CHECK(paths.wake == 10);
    paths.search(10);
    CHECK(arrivals(paths, 2) == std::map<rank_t, std::int64_t>{{0, 40}, {1, 40}});
}

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
    const std::vector<network::link> both_ways{{0, 1, 1'000'000'000, 7}, {1, 0, 2'000'000'000, 9}};
    const network net(2, 0, both_ways);
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
