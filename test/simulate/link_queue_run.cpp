#include "collsched/simulate/link_queue_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/collective/over_forest.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/forest_paths.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/pack_forest.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;
using topology::network;

namespace {

constexpr std::int64_t giga = 1'000'000'000;  // 1 byte per 1000 ps

picoseconds completion(const auto& x, const link_queue_model& model, const simulation::conditions& when = {}) {
    const simulation run = simulate(x, model, when);
    REQUIRE(!run.error);
    return run.completion;
}

/// Returns the argument of the error of a run.
std::string error_of(const auto& x, const link_queue_model& model) {
    try {
        const simulation run = simulate(x, model);
        return run.error ? run.error.argument : "";
    } catch (const bad_argument& wrong) {
        return wrong.error().argument;
    }
}

}  // namespace

TEST_CASE("link_queue_run: a ring takes p-1 times latency and bytes / bandwidth, with either rule for latencies") {
    for (const rank_t p : {2, 3, 8})
        for (const bytes_t block : {0, 1, 700}) {
            const link_queue_model model{topology::networks::ring(p, {giga, 5000}), {}, false};
            const allgather::ring x{.ranks = p, .block = block};
            if (block > 0) CHECK(completion(x, model) == (p - 1) * (5000 + block * 1000));
            const link_queue_model held{model.net, {}, true};
            CHECK(completion(x, held) == completion(x, model));
        }
}

TEST_CASE("link_queue_run: transfers of one link follow each other, and a latency that occupies it delays the next") {
    // Rank 0 sends 3 blocks of 100 bytes to each of 3 others through one switch.
    const network::link links[] = {{0, 4, giga, 2000}, {4, 1, giga, 2000}, {4, 2, giga, 2000}, {4, 3, giga, 2000},
                                   {1, 4, giga, 2000}, {2, 4, giga, 2000}, {3, 4, giga, 2000}, {4, 0, giga, 2000}};
    const network star(4, 1, links);
    const gather::linear x{.ranks = 4, .root = 0, .block = 100};
    // Three messages are on their own links to the switch at once, then on the link to the root one after another.
    CHECK(completion(x, {star, {}, false}) == 100'000 + 2000 + 3 * 100'000 + 2000);
    CHECK(completion(x, {star, {}, true}) == 102'000 + 3 * 102'000);
}

