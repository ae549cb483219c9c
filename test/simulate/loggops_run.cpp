#include "collsched/simulate/loggops_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/tree/chain.hpp"
#include "support/loggops_oracle.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

template <class Tree>
goal_program broadcast_of(rank_t p, bytes_t m) {
    return goal_program(execution_graph(broadcast::over_tree<Tree>{.ranks = p, .bytes = m}, binding::in_place));
}

std::vector<std::int64_t> finish(const goal_program& program, const loggops_model& model) {
    const simulation run = simulate(program, model);
    std::vector<std::int64_t> ns;
    for (const picoseconds one : run.finish) ns.push_back(one / 1000);
    CHECK(run.completion == 1000 * std::ranges::max(ns));
    return ns;
}

constexpr loggops_model model{
    .latency_ns = 1000, .overhead_ns = 50, .gap_ns = 200, .byte_gap_ns = 3, .eager_bytes = 100};

}  // namespace

TEST_CASE("loggops_run: a binomial broadcast, calculated by hand") {
    const std::vector<edge> edges{{.step = 0, .src = 0, .dst = 1, .size = 100},
                                  {.step = 1, .src = 0, .dst = 2, .size = 100},
                                  {.step = 1, .src = 1, .dst = 3, .size = 100, .from = buffer::output}};
    const contract contract{.collective = collective::broadcast, .ranks = 4, .bytes = 100};
    const goal_program program(execution_graph(support::by_hand(contract, 2, edges, 0)));
    CHECK(finish(program, {}) == std::vector<std::int64_t>{3094, 7594, 7688, 12188});
}

TEST_CASE("loggops_run: closed forms of a chain and of a flat tree") {
    for (const bytes_t m : {1, 2, 100}) {
        const std::int64_t arrival = model.arrival().value(), receive = model.receiving(m).value();
        for (const rank_t p : {2, 3, 9}) {
            const auto chain = finish(broadcast_of<trees::chain>(p, m), model);
            CHECK(chain.back() == (p - 1) * (arrival + receive));
            const auto flat = finish(broadcast_of<trees::flat>(p, m), model);
            const std::int64_t apart = std::max(model.sending(m).value(), model.interface(m).value());
            CHECK(flat.back() == (p - 2) * apart + arrival + receive);
            CHECK(flat.front() == (p - 2) * apart + model.sending(m).value());
        }
    }
}

