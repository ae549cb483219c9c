#include "collsched/simulate/link_queue_bound.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/simulate/link_queue_run.hpp"
#include "collsched/topology/networks.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

constexpr std::int64_t giga = 1'000'000'000;  // 1 byte per 1000 ps

}  // namespace

TEST_CASE("link_queue_bound: no schedule completes before its bound, with either rule for latencies") {
    constexpr rank_t sizes[] = {3, 2, 2};
    const topology::network::cable cable{giga, 5000};
    const topology::network ring = topology::networks::ring(12, cable);
    std::vector<topology::network::link> links;
    for (const topology::network::link& link : ring.links()) links.insert(links.end(), 2, link);
    const topology::network doubled(12, 0, links);
    int above_half = 0;
    for (const topology::network& net : {topology::networks::torus(sizes, cable), ring, doubled})
        for (const bool occupies : {false, true}) {
            const link_queue_model model{net, {}, occupies};
            for (const algorithm_entry& entry : compiled::registry())
                for (const bytes_t bytes : {bytes_t{8}, bytes_t{100'000}}) {
                    const any_schedule s = entry.make({.ranks = 12, .block = bytes, .bytes = bytes, .element = 4});
                    if (s.check()) continue;
                    const picoseconds bound = completion_bound(s, model), time = simulate(s, model).completion;
                    INFO(std::string(name_of(entry.info.collective)), " ", entry.info.name, " ", bytes);
                    CHECK(bound <= time);
                    above_half += 2 * bound > time ? 1 : 0;
                }
        }
    CHECK(above_half > 20);
}

TEST_CASE("link_queue_bound: the bound is the time of a link that is always occupied, and a latency") {
    const topology::network ring = topology::networks::ring(4, {giga, 5000});
    const allgather::ring x{.ranks = 4, .block = 700};
    const any_schedule s(x);
    CHECK(completion_bound(s, link_queue_model{ring, {}, false}) == 3 * 700'000 + 5000 - 1);
    CHECK(completion_bound(s, link_queue_model{ring, {}, true}) == 3 * (700'000 + 5000) - 1);
}

TEST_CASE("link_queue_bound: wrong arguments have the bound 0") {
    const link_queue_model model{topology::networks::ring(4, {giga, 5000}), {}, false};
    CHECK(completion_bound(any_schedule(alltoall::linear{.ranks = 0, .block = 1}), model) == 0);
    CHECK(completion_bound(any_schedule(alltoall::linear{.ranks = 3, .block = 1}), model) == 0);
    const link_queue_model parts{topology::network(2, 0, {}), {}, false};
    CHECK(completion_bound(any_schedule(alltoall::linear{.ranks = 2, .block = 1}), parts) == 0);
}
