#include "collsched/simulate/execution_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute/plan.hpp"
#include "support/layouts.hpp"
#include "support/small_schedules.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

/// Where each node of rank r in the graph is in the rank's plan: an edge in the message or the local work that does it,
/// the receive of an incoming combine in its message, and joins in their order.
std::vector<std::int64_t> places_in(const plan& own, const execution_graph& graph) {
    const rank_t r = own.rank();
    const auto edges = std::ssize(own.edges());
    std::vector<std::int64_t> message(static_cast<std::size_t>(edges)), done_by(message), joins, combines, places;
    for (std::int64_t i = 0, n = 0; n < std::ssize(own.nodes()); ++n) {
        const plan::node& node = own.nodes()[static_cast<std::size_t>(n)];
        if (node.what == plan::kind::join) joins.push_back(n);
        if (node.is_message())
            for (i = node.edge; i < edges && own.edges()[static_cast<std::size_t>(i)].step == own.edge_of(node).step &&
                                own.edges()[static_cast<std::size_t>(i)].src == own.edge_of(node).src &&
                                own.edges()[static_cast<std::size_t>(i)].dst == own.edge_of(node).dst;
                 ++i)
                message[static_cast<std::size_t>(i)] = done_by[static_cast<std::size_t>(i)] = n;
    }
    for (std::int64_t n = 0; n < std::ssize(own.nodes()); ++n) {
        const plan::node& node = own.nodes()[static_cast<std::size_t>(n)];
        if (node.what == plan::kind::local || node.what == plan::kind::apply)
            done_by[static_cast<std::size_t>(node.edge)] = n;
        if (node.what == plan::kind::apply) combines.push_back(message[static_cast<std::size_t>(node.edge)]);
    }
    std::size_t join = 0, combine = 0;
    for (std::int64_t i = 0; i < graph.first(r + 1) - graph.first(r); ++i)
        if (graph[graph.first(r) + i].what == execution_graph::kind::join) places.push_back(joins.at(join++));
        else places.push_back(i < edges ? done_by[static_cast<std::size_t>(i)] : combines.at(combine++));
    CHECK(join == joins.size());
    CHECK(combine == combines.size());
    return places;
}

/// Both are made of the same dependency list, by hands of their own. A plan makes one message of the edges of a step and
/// pair: put together so, the nodes of a graph wait for each other as those of the plan.
template <schedulable X>
void check_against_plans(const X& x, binding how) {
    using waits = std::set<std::pair<std::int64_t, std::int64_t>>;
    const execution_graph graph(x, how);
    for (rank_t r = 0; r < graph.ranks(); ++r) {
        const plan own(x, r, how);
        const std::vector<std::int64_t> places = places_in(own, graph);
        waits expected, found;
        for (std::int64_t i = 0; i < std::ssize(places); ++i) {
            const execution_graph::node& here = graph[graph.first(r) + i];
            const std::int64_t at = places[static_cast<std::size_t>(i)];
            const plan::node& there = own.nodes()[static_cast<std::size_t>(at)];
            CHECK(here.rank == r);
            CHECK((here.what == execution_graph::kind::send) == (there.what == plan::kind::send));
            CHECK((here.what == execution_graph::kind::receive) == (there.what == plan::kind::receive));
            CHECK((here.what == execution_graph::kind::join) == (there.what == plan::kind::join));
            for (const std::int64_t next : graph.successors(graph.first(r) + i))
                if (const std::int64_t after = places[static_cast<std::size_t>(next - graph.first(r))]; after != at)
                    expected.emplace(at, after);
        }
        for (std::int64_t i = 0; i < std::ssize(own.nodes()); ++i)
            for (const std::int64_t after : own.successors(i)) found.emplace(i, after);
        CHECK(found == expected);
    }
}

void check_peers(const execution_graph& graph) {
    std::map<std::pair<rank_t, rank_t>, std::set<std::int64_t>> pairs;
    std::set<std::int64_t> numbers;
    for (std::int64_t i = 0; i < std::ssize(graph.nodes()); ++i) {
        const execution_graph::node& n = graph[i];
        if (n.what != execution_graph::kind::send && n.what != execution_graph::kind::receive) {
            CHECK(n.peer == -1);
            CHECK(n.pair == -1);
            continue;
        }
        CHECK(graph[n.peer].peer == i);
        CHECK(graph[n.peer].bytes == n.bytes);
        CHECK(graph[n.peer].pair == n.pair);
        CHECK(graph[n.peer].what != n.what);
        numbers.insert(n.pair);
        if (n.what == execution_graph::kind::send) pairs[{n.rank, graph[n.peer].rank}].insert(n.pair);
    }
    for (const auto& [ranks, own] : pairs) CHECK(own.size() == 1);
    CHECK(std::ssize(pairs) == graph.pairs());
    CHECK(std::ssize(numbers) == graph.pairs());
    if (graph.pairs() > 0) CHECK(*numbers.rbegin() == graph.pairs() - 1);
}

}  // namespace

TEST_CASE("a graph holds what the plans of all ranks hold") {
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

TEST_CASE("transfers of a pair are matched in the order of their steps, combines and copies alike") {
    const std::vector<edge> edges{
        {.step = 0, .size = 4, .into = buffer::scratch},
        {.step = 1, .src = 1, .dst = 0, .size = 2, .into = buffer::scratch, .what = action::combine_after},
        {.step = 2, .src = 1, .dst = 0, .size = 3, .into = buffer::scratch}};
    const contract promise{.what = collective::reduce, .ranks = 2, .bytes = 4};
    const execution_graph graph(support::by_hand(promise, 3, edges, 4, 2));
    check_peers(graph);
    CHECK(std::ranges::count(graph.nodes(), execution_graph::kind::combine, &execution_graph::node::what) == 1);
}

TEST_CASE("wrong parameters are refused") {
    CHECK_THROWS_AS(execution_graph(allgather::ring{.ranks = 0, .block = 4}), bad_argument);
    CHECK_THROWS_AS(execution_graph(allgather::ring{.ranks = 4, .block = 4}, binding::separate, pacing{-1}),
                    bad_argument);
}
