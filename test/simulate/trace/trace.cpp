#include "collsched/simulate/trace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/tree/chain.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;
using delay = simulation::critical_step::delay;

namespace {

using kind = execution_graph::kind;

/// Checks that every node's times follow from its dependencies, and that no node starts before them.
void check_times(const execution_graph& graph, const loggp_model& model, const simulation& made) {
    const auto of = [&](std::int64_t i) { return made.activities[i]; };
    for (std::int64_t i = 0; i < made.activities.size(); ++i) {
        const execution_graph::node& n = graph[i];
        CHECK(of(i).ready <= of(i).begin);
        CHECK(of(i).begin <= of(i).busy_until);
        CHECK(of(i).busy_until <= of(i).end);
        CHECK(of(i).end <= made.finish[n.rank]);
        for (const std::int64_t next : graph.successors(i)) CHECK(of(i).end <= of(next).ready);
        if (n.kind == kind::send)
            CHECK(of(n.peer).arrival >=
                  of(i).busy_until + model.flight(n.rank, graph[n.peer].rank).value() + model.stream(n.bytes).value());
        if (n.kind == kind::receive) CHECK(of(i).arrival <= of(i).ready);
    }
}

/// Checks that each step of the path begins at the end of its cause, the first at the start and the last at the end of the run.
void check_path(const execution_graph& graph, const loggp_model& model, const simulation& made,
                const std::vector<picoseconds>& start = {}) {
    const std::vector<simulation::critical_step> path = critical_path(graph, model, made);
    const auto of = [&](const simulation::critical_step& one) { return made.activities[one.node]; };
    REQUIRE(!path.empty());
    CHECK(of(path.back()).end == made.completion);
    CHECK(path.front().cause == delay::start);
    CHECK(of(path.front()).begin ==
          (start.empty() ? 0 : start[static_cast<std::size_t>(graph[path.front().node].rank)]));
    for (std::size_t k = 1; k < path.size(); ++k) {
        const simulation::critical_step &before = path[k - 1], &here = path[k];
        const execution_graph::node &one = graph[before.node], &other = graph[here.node];
        INFO("step ", k, " ", std::string(name_of(here.cause)));
        CHECK(here.cause != delay::start);
        const picoseconds stream = model.stream(other.bytes).value();
        switch (here.cause) {
            case delay::order:
                CHECK(one.rank == other.rank);
                CHECK(of(here).begin == of(before).end);
                break;
            case delay::message:
                CHECK(other.peer == before.node);
                CHECK(of(here).arrival == of(before).busy_until + model.flight(one.rank, other.rank).value() + stream);
                break;
            case delay::processor:
                CHECK(one.rank == other.rank);
                CHECK(of(here).begin == of(before).busy_until);
                break;
            case delay::sending:
                CHECK(one.rank == other.rank);
                CHECK(of(here).begin == of(before).begin + model.stream(one.bytes).value() + model.gap_ps);
                break;
            case delay::receiving:
                CHECK(one.rank == other.rank);
                CHECK(of(here).arrival == of(before).arrival + model.gap_ps + stream);
                break;
            case delay::post:
            case delay::link: CHECK(false); break;  // has no links
            case delay::start: break;
        }
    }
}

}  // namespace

TEST_CASE("trace: a chain of three, to the picosecond") {
    const loggp_model model{.latency_ps = 1000, .overhead_ps = 100, .gap_ps = 50, .byte_fs = 10'000};
    const auto s = broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 11};
    const execution_graph graph(s, binding::in_place);
    const simulation made = trace(graph, model);
    REQUIRE(made.activities.size() == 4);
    const picoseconds stream = 100;
    CHECK(made.activities[0] == simulation::activity{0, 0, 0, 100, 100 + stream});
    const picoseconds there = 100 + 1000 + stream;
    CHECK(made.activities[1] == simulation::activity{there, there, there, there + 100, there + 100});
    simulation untraced = made;
    untraced.activities = {};
    CHECK(untraced == simulate(graph, model));
    const std::vector<simulation::critical_step> path = critical_path(graph, model, made);
    CHECK(path == std::vector<simulation::critical_step>{
                      {0, delay::start}, {1, delay::message}, {2, delay::order}, {3, delay::message}});
}

