#include "collsched/simulate/goal_program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "collsched/collective/allgather/neighbor_exchange.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/tree/chain.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

static_assert([] {
    constexpr goal_program::operation none{};
    return none.kind == goal_program::kind::calc && none.rank == 0 && none.amount == 0 && none.peer == -1 &&
           none.tag == 0 && none.match == -1;
}());

namespace {

using kind = goal_program::kind;
using relation = std::vector<std::vector<bool>>;

/// Whether the second operation comes after the first, for every pair of operations of a rank, by searches of the graph.
relation order_of(const execution_graph& graph, rank_t rank) {
    std::vector<std::int64_t> real;
    for (std::int64_t i = graph.first(rank); i < graph.first(rank + 1); ++i)
        if (graph[i].kind != execution_graph::kind::join) real.push_back(i);
    relation after(real.size(), std::vector<bool>(real.size()));
    for (std::size_t a = 0; a < real.size(); ++a) {
        std::set<std::int64_t> reached;
        const std::function<void(std::int64_t)> walk = [&](std::int64_t i) {
            for (const std::int64_t next : graph.successors(i))
                if (reached.insert(next).second) walk(next);
        };
        walk(real[a]);
        for (std::size_t b = 0; b < real.size(); ++b) after[a][b] = reached.contains(real[b]);
    }
    return after;
}

/// The same for required operations.
relation order_of(const goal_program& program, rank_t rank) {
    const auto count = static_cast<std::size_t>(program.first(rank + 1) - program.first(rank));
    relation after(count, std::vector<bool>(count));
    for (bool news = true; news;) {
        news = false;
        for (std::size_t b = 0; b < count; ++b)
            for (const std::int64_t before : program.required(program.first(rank) + static_cast<std::int64_t>(b))) {
                const auto a = static_cast<std::size_t>(before - program.first(rank));
                for (std::size_t c = 0; c < count; ++c)
                    if ((c == a || after[c][a]) && !after[c][b]) after[c][b] = news = true;
            }
    }
    return after;
}

void check_program(const execution_graph& graph) {
    const goal_program program(graph);
    std::map<std::tuple<rank_t, rank_t, std::int64_t>, std::int64_t> sent, received;
    for (const goal_program::operation& one : program.operations()) {
        if (one.kind == kind::send) CHECK(sent.emplace(std::tuple(one.rank, one.peer, one.tag), one.amount).second);
        if (one.kind == kind::receive)
            CHECK(received.emplace(std::tuple(one.peer, one.rank, one.tag), one.amount).second);
    }
    CHECK(sent == received);
    for (rank_t r = 0; r < graph.ranks(); ++r) {
        const relation after = order_of(program, r);
        CHECK(after == order_of(graph, r));
        for (std::int64_t i = program.first(r); i < program.first(r + 1); ++i)
            for (const std::int64_t before : program.required(i))
                for (const std::int64_t other : program.required(i))
                    CHECK_FALSE(after[static_cast<std::size_t>(before - program.first(r))]
                                     [static_cast<std::size_t>(other - program.first(r))]);
    }
}

}  // namespace

TEST_CASE("goal_program: a program requires exactly the executor's dependencies, without redundant ones") {
    for (rank_t p = 1; p <= 5; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            check_program(execution_graph(s));
        }
    check_program(execution_graph(alltoall::linear{.ranks = 9, .block = 3}, binding::separate, pacing{2}));
}

TEST_CASE("goal_program: a message is one operation, a signal one byte, local work so many nanoseconds") {
    const execution_graph neighbors(allgather::neighbor_exchange{.ranks = 4, .block = 5}, binding::in_place);
    const goal_program pairs(neighbors);
    CHECK(pairs.first(1) - pairs.first(0) == 4);
    CHECK(pairs[0].amount == 5);
    CHECK(std::ranges::count(pairs.operations(), 10, &goal_program::operation::amount) == 8);
    const goal_program barrier(execution_graph(support::dissemination_barrier(6)));
    for (const goal_program::operation& one : barrier.operations())
        CHECK(one.amount == (one.kind == kind::calc ? 0 : 1));
    const execution_graph reduce(support::linear_reduce(3, 1000));
    const auto work = [&](const goal_program::local_work& rates) {
        std::int64_t sum = 0;
        const goal_program program(reduce, rates);
        for (const goal_program::operation& one : program.operations())
            if (one.kind == kind::calc) sum += one.amount;
        return sum;
    };
    CHECK(work({}) == 0);
    const goal_program copy(execution_graph(allgather::ring{.ranks = 1, .block = 1000}), {.copy_fs = 2'000'000});
    CHECK((std::ssize(copy.operations()) == 1 && copy[0].kind == kind::calc && copy[0].amount == 2000));
    CHECK(work({.combine_fs = 200'499}) == 2 * 200);
    CHECK(work({.combine_fs = 200'500}) == 2 * 201);
    CHECK_THROWS_AS(goal_program(reduce, {.copy_fs = -1}), bad_argument);
    CHECK_THROWS_AS(goal_program(reduce, {.combine_fs = -1}), bad_argument);
    CHECK_THROWS_AS(goal_program(reduce, {.combine_fs = std::int64_t{1} << 60}), bad_argument);
}

TEST_CASE("goal_program: of 4096 operations of a rank, each send requires the receive of its bytes alone") {
    const execution_graph graph(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 2048, .segment = 1});
    const goal_program program(graph);
    REQUIRE(program.first(2) - program.first(1) == 4096);
    int sends = 0;
    for (std::int64_t i = program.first(1); i < program.first(2); ++i) {
        if (program[i].kind == kind::receive) continue;
        const auto before = program.required(i);
        REQUIRE(before.size() == 1);
        CHECK(program[before[0]].kind == kind::receive);
        CHECK(program[before[0]].tag == program[i].tag);
        ++sends;
    }
    CHECK(sends == 2048);
}