TEST_CASE("loggops_run: a message beyond S holds its sender back until it is received") {
    // Rank 0 sends to 1, which receives that message only after one from 2, which calculates first.
    const auto late = [](bytes_t m) {
        const std::vector<edge> edges{
            {.step = 0, .src = 2, .dst = 2, .size = 8, .into = buffer::scratch},
            {.step = 1, .src = 2, .dst = 1, .size = 8, .from = buffer::scratch, .into = buffer::scratch},
            {.step = 2, .src = 0, .dst = 1, .size = m, .into = buffer::scratch},
            {.step = 3, .src = 0, .dst = 0, .size = 1, .into = buffer::scratch},
        };
        const contract contract{.collective = collective::allreduce, .ranks = 3, .bytes = 200};
        const execution_graph graph(support::by_hand(contract, 4, edges, 200), binding::separate, pacing{1});
        return finish(goal_program(graph, {.copy_fs = 1'000'000'000}), model);
    };
    const auto eager = late(100), waiting = late(101);
    CHECK(eager[0] == 50 + 1000);
    const std::int64_t arrived = 8000 + model.arrival().value();  // when the message of rank 2 meets its receive
    CHECK(waiting[0] == arrived + model.receiving(8).value() + 1000);
}

TEST_CASE("loggops_run: processors and interfaces are busy for the times of the model") {
    const simulation run = simulate(broadcast_of<trees::flat>(4, 11), model);
    CHECK(run.cpu_busy[0] == 3 * 50'000);
    CHECK(run.out_busy[0] == 3 * (200'000 + 30'000));
    CHECK(run.cpu_busy[3] == 50'000 + 30'000);
    CHECK(run.in_busy[3] == 200'000 + 30'000);
}

TEST_CASE("loggops_run: wrong models and programs are rejected") {
    const goal_program program = broadcast_of<trees::chain>(2, 4);
    CHECK_THROWS_AS(simulate(program, loggops_model{.latency_ns = -1}), bad_argument);
    CHECK_THROWS_AS(simulate(program, loggops_model{.byte_gap_ns = std::numeric_limits<std::int64_t>::max()}),
                    bad_argument);
    CHECK(simulate(goal_program(execution_graph(allgather::ring{.ranks = 1, .block = 4})), {}).completion == 0);
}

namespace {

/// The operations of each rank of a program, for the oracle.
std::vector<std::vector<support::oracle_operation>> hosts_of(const goal_program& program) {
    using kind = support::oracle_operation::operation_kind;
    std::vector<std::vector<support::oracle_operation>> hosts;
    for (rank_t r = 0; r < program.ranks(); ++r) {
        hosts.emplace_back();
        for (std::int64_t i = program.first(r); i < program.first(r + 1); ++i) {
            const goal_program::operation& one = program[i];
            support::oracle_operation made{.kind = one.kind == goal_program::kind::send      ? kind::send
                                                   : one.kind == goal_program::kind::receive ? kind::receive
                                                                                             : kind::calc,
                                           .amount = one.amount,
                                           .peer = static_cast<int>(one.peer),
                                           .tag = static_cast<int>(one.tag)};
            for (const std::int64_t before : program.required(i))
                made.predecessors.push_back(static_cast<int>(before - program.first(r)));
            hosts.back().push_back(made);
        }
    }
    return hosts;
}

/// Random messages and local work of a few steps; a message to a lower rank may go in the step after.
execution_graph random_graph(detail::splitmix64& random, rank_t p) {
    std::vector<edge> edges;
    for (step_t t = 0; t < 4; ++t)
        for (rank_t src = 0; src < p; ++src)
            for (rank_t dst = 0; dst < p; ++dst)
                if (random.between(0, 2) == 0)
                    edges.push_back({.step = t,
                                     .src = src,
                                     .dst = dst,
                                     .size = random.between(0, 40),
                                     .from = buffer::scratch,
                                     .into = buffer::scratch});
    return execution_graph(
        support::by_hand({.collective = collective::allreduce, .ranks = p, .bytes = 40}, 4, edges, 40));
}

}  // namespace

TEST_CASE("loggops_run: random schedules take the times of a simulation that is written for clarity") {
    detail::splitmix64 random(5);
    for (int turn = 0; turn < 200; ++turn) {
        CAPTURE(turn);
        const rank_t p = 2 + turn % 4;
        const auto draw = [&](std::int64_t most) { return random.between(0, 2) == 0 ? 0 : random.between(0, most); };
        const loggops_model costs{.latency_ns = draw(300),
                                  .overhead_ns = draw(50),
                                  .gap_ns = draw(80),
                                  .byte_gap_ns = draw(4),
                                  .byte_overhead_ns = draw(4),
                                  .eager_bytes = random.between(0, 1) * 100 + draw(30)};
        const goal_program program(random_graph(random, p), {.copy_fs = draw(9) * 1'000'000});
        REQUIRE(!program.check());
        const simulation run = simulate(program, costs);
        const std::vector<std::int64_t> expected =
            support::loggops_oracle(hosts_of(program), {costs.latency_ns, costs.overhead_ns, costs.gap_ns,
                                                        costs.byte_gap_ns, costs.byte_overhead_ns, costs.eager_bytes})
                .run();
        picoseconds last = 0;
        for (rank_t r = 0; r < p; ++r) {
            std::int64_t cpu = 0, out = 0, in = 0;
            for (std::int64_t i = program.first(r); i < program.first(r + 1); ++i) {
                const bytes_t m = program[i].amount;
                if (program[i].kind == goal_program::kind::calc) cpu += m;
                if (program[i].kind == goal_program::kind::send)
                    cpu += costs.sending(m).value(), out += costs.interface(m).value();
                if (program[i].kind == goal_program::kind::receive)
                    cpu += costs.receiving(m).value(), in += costs.interface(m).value();
            }
            CHECK(run.finish[r] == 1000 * expected[static_cast<std::size_t>(r)]);
            CHECK((run.cpu_busy[r] == 1000 * cpu && run.out_busy[r] == 1000 * out && run.in_busy[r] == 1000 * in));
            last = std::max(last, run.finish[r]);
        }
        CHECK(run.completion == last);
    }
}

TEST_CASE("loggops_run: times of 2^63 picoseconds or more are refused, also where nanoseconds fit") {
    const auto error_of = [](const loggops_model& costs) {
        try {
            (void)simulate(broadcast_of<trees::chain>(2, 1), costs);
        } catch (const bad_argument& found) {
            return found.error();
        }
        return argument_error{};
    };
    constexpr std::int64_t most = INT64_MAX / 1000;
    const argument_error too_long{"time", INT64_MAX, "a run of less than 2^63 picoseconds"};
    CHECK_FALSE(error_of({.latency_ns = most, .overhead_ns = 0}));
    CHECK(error_of({.latency_ns = most + 1, .overhead_ns = 0}) == too_long);
    CHECK(error_of({.latency_ns = INT64_MAX, .overhead_ns = 0}) == too_long);
    CHECK(error_of({.latency_ns = INT64_MAX, .overhead_ns = 1}) == too_long);
    CHECK(error_of({.latency_ns = -1}) == argument_error{"L", -1, "0 ns or more"});
}