TEST_CASE("trace: the second message of a sender waits for the first, as does the second at a receiver") {
    const loggp_model model{.latency_ps = 1000, .overhead_ps = 1, .gap_ps = 500, .byte_fs = 1'000};
    const execution_graph from_one(broadcast::over_tree<trees::flat>{.ranks = 3, .bytes = 2}, binding::in_place);
    CHECK(critical_path(from_one, model, trace(from_one, model))[1].cause == delay::sending);
    const execution_graph to_one(gather::over_tree<trees::flat>{.ranks = 3, .block = 2}, binding::in_place);
    const std::vector<simulation::critical_step> path = critical_path(to_one, model, trace(to_one, model));
    CHECK(std::ranges::count(path, delay::receiving, &simulation::critical_step::cause) == 1);
}

TEST_CASE("trace: messages of no bytes occupy the interface for no time, before or after the others") {
    constexpr rank_t p = 5;
    constexpr step_t steps = 4;
    const contract contract{.collective = collective::allreduce, .ranks = p, .bytes = 9};
    detail::splitmix64 random(3);
    for (int turn = 0; turn < 1000; ++turn) {
        INFO("turn ", turn);
        const loggp_model model{.latency_ps = random.between(0, 2) / 2 * 102,
                                .overhead_ps = random.between(0, 2) / 2 * 51,
                                .gap_ps = random.between(0, 2) / 2 * 51,
                                .byte_fs = random.between(0, 2) * 51'000};
        std::vector<edge> edges;
        for (step_t t = 0; t < steps; ++t)
            for (rank_t src = 0; src < p; ++src)
                for (rank_t dst = 0; dst < p; ++dst)
                    if (src != dst && random.between(0, 2) == 0)
                        edges.push_back({.step = t,
                                         .src = src,
                                         .dst = dst,
                                         .size = random.between(0, 3) / 2 * random.between(1, 3),
                                         .into = buffer::scratch});
        std::vector<picoseconds> start;
        for (rank_t r = 0; r < p; ++r) start.push_back(51 * random.between(0, 4));
        const execution_graph graph(support::by_hand(contract, steps, edges, 9), binding::separate, pacing{turn % 3});
        check_path(graph, model, trace(graph, model, start), start);
    }
}

TEST_CASE("trace: times follow causes and the path explains the run, for every algorithm and many models") {
    detail::splitmix64 random(7);
    std::size_t runs = 0;
    for (const rank_t p : {2, 5, 8, 12})
        for (const support::sample& one : support::samples(p)) {
            if (++runs % 7 != 0) continue;
            const loggp_model model{.latency_ps = random.between(0, 3) * 700,
                                    .overhead_ps = random.between(0, 3) * 90,
                                    .gap_ps = random.between(0, 3) * 110,
                                    .byte_fs = random.between(0, 3) * 17'000,
                                    .copy_fs = random.between(0, 2) * 3'000,
                                    .combine_fs = random.between(0, 2) * 5'000};
            const execution_graph graph(one.schedule);
            INFO(one.name, " L=", model.latency_ps, " o=", model.overhead_ps, " g=", model.gap_ps,
                 " G=", model.byte_fs);
            const simulation made = trace(graph, model);
            simulation untraced = made;
            untraced.activities = {};
            CHECK(untraced == simulate(graph, model));
            check_times(graph, model, made);
            if (std::ranges::any_of(graph.nodes(), [](const auto& n) { return n.kind != kind::join; }))
                check_path(graph, model, made);
        }
}

TEST_CASE("trace: errors are reported") {
    const execution_graph graph(broadcast::over_tree<trees::flat>{.ranks = 3, .bytes = 2});
    CHECK_THROWS_AS(trace(graph, loggp_model{.latency_ps = -1}), bad_argument);
    const std::vector<picoseconds> begins{0};
    CHECK_THROWS_AS(trace(graph, loggp_model{}, begins), bad_argument);
}
