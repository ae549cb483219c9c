#include "collsched/tree/match_chunks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "support/layouts.hpp"
#include "support/transfer_oracle.hpp"

using namespace collsched;
using topology::network;
using trees::detail::chunk_matching;
using trees::detail::chunk_sets;
using trees::detail::link_times;

TEST_CASE("chunk_matching: the chunks of one rank that another lacks, for sets of several words") {
    support::random_source random(9);
    for (const std::int64_t chunks : {1, 63, 64, 65, 200}) {
        chunk_sets held(3, chunks), promised(3, chunks);
        std::set<std::int64_t> a, b;
        for (std::int64_t i = 0; i < chunks; ++i) {
            const std::int64_t x = random.below(chunks), y = random.below(chunks);
            held.add(1, x), promised.add(2, y);
            a.insert(x), b.insert(y);
        }
        std::vector<std::int64_t> found, expected;
        held.visit_missing(1, promised, 2, [&](std::int64_t chunk) { found.push_back(chunk); });
        for (const std::int64_t chunk : a)
            if (!b.contains(chunk)) expected.push_back(chunk);
        CHECK(found == expected);
        CHECK(held.count_missing(1, promised, 2) == std::ssize(expected));
        CHECK(held.count_missing(0, promised, 2) == 0);
    }
}

TEST_CASE("chunk_matching: every seed gives a right plan, and seeds differ") {
    for (const auto& [name, net] : support::transfer_oracle::some_networks()) {
        const trees::matching_parameters how{.bytes = 1000, .parts = 2, .latency_holds = true};
        const link_times times(net, how.bytes, true, 1000);
        std::vector<trees::transfer_plan> plans;
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            INFO(name, " ", seed);
            chunk_matching one(net, times.of, how.parts, seed);
            CHECK(one.run() == -1);
            CHECK(!one.plan().check());
            CHECK(support::transfer_oracle::first_fault(net, one.plan(), how) == "");
            plans.push_back(one.plan());
        }
        INFO(name);
        if (net.ranks() > 7) CHECK(plans[0] != plans[1]);
    }
}

TEST_CASE("chunk_matching: a rank that some chunk cannot reach is returned") {
    const std::vector<network::link> links{{0, 1, 1000, 0}, {1, 2, 1000, 0}, {2, 1, 1000, 0}};
    const network net(3, 0, links);
    const link_times times(net, 1, true, 10);
    CHECK(chunk_matching(net, times.of, 1, 0).run() == 0);
}

TEST_CASE("chunk_matching: the last chunk waits for the faster of two links") {
    // Both links bring chunks of rank 0 to rank 1. The slow one needs 10 times as long: with 5 chunks it brings none, with 11
    // it brings one.
    const std::vector<network::link> links{{0, 1, 10'000'000, 0}, {0, 1, 1'000'000, 0}, {1, 0, 100'000'000, 0}};
    const network net(2, 0, links);
    const link_times times(net, 1, true, 1000);
    chunk_matching five(net, times.of, 5, 0);
    REQUIRE(five.run() == -1);
    CHECK(five.plan().completion() == 5 * 100'000);
    for (const trees::transfer_plan::hop& one : five.plan().hops) CHECK(one.link != 1);
    chunk_matching eleven(net, times.of, 11, 0);
    REQUIRE(eleven.run() == -1);
    CHECK(eleven.plan().completion() == 10 * 100'000);
}
