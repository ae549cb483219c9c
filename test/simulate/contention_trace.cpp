#include "collsched/simulate/contention_trace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/reduce/linear.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"

using namespace collsched;
using delay = simulation::critical_step::delay;
using usage = simulation::path_interval::part;

namespace {

constexpr std::int64_t fs_a_byte = 8'000'000;  // 125 MB/s
constexpr picoseconds us = 1'000'000;

/// Nodes with links of 10 us and 125 MB/s to one switch: links 2c from and 2c + 1 to node c.
contention_model flat(rank_t ranks, picoseconds overhead = 0) {
    const std::vector<lob_model::link_cost> own(static_cast<std::size_t>(ranks), {10 * us, fs_a_byte}), uplinks(1);
    contention_model model{.net = tree_network(topology::switch_tree::flat(ranks), own, uplinks),
                           .placement = topology::placement::block(ranks, ranks)};
    model.overheads_ps = owned_array<picoseconds>(ranks);
    for (picoseconds& time : model.overheads_ps) time = overhead;
    return model;
}

struct traced_path {
    execution_graph graph;
    simulation run;
    std::vector<simulation::critical_step> steps;
    std::vector<simulation::path_interval> intervals;
    time_parts parts;

    template <class X>
    traced_path(const X& x, const contention_model& model, const std::vector<picoseconds>& start = {})
        : graph(x),
          run(trace(graph, model, start)),
          steps(critical_path(graph, model, run)),
          intervals(path_intervals(graph, model, run)),
          parts(parts_of(intervals)) {
        REQUIRE(!run.check());
        CHECK(parts.completion() == run.completion);
    }
    std::vector<delay> causes() const {
        std::vector<delay> found;
        for (const simulation::critical_step& step : steps) found.push_back(step.cause);
        return found;
    }
};

}  // namespace

TEST_CASE("contention_trace: one message alone has latency, bandwidth and two overheads") {
    const traced_path made(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = 1000}, flat(2, 3 * us));
    CHECK(made.parts == time_parts{.sums = {0, 6 * us, 0, 20 * us, 8 * us, 0}, .messages = 1});
    CHECK(made.causes() == std::vector<delay>{delay::start, delay::message});
    const std::vector<simulation::path_interval> expected = {{0, usage::overhead, 0, 3 * us, -1},
                                                             {0, usage::latency, 3 * us, 23 * us, -1},
                                                             {0, usage::bandwidth, 23 * us, 31 * us, 0},
                                                             {1, usage::overhead, 31 * us, 34 * us, -1}};
    std::vector<simulation::path_interval> found = made.intervals;
    CHECK((found[2].link == 0 || found[2].link == 3));  // either link limits it
    found[2].link = 0;
    CHECK(found == expected);
}

TEST_CASE("contention_trace: two flows that share a link take twice the time, half of it contention, on that link") {
    const contention_model model = flat(3);
    const traced_path made(broadcast::over_tree<trees::k_ary>{.ranks = 3, .bytes = 1000, .tree = {2}}, model);
    CHECK(made.parts == time_parts{.sums = {0, 0, 0, 20 * us, 8 * us, 8 * us}, .messages = 1});
    const auto shared = std::ranges::find(made.intervals, usage::contention, &simulation::path_interval::use);
    REQUIRE(shared != made.intervals.end());
    CHECK(shared->link == 0);  // from node 0
    const owned_array<picoseconds> busy = link_times(made.graph, model, made.run);
    CHECK(busy[0] == 16 * us);
    CHECK(busy[1] == 0);
    CHECK(busy[3] == 8 * us);
    CHECK(busy[5] == 8 * us);
}

TEST_CASE("contention_trace: two messages within a node share its memory, a link after those of the network") {
    contention_model model = flat(1);
    model.placement = topology::placement::block(2, 1);
    model.intra_nodes[0] = {.rank_link = {10 * us, fs_a_byte}, .shared = true};
    model.copy_fs = 0;
    const traced_path made(allgather::ring{.ranks = 2, .block = 1000}, model);
    CHECK(made.parts == time_parts{.sums = {0, 0, 0, 10 * us, 8 * us, 8 * us}, .messages = 1});
    const std::int64_t memory = std::ssize(model.net.links());
    const auto shared = std::ranges::find(made.intervals, usage::contention, &simulation::path_interval::use);
    REQUIRE(shared != made.intervals.end());
    CHECK(shared->link == memory);
    CHECK(link_times(made.graph, model, made.run)[memory] == 16 * us);
}

TEST_CASE("contention_trace: a message that shares a link for a part of its time has less contention") {
    // The first flow has the link from 24 to 28 us, both share it from 28 to 36 us, and the second has it up to 40 us.
    const traced_path made(broadcast::over_tree<trees::k_ary>{.ranks = 3, .bytes = 1000, .tree = {2}}, flat(3, 4 * us));
    CHECK(made.parts == time_parts{.sums = {0, 12 * us, 0, 20 * us, 8 * us, 4 * us}, .messages = 1});
}

TEST_CASE("contention_trace: a chain of messages has the sum of their times") {
    const traced_path made(broadcast::over_tree<trees::chain>{.ranks = 5, .bytes = 1000}, flat(5, us));
    CHECK(made.parts == time_parts{.sums = {0, 8 * us, 0, 80 * us, 32 * us, 0}, .messages = 4});
    CHECK(made.steps.size() == 8);
}

TEST_CASE("contention_trace: combinations are local work") {
    contention_model model = flat(2);
    model.combine_fs = 1'000'000;
    const traced_path made(reduce::linear{.ranks = 2, .bytes = 1000}, model);
    CHECK(made.parts == time_parts{.sums = {0, 0, us, 20 * us, 8 * us, 0}, .messages = 1});
}

TEST_CASE(
    "contention_trace: a message that waits for its receive is preceded by the receive, and by the start of its rank") {
    contention_model model = flat(2);
    model.eager_bytes = 999;
    const broadcast::over_tree<trees::binomial> x{.ranks = 2, .bytes = 1000};
    const traced_path made(x, model, {0, 500 * us});
    CHECK(made.parts == time_parts{.sums = {500 * us, 0, 0, 20 * us, 8 * us, 0}, .messages = 1});
    CHECK(made.causes() == std::vector<delay>{delay::start, delay::post});  // the sender ends then too
    REQUIRE(made.steps.size() == 2);
    CHECK(made.graph[made.steps[0].node].rank == 1);
    CHECK(made.graph[made.steps[1].node].rank == 0);
    model.eager_bytes = 1000;
    const traced_path small(x, model, {0, 10 * us});
    CHECK(small.causes() == std::vector<delay>{delay::start, delay::message});
}

TEST_CASE("contention_trace: a rank that starts last and has no work is waiting time") {
    const traced_path made(broadcast::over_tree<trees::binomial>{.ranks = 1, .bytes = 8}, flat(1), {7 * us});
    CHECK(made.parts.completion() == 7 * us);
    CHECK(made.parts[usage::waiting] == 7 * us);
}

TEST_CASE("contention_trace: the steps of a path begin at the end of their causes") {
    for (const rank_t p : {2, 3, 8}) {
        const traced_path made(allgather::ring{.ranks = p, .block = 100'000}, flat(p, us));
        CHECK(made.parts[usage::contention] == 0);
        CHECK(made.parts.messages == p - 1);
        CHECK(made.steps.front().cause == delay::start);
        for (const simulation::path_interval& interval : made.intervals) {
            CHECK(interval.step >= 0);
            CHECK(interval.step < std::ssize(made.steps));
        }
    }
}
