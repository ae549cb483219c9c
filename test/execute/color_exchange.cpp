#include "collsched/execute/color_exchange.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "collsched/execute/mock_network/mock_run.hpp"
#include "collsched/execute/processes.hpp"
#include "collsched/execute/thread_fabric.hpp"
#include "support/processes.hpp"
#include "support/thread_ranks.hpp"

using namespace collsched;
using namespace std::chrono_literals;

namespace {

/// Color and key of a rank: every third rank is in no communicator, keys fall.
std::int64_t color_of(rank_t r) { return r % 3 == 2 ? -1 : r % 3; }
std::int64_t key_of(rank_t r) { return -(r / 2); }

/// The difference between a part and the split by lists of all colors, or "".
template <class Inner>
std::string difference(const communicator<Inner>& world, const communicator<Inner>& part) {
    std::vector<std::int64_t> colors, keys;
    for (rank_t r = 0; r < world.ranks(); ++r) {
        colors.push_back(color_of(r));
        keys.push_back(key_of(r));
    }
    communicator again(world.transport(), world.ranks(), world.rank());
    const communicator<Inner> expected = again.split(colors, keys);
    if (part.empty() || expected.empty()) return part.empty() == expected.empty() ? "" : "no communicator";
    return std::ranges::equal(part.members(), expected.members()) && part.id() == expected.id() ? "" : "members";
}

}  // namespace

TEST_CASE("color_exchange: makes the communicators of a split by lists, between threads") {
    for (const rank_t p : {1, 2, 5, 9})
        CHECK(support::thread_faults(p, [&](auto& endpoint, rank_t r) -> std::string {
                  const communicator world(endpoint, p, r);
                  color_exchange exchange(world, color_of(r), key_of(r));
                  if (!exchange.run().wait_for(1min).done()) return "no end";
                  return difference(world, exchange.result());
              }) == "");
}

TEST_CASE("color_exchange: splits a part of the processes, and the part again") {
    process_group::anonymous_segment room;
    support::rank_processes all(6, [&](rank_t r) -> std::string {
        process_group group;
        if (const process_group::join_error wrong = group.join(room, 6, r)) return wrong.object;
        process_group::transport transport(group);
        communicator world(transport, 6, r);
        color_exchange halves(world, r / 3, 0);
        if (!halves.run().wait_for(30s).done()) return "no end";
        communicator half = halves.result();
        color_exchange pairs(half, half.rank() == 1 ? half.undefined : 0, -half.rank());
        if (!pairs.run().wait_for(30s).done()) return "no second end";
        const auto pair = pairs.result();
        if (r % 3 == 1) return pair.empty() ? "" : "not empty";
        return pair.ranks() == 2 && pair.members()[0] == r / 3 * 3 + 2 && pair.members()[1] == r / 3 * 3 ? "" : "wrong";
    });
    for (const std::string& fault : all.faults()) CHECK(fault == "");
}

TEST_CASE("color_exchange: several exchanges over one communicator run at once") {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        mock_network network(5, {.seed = seed, .eager = true, .reorder = true, .noise = true, .delay = 300});
        std::deque<mock_network::endpoint> endpoints;
        std::deque<communicator<mock_network::endpoint>> worlds;
        std::deque<color_exchange<mock_network::endpoint>> first, second;
        std::vector<execution<communicator<mock_network::endpoint>>*> runs;
        for (rank_t r = 0; r < 5; ++r) {
            worlds.emplace_back(endpoints.emplace_back(network.at(r)), 5, r);
            first.emplace_back(worlds.back(), color_of(r), key_of(r));
            second.emplace_back(worlds.back(), 0, -r);
            runs.push_back(&second.back().run());
            runs.push_back(&first.back().run());
        }
        REQUIRE(take_turns(network, runs));
        for (std::size_t r = 0; r < 5; ++r) {
            CHECK(difference(worlds[r], first[r].result()) == "");
            const auto reversed = second[r].result();
            CHECK(reversed.rank() == 4 - static_cast<rank_t>(r));
        }
    }
}

TEST_CASE("color_exchange: a wrong color of one rank is an error on all ranks") {
    mock_network network(3);
    std::deque<mock_network::endpoint> endpoints;
    std::deque<color_exchange<mock_network::endpoint>> all;
    std::vector<execution<communicator<mock_network::endpoint>>*> runs;
    for (rank_t r = 0; r < 3; ++r) {
        const communicator world(endpoints.emplace_back(network.at(r)), 3, r);
        all.emplace_back(world, r == 1 ? -2 : 0, 0);
        runs.push_back(&all.back().run());
    }
    REQUIRE(take_turns(network, runs));
    for (auto& one : all) try {
            one.result();
            FAIL("accepted");
        } catch (const bad_argument& error) {
            CHECK(error.what() == std::string("colors[1]: got -2, expected 0 or more, or -1 for no communicator"));
        }
}

TEST_CASE("color_exchange: a rank that never splits leaves the others a time limit") {
    thread_fabric fabric(2);
    auto endpoint = fabric.at(0);
    const communicator world(endpoint, 2, 0);
    color_exchange exchange(world, 0, 0);
    CHECK(exchange.run().wait_for(1ms).running());
    exchange.run().fail(timed_out);
    CHECK(exchange.run().state().error == timed_out);
}