TEST_CASE("link_queue_run: of parallel links, transfers take the one where they end first") {
    // The link of twice the bandwidth takes two of three messages.
    const network::link pair[] = {{0, 1, giga}, {0, 1, 2 * giga}, {1, 0, giga}};
    const link_queue_model model{network(2, 0, pair), {}, false};
    const stored_schedule three =
        materialize(broadcast::over_tree<trees::chain>{.ranks = 2, .bytes = 300, .segment = 100});
    CHECK(completion(three, model) == 100'000);
}

TEST_CASE("link_queue_run: transfers of different sizes that wait for one link take their own times") {
    // An independent replay of one step at a star: every rank sends to rank 0 a message of its own size.
    for (const bytes_t largest : {1, 1000, 1'000'000}) {
        std::vector<network::link> links;
        for (rank_t r = 0; r < 4; ++r) links.insert(links.end(), {{r, 4, giga, 2000}, {4, r, giga, 2000}});
        const std::vector<bytes_t> counts{5, largest, 1, 300};
        const gather::linear x{.ranks = 4, .root = 0, .block = block_layout(counts)};
        std::vector<std::pair<picoseconds, bytes_t>> arrivals;  // at the switch, by time
        for (rank_t r = 1; r < 4; ++r)
            arrivals.emplace_back(1000 * counts[static_cast<std::size_t>(r)] + 2000,
                                  counts[static_cast<std::size_t>(r)]);
        std::ranges::sort(arrivals);
        picoseconds free = 0;
        for (const auto& [time, bytes] : arrivals) free = std::max(free, time) + 1000 * bytes;
        CHECK(completion(x, {network(4, 1, links), {}, false}) == free + 2000);
        // Two transfers of one step on one link, one after the other.
        const network::link pair[] = {{0, 1, giga}, {1, 0, giga}};
        const edge both[] = {{.src = 0, .dst = 1, .from_offset = 0, .into_offset = 0, .size = largest},
                             {.src = 0, .dst = 1, .from_offset = largest, .into_offset = largest, .size = 7}};
        const contract contract{.collective = collective::broadcast, .ranks = 2, .bytes = largest + 7};
        const stored_schedule two(contract, 1, {}, owned_array<bytes_t>(2), owned_array<bytes_t>(2),
                                  owned_array<edge>(std::span<const edge>(both)), 1);
        CHECK(completion(two, {network(2, 0, pair), {}, false}) == 1000 * (largest + 7));
    }
}

TEST_CASE("link_queue_run: start times, the limit, and signals") {
    const link_queue_model model{topology::networks::ring(4, {giga, 7000}), {}, false};
    const allgather::ring x{.ranks = 4, .block = 100};
    const std::vector<picoseconds> start{0, 0, 50'000, 0};
    CHECK(completion(x, model, {.start = start}) == completion(x, model) + 50'000);
    simulation::conditions when;
    when.limit = 100'000;
    CHECK(simulate(x, model, when).is_beyond_limit());
    CHECK(completion(barrier::dissemination{.ranks = 4}, model) == 7000 + 2 * 7000);
    CHECK(completion(allgather::ring{.ranks = 1, .block = 9}, {topology::networks::ring(1, {giga, 0}), {}, false}) ==
          0);
}

TEST_CASE("link_queue_run: a path that is none of the network is an error") {
    const network ring = topology::networks::ring(4, {giga, 0});
    const allgather::ring x{.ranks = 4, .block = 100};
    const auto error = [&](const link_queue_model::router& paths) {
        return error_of(x, link_queue_model{ring, paths, false});
    };
    CHECK(error([](const edge& e, std::vector<rank_t>& path) { path = {e.src, e.dst}; }) == "");
    CHECK(error([](const edge& e, std::vector<rank_t>& path) { path = {e.src, (e.src + 2) % 4, e.dst}; }) == "path");
    CHECK(error([](const edge& e, std::vector<rank_t>& path) { path = {e.src}; }) == "path");
    CHECK(error([](const edge& e, std::vector<rank_t>& path) { path = {e.dst, e.src}; }) == "path");
    CHECK(error([](const edge& e, std::vector<rank_t>& path) { path = {e.src, 99, e.dst}; }) == "path");
    CHECK(error([](const edge& e, std::vector<rank_t>& path) { path = {e.src, -1, e.dst}; }) == "path");
    const network::link one_way[] = {{0, 1}, {1, 2}, {2, 3}};
    CHECK(error_of(x, link_queue_model{network(4, 0, one_way), {}, false}) == "path");
    CHECK(error_of(x, link_queue_model{topology::networks::ring(5, {giga, 0}), {}, false}) == "ranks");
    CHECK(error_of(x, link_queue_model{}) == "ranks");
}

TEST_CASE("link_queue_run: a run of 2^63 picoseconds or more is an error") {
    const link_queue_model slow{topology::networks::ring(3, {1, 0}), {}, false};
    CHECK(error_of(allgather::ring{.ranks = 3, .block = bytes_t{1} << 40}, slow) == "time");
}

TEST_CASE("link_queue_run: a run ends without times when its time is over") {
    const link_queue_model model{topology::networks::ring(40, {giga, 5000}), {}, false};
    const allgather::ring x{.ranks = 40, .block = 1000};
    int looks = 0;
    CHECK(completion(x, model, {.is_over = [&] { return ++looks < 0; }}) > 0);
    CHECK(looks > 0);
    const simulation run = simulate(x, model, {.is_over = [] { return true; }});
    CHECK(std::string(run.check().argument) == "is_over");
    CHECK(run.finish.empty());
}

TEST_CASE("link_queue_run: an allgather over a packed forest comes within 1 % of the bound") {
    const std::int64_t dims[] = {3, 3};
    const network mesh = topology::networks::mesh(dims, {50 * giga, 500'000});
    std::vector<rank_t> roots;
    for (rank_t r = 0; r < 9; ++r) roots.push_back(r);
    const trees::planned_forest forest = trees::pack_forest(mesh, roots).result;
    const bytes_t block = 100'000'000;
    const allgather::over_forest x{.ranks = 9, .block = block, .segment = 100'000, .forest = forest};
    const forest_paths paths(lower(x).contract(), forest);
    const link_queue_model model{
        mesh, [&](const edge& e, std::vector<rank_t>& path) { paths.visit(e, [&](rank_t v) { path.push_back(v); }); },
        false};
    const double bound = 9 * static_cast<double>(block) /
                         topology::throughput_bound(mesh, collective::allgather, 0).bandwidth.value() * 1e12;
    const double time = static_cast<double>(completion(x, model));
    CHECK(time >= bound);
    CHECK(time <= 1.01 * bound);
}

TEST_CASE(
    "link_queue_run: a send is complete when all its transfers have left the rank, a receive when all are there") {
    // 0 - 1 - 2 in a row, one byte per ns. Rank 0 sends 100 and 50 bytes to rank 2, as one message, then 10 to rank 1.
    const network::link links[] = {{0, 1, giga, 7000}, {1, 2, giga, 9000}};
    const link_queue_model model{network(3, 0, links), {}, false};
    const auto s = support::by_hand(
        {.collective = collective::reduce, .ranks = 3, .bytes = 200}, 2,
        {{.step = 0, .src = 0, .dst = 2, .size = 100, .into = buffer::output},
         {.step = 0, .src = 0, .dst = 2, .from_offset = 100, .into_offset = 100, .size = 50, .into = buffer::output},
         {.step = 1, .src = 0, .dst = 1, .size = 10, .into = buffer::output}});
    const simulation made = simulate(s, model);
    CHECK(made.finish[0] == 160'000);
    CHECK(made.finish[1] == 160'000 + 7000);
    CHECK(made.finish[2] == 107'000 + 100'000 + 50'000 + 9000);
    CHECK(made.completion == 266'000);
    for (rank_t r = 0; r < 3; ++r) CHECK((made.cpu_busy[r] == 0 && made.out_busy[r] == 0 && made.in_busy[r] == 0));
    // A start time delays the rank alone, and a run may end at its limit.
    const picoseconds start[] = {1000, 500'000, 0};
    const simulation late = simulate(s, model, {.start = start});
    CHECK((late.finish[0] == 161'000 && late.finish[1] == 500'000 && late.finish[2] == 267'000));
    CHECK_FALSE(simulate(s, model, {.limit = 266'000}).check());
    CHECK(simulate(s, model, {.limit = 265'999}).check() == argument_error{"limit", 265'999, "a longer time"});
    // A latency that occupies the link delays the next transfer.
    const simulation held = simulate(s, link_queue_model{model.net, {}, true});
    CHECK(held.finish[0] == 160'000 + 3 * 7000);
    CHECK(held.finish[1] == held.finish[0]);
    CHECK(held.finish[2] == 107'000 + 109'000 + 59'000);
}
