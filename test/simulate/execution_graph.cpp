#include "collsched/simulate/execution_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/plan.hpp"
#include "support/layouts.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

static_assert([] {
    constexpr execution_graph::node none{};
    return none.kind == execution_graph::kind::join && none.rank == 0 && none.bytes == 0 && none.sequence == 0 &&
           none.peer == -1 && none.pair == -1 && none.waits_for == 0;
}());

namespace {

/// Checks for each rank that nodes and dependencies are those of its plan.
template <schedulable X>
void check_against_plans(const X& x, binding how) {
    const execution_graph graph(x, how);
    for (rank_t r = 0; r < graph.ranks(); ++r) {
        const plan own(x, r, how);
        REQUIRE(graph.first(r + 1) - graph.first(r) == std::ssize(own.nodes()));
        for (std::int64_t i = 0; i < std::ssize(own.nodes()); ++i) {
            const execution_graph::node& here = graph[graph.first(r) + i];
            const plan::node& there = own.nodes()[static_cast<std::size_t>(i)];
            CHECK(here.rank == r);
            CHECK(here.waits_for == there.waits_for);
            CHECK(here.sequence == there.sequence);
            CHECK((here.kind == execution_graph::kind::send) == (there.kind == plan::kind::send));
            CHECK((here.kind == execution_graph::kind::receive) == (there.kind == plan::kind::receive));
            CHECK((here.kind == execution_graph::kind::join) == (there.kind == plan::kind::join));
            std::vector<std::int64_t> after(own.successors(i).begin(), own.successors(i).end());
            for (std::int64_t& one : after) one += graph.first(r);
            CHECK(std::ranges::equal(graph.successors(graph.first(r) + i), after));
        }
    }
}

void check_peers(const execution_graph& graph) {
    std::map<std::pair<rank_t, rank_t>, std::set<std::int64_t>> pairs;
    std::set<std::int64_t> numbers;
    for (std::int64_t i = 0; i < std::ssize(graph.nodes()); ++i) {
        const execution_graph::node& n = graph[i];
        if (n.kind != execution_graph::kind::send && n.kind != execution_graph::kind::receive) {
            CHECK(n.peer == -1);
            CHECK(n.pair == -1);
            continue;
        }
        CHECK(graph[n.peer].peer == i);
        CHECK(graph[n.peer].bytes == n.bytes);
        CHECK(graph[n.peer].pair == n.pair);
        CHECK(graph[n.peer].kind != n.kind);
        numbers.insert(n.pair);
        if (n.kind == execution_graph::kind::send) pairs[{n.rank, graph[n.peer].rank}].insert(n.pair);
    }
    for (const auto& [ranks, own] : pairs) CHECK(own.size() == 1);
    CHECK(std::ssize(pairs) == graph.pairs());
    CHECK(std::ssize(numbers) == graph.pairs());
    if (graph.pairs() > 0) CHECK(*numbers.rbegin() == graph.pairs() - 1);
}

/// Rank 0 sends its block to a rank without a matching receive, or to an invalid rank.
struct one_sided {
    rank_t ranks = 3;
    block_layout block = 4;
    rank_t target = 1;

    static constexpr algorithm_info info{.collective = collective::allgather, .name = "one-sided"};

    step_t steps() const { return 1; }
    template <class F>
    void targets(rank_t r, step_t, F f) const {
        if (r == 0) f(target);
    }
    template <class F>
    void sources(rank_t, step_t, F) const {}
    template <class F>
    void message(rank_t src, rank_t, step_t, F f) const {
        f(block_interval{src, 1});
    }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("block", self.block);
        f("target", self.target);
    }
};

}  // namespace

TEST_CASE("execution_graph: a graph has all nodes of the plans of all ranks") {
    for (rank_t p = 1; p <= 8; ++p) {
        for (const algorithm_entry& entry : support::registered_at(p))
            for (const auto& [name, layout] : support::layouts(p)) {
                const any_schedule s = entry.make({.ranks = p, .block = layout});
                for (const binding how : support::bindings(s.contract())) {
                    INFO(entry.info.name, " ", p, " ", name);
                    check_against_plans(s, how);
                    check_peers(execution_graph(s, how));
                }
            }
        check_against_plans(support::linear_reduce(p, 8), binding::separate);
        check_peers(execution_graph(support::linear_reduce(p, 8)));
        check_against_plans(support::dissemination_barrier(p), binding::separate);
        check_peers(execution_graph(support::dissemination_barrier(p)));
    }
}

TEST_CASE("execution_graph: transfers of a pair are matched in the order of their steps, combines and copies alike") {
    const std::vector<edge> edges{
        {.step = 0, .size = 4, .into = buffer::scratch},
        {.step = 1, .src = 1, .dst = 0, .size = 2, .into = buffer::scratch, .action = action::combine_after},
        {.step = 2, .src = 1, .dst = 0, .size = 3, .into = buffer::scratch}};
    const contract contract{.collective = collective::reduce, .ranks = 2, .bytes = 4};
    const execution_graph graph(support::by_hand(contract, 3, edges, 4, 2));
    check_peers(graph);
    CHECK(std::ranges::count(graph.nodes(), execution_graph::kind::combine, &execution_graph::node::kind) == 1);
}

TEST_CASE("execution_graph: wrong parameters are rejected") {
    CHECK_THROWS_AS(execution_graph(allgather::ring{.ranks = 0, .block = 4}), bad_argument);
    CHECK_THROWS_AS(execution_graph(allgather::ring{.ranks = 4, .block = 4}, binding::separate, pacing{-1}),
                    bad_argument);
}

