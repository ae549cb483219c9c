#include "collsched/simulate/link_queue_trace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "collsched/collective/over_forest.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/tree/pack_forest.hpp"

using namespace collsched;
using topology::network;
using delay = simulation::critical_step::delay;

namespace {

constexpr std::int64_t giga = 1'000'000'000;  // 1 byte per 1000 ps

/// Returns the words "rank 1 send order" of the steps of a path.
std::vector<std::string> words(const execution_graph& graph, const std::vector<simulation::critical_step>& path) {
    std::vector<std::string> all;
    for (const simulation::critical_step& step : path)
        all.push_back("rank " + std::to_string(graph[step.node].rank) +
                      (graph[step.node].kind == execution_graph::kind::send ? " send " : " receive ") +
                      name_of(step.cause));
    return all;
}

/// Checks the rules of a run: times as without a trace, one transfer per link at a time, and times that follow causes.
void check(const auto& x, const link_queue_model& model) {
    const execution_graph graph(x);
    const simulation made = trace(x, graph, model), plain = simulate(x, model);
    REQUIRE(!made.error);
    CHECK(made.finish == plain.finish);
    CHECK(plain.link_uses.empty());
    std::map<std::int64_t, picoseconds> free;
    for (const simulation::link_use& one : made.link_uses) {
        CHECK(one.begin >= free[one.link]);
        CHECK(one.end >= one.begin);
        CHECK(graph[one.send].kind == execution_graph::kind::send);
        free[one.link] = one.end;
    }
    for (std::int64_t i = 0; i < made.activities.size(); ++i) {
        const simulation::activity& when = made.activities[i];
        CHECK(when.ready <= when.begin);
        CHECK(when.begin <= when.end);
        for (const std::int64_t next : graph.successors(i)) CHECK(made.activities[next].ready >= when.end);
        if (graph[i].kind == execution_graph::kind::receive) CHECK(when.arrival >= made.activities[graph[i].peer].end);
    }
    const auto path = critical_path(graph, model, made);
    REQUIRE(!path.empty());
    CHECK(path.front().cause == delay::start);
    CHECK(made.activities[path.back().node].end == made.completion);
    for (std::size_t n = 1; n < path.size(); ++n) {
        const execution_graph::node& node = graph[path[n].node];
        CHECK(path[n].cause != delay::start);
        if (path[n].cause == delay::message) CHECK(node.peer == path[n - 1].node);
        if (path[n].cause == delay::order) CHECK(node.rank == graph[path[n - 1].node].rank);
        if (path[n].cause == delay::link) CHECK(graph[path[n - 1].node].kind == execution_graph::kind::send);
    }
}

}  // namespace

TEST_CASE("link_queue_trace: three messages share a link, and the path leads over all of them") {
    const network::link links[] = {{0, 4, giga, 2000}, {4, 1, giga, 2000}, {4, 2, giga, 2000}, {4, 3, giga, 2000},
                                   {1, 4, giga, 2000}, {2, 4, giga, 2000}, {3, 4, giga, 2000}, {4, 0, giga, 2000}};
    const link_queue_model star{network(4, 1, links), {}, false};
    const gather::linear x{.ranks = 4, .root = 0, .block = 100};
    const execution_graph graph(x);
    const simulation made = trace(x, graph, star);
    std::vector<std::int64_t> shared;  // of the link to rank 0: when it is free
    for (const simulation::link_use& one : made.link_uses)
        if (one.link == 7) shared.push_back(one.end);
    CHECK(shared == std::vector<std::int64_t>{202'000, 302'000, 402'000});
    CHECK(made.link_uses.size() == 6);
    const auto path = critical_path(graph, star, made);
    REQUIRE(path.size() == 4);
    CHECK(words(graph, path)[0].ends_with("send start"));
    CHECK(words(graph, path)[1].ends_with("send link"));
    CHECK(words(graph, path)[2].ends_with("send link"));
    CHECK(words(graph, path)[3] == "rank 0 receive message");
}

TEST_CASE("link_queue_trace: a ring forwards, and its path alternates between sends and receives") {
    const link_queue_model ring{topology::networks::ring(3, {giga, 5000}), {}, false};
    const allgather::ring x{.ranks = 3, .block = 100};
    const execution_graph graph(x);
    const simulation made = trace(x, graph, ring);
    const auto found = words(graph, critical_path(graph, ring, made));
    REQUIRE(found.size() == 4);
    CHECK(found[0].ends_with("send start"));
    CHECK(found[1].ends_with("receive message"));
    CHECK(found[3].ends_with("receive message"));
    CHECK(made.completion == 2 * 105'000);
}

TEST_CASE("link_queue_trace: times follow causes, for several schedules and networks") {
    const std::int64_t dims[] = {3, 2};
    const network mesh = topology::networks::mesh(dims, {2 * giga, 700'000});
    const network tree = topology::networks::leaf_spine(
        {.leaves = 3, .ranks_per_leaf = 2, .spines = 1, .rank_cable = {giga, 5000}, .uplink_cable = {giga, 5000}});
    std::vector<rank_t> roots{0, 1, 2, 3, 4, 5};
    const trees::planned_forest forest = trees::pack_forest(mesh, roots).result;
    for (const bool occupies : {false, true})
        for (const network& net : {mesh, tree}) {
            const link_queue_model model{net, {}, occupies};
            check(allgather::ring{.ranks = 6, .block = 1000}, model);
            check(allreduce::ring{.ranks = 6, .bytes = 999}, model);
            check(alltoall::linear{.ranks = 6, .block = 77}, model);
            check(gather::linear{.ranks = 6, .root = 3, .block = 10}, model);
            check(allgather::over_forest{.ranks = 6, .block = 1000, .segment = 50, .forest = forest}, model);
        }
}

TEST_CASE("link_queue_trace: errors are reported") {
    const allgather::ring x{.ranks = 4, .block = 100};
    const execution_graph graph(x);
    const link_queue_model other{topology::networks::ring(5, {giga, 0}), {}, false};
    simulation made;
    try {
        made = trace(x, graph, other);
    } catch (const bad_argument& wrong) {
        made.error = wrong.error();
    }
    CHECK(made.error.argument == std::string("ranks"));
    CHECK(critical_path(graph, other, made).empty());
}