TEST_CASE("execution_graph: transfers of only one end are rejected, for any peer") {
    for (const rank_t target : {rank_t{1}, rank_t{2}, rank_t{3}, rank_t{1} << 40, rank_t{-1}})
        CHECK_THROWS_AS(execution_graph(one_sided{.target = target}), bad_argument);
}

TEST_CASE("execution_graph: ranges and staging that do not end below 2^63 are rejected") {
    constexpr bytes_t most = INT64_MAX;
    const contract contract{.collective = collective::reduce, .ranks = 3, .bytes = 8};
    const auto of = [&](const edge& first, const edge& second) {
        return execution_graph(support::by_hand(contract, 1, {first, second}));
    };
    const edge fine{.src = 1, .size = 8, .into = buffer::output};
    const auto error_of = [&](const edge& e) {
        try {
            (void)of(fine, e);
        } catch (const bad_argument& refused) {
            return std::string(refused.error().argument);
        }
        return std::string();
    };
    CHECK(error_of({.src = 2, .size = 8, .into = buffer::output}) == "");
    CHECK(error_of({.src = 2, .from_offset = most - 7, .size = 8, .into = buffer::output}) == "from_offset");
    CHECK(error_of({.src = 2, .into_offset = most - 7, .size = 8, .into = buffer::output}) == "into_offset");
    const edge half{.src = 1, .size = most / 2 + 1, .into = buffer::output, .action = action::combine_after};
    edge other = half;
    other.src = 2;
    CHECK_THROWS_AS(of(half, other), bad_argument);
    other.step = 1;  // the first message has left staging
    CHECK_NOTHROW(execution_graph(support::by_hand(contract, 2, {half, other})));
}

TEST_CASE("execution_graph: each error has its argument, value and text") {
    const auto error_of = [](auto make) {
        try {
            (void)make();
        } catch (const bad_argument& found) {
            return found.error();
        }
        return argument_error{};
    };
    const allgather::ring ring{.ranks = 4, .block = 4};
    CHECK(error_of([&] { return execution_graph(ring, binding::separate, pacing{-1}); }) ==
          argument_error{"window", -1, "0 or more"});
    CHECK_FALSE(error_of([&] { return execution_graph(ring, binding::separate, pacing{0}); }));
    CHECK(error_of([&] { return execution_graph(ring, binding::separate, {}, -1); }) ==
          argument_error{"staging_limit", -1, "0 bytes or more"});
    CHECK_FALSE(error_of([&] { return execution_graph(ring, binding::separate, {}, 0); }));
    for (const rank_t target : {1, 2})
        CHECK(error_of([&] { return execution_graph(one_sided{.target = target}); }) ==
              argument_error{"src", 0, "a schedule that lists every transfer at both ends"});
    const contract contract{.collective = collective::reduce, .ranks = 3, .bytes = 8};
    constexpr bytes_t most = INT64_MAX;
    const auto of = [&](const edge& e) {
        return error_of([&] { return execution_graph(support::by_hand(contract, 1, {e})); });
    };
    constexpr const char* range = "0 or more, its range below 2^63";
    constexpr const char* size = "0 or more, combined bytes per step below 2^63";
    for (const bytes_t wrong : {bytes_t{-1}, most - 7}) {
        CHECK(of({.src = 1, .from_offset = wrong, .size = 8}) == argument_error{"from_offset", wrong, range});
        CHECK(of({.src = 1, .into_offset = wrong, .size = 8}) == argument_error{"into_offset", wrong, range});
    }
    CHECK_FALSE(of({.src = 1, .from_offset = most - 8, .size = 8, .into = buffer::output}));
    CHECK_FALSE(of({.src = 1, .into_offset = most - 8, .size = 8, .into = buffer::output}));
    CHECK(of({.src = 1, .size = -1, .into = buffer::output}) == argument_error{"size", -1, size});
    const edge half{.src = 1, .size = most / 2 + 1, .into = buffer::output, .action = action::combine_after};
    edge other = half;
    other.src = 2;
    CHECK(error_of([&] { return execution_graph(support::by_hand(contract, 1, {half, other})); }) ==
          argument_error{"size", most / 2 + 1, size});
    other.size -= 1;
    CHECK_FALSE(error_of([&] { return execution_graph(support::by_hand(contract, 1, {half, other})); }));
    other = half;
    other.src = 0;  // a local combination is not staged
    CHECK_FALSE(error_of([&] { return execution_graph(support::by_hand(contract, 1, {half, other})); }));
}

TEST_CASE("execution_graph: the kinds, sizes and messages of a reduce with a copy and a signal") {
    const std::vector<edge> edges{
        {.step = 0, .size = 6, .into = buffer::scratch},
        {.step = 1, .src = 1, .dst = 0, .size = 2, .into = buffer::scratch, .action = action::combine_after},
        {.step = 1, .src = 1, .dst = 0, .from_offset = 2, .into_offset = 3, .size = 3, .into = buffer::scratch},
        {.step = 2, .src = 0, .dst = 1, .size = 0, .into = buffer::output},
        {.step = 3, .size = 6, .from = buffer::scratch, .into = buffer::output, .action = action::combine_after}};
    const execution_graph graph(
        support::by_hand({.collective = collective::reduce, .ranks = 2, .bytes = 6}, 4, edges, 6, 2));
    std::string found;
    for (const execution_graph::node& n : graph.nodes())
        if (n.kind != execution_graph::kind::join)
            found += std::to_string(n.rank) + "srcm"[static_cast<int>(n.kind)] + std::to_string(n.bytes) + " ";
    CHECK(found == "0c6 0r5 0m2 0s0 0m6 1s5 1r0 ");
    CHECK(graph.pairs() == 2);
    CHECK(graph.ranks() == 2);
    CHECK((graph.first(0) == 0 && graph.first(2) == std::ssize(graph.nodes())));
}
