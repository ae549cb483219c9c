#include "collsched/simulate/trace.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/simulate/contention_trace.hpp"
#include "collsched/simulate/link_queue_trace.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"
#include "support/samples.hpp"

using namespace collsched;
using usage = simulation::path_interval::part;

namespace {

constexpr std::int64_t fs_a_byte = 8'000'000;

template <class Model>
std::vector<simulation::path_interval> checked_intervals(const execution_graph& graph, const Model& model,
                                                         const simulation& run) {
    REQUIRE(!run.check());
    const std::vector<simulation::critical_step> path = critical_path(graph, model, run);
    const std::vector<simulation::path_interval> intervals = path_intervals(graph, model, run);
    picoseconds now = 0;
    bool sound = true;  // one assertion for all intervals, of which the sweeps have millions
    for (const simulation::path_interval& interval : intervals) {
        sound = sound && interval.begin == now && interval.end > now && interval.step < std::ssize(path);
        now = interval.end;
        if (interval.use == usage::waiting || !sound) continue;
        REQUIRE(interval.step >= 0);
        const execution_graph::kind kind = graph[path[static_cast<std::size_t>(interval.step)].node].kind;
        const bool local = kind == execution_graph::kind::copy || kind == execution_graph::kind::combine;
        sound = local == (interval.use == usage::local_work);
    }
    CHECK(sound);
    CHECK(now == run.completion);
    CHECK(parts_of(intervals).completion() == run.completion);
    return intervals;
}

contention_model shared_links(rank_t p, contention_model model) {
    const std::vector<lob_model::link_cost> own(static_cast<std::size_t>((p + 1) / 2), {10'000'000, fs_a_byte}), up(1);
    model.net = tree_network(topology::switch_tree::flat((p + 1) / 2), own, up);
    model.placement = topology::placement::cyclic(p, (p + 1) / 2);
    model.overheads_ps = owned_array<picoseconds>((p + 1) / 2);
    for (rank_t c = 0; c < model.overheads_ps.size(); ++c) model.overheads_ps[c] = 500'000 + 100'000 * c;
    model.copy_fs = 100'000;
    model.combine_fs = 200'000;
    return model;
}

void check_all_models(const any_schedule& x, rank_t p) {
    const execution_graph graph(x);
    for (const std::vector<picoseconds>& start :
         {std::vector<picoseconds>(), std::vector<picoseconds>(static_cast<std::size_t>(p), 3'000'000)}) {
        const loggp_model loggp{.latency_ps = 5'000'000,
                                .overhead_ps = 2'000'000,
                                .gap_ps = 4'000'000,
                                .byte_fs = 1'000'000,
                                .connection_ps = 700};
        checked_intervals(graph, loggp, trace(graph, loggp, start));
        const hockney_model hockney{.alpha_ps = 1'000'000, .beta_fs = 100'000};
        checked_intervals(graph, hockney, trace(graph, hockney, start));
        for (const bytes_t eager : {bytes_t{65536}, bytes_t{10}, bytes_t{-1}}) {
            contention_model model;
            model.eager_bytes = eager;
            model = shared_links(p, model);
            checked_intervals(graph, model, trace(graph, model, start));
        }
        const contention_model smpi = shared_links(p, contention_model::smpi());
        checked_intervals(graph, smpi, trace(graph, smpi, start));
    }
}

}  // namespace

TEST_CASE("path_intervals: the intervals of all algorithms add up to the completion under every model") {
    for (const rank_t p : {1, 2, 3, 4, 5, 8})
        for (const support::sample& x : support::samples(p)) {
            CAPTURE(p);
            CAPTURE(x.name);
            check_all_models(x.schedule, p);
        }
}

TEST_CASE("path_intervals: the intervals of all algorithms add up to the completion on links of a network") {
    for (const rank_t p : {2, 3, 5, 8})
        for (const bool occupies : {false, true}) {
            const link_queue_model model{
                topology::networks::ring(p, {.bandwidth = 1'000'000, .latency = 2'000'000}), {}, occupies};
            for (const support::sample& x : support::samples(p)) {
                CAPTURE(p);
                CAPTURE(x.name);
                const execution_graph graph(x.schedule);
                checked_intervals(graph, model, trace(x.schedule, graph, model));
            }
        }
}

TEST_CASE("path_intervals: a chain under LogGP has the latency, stream and overheads of each message") {
    const loggp_model model{.latency_ps = 1000, .overhead_ps = 300, .byte_fs = 2000};
    const execution_graph graph(broadcast::over_tree<trees::chain>{.ranks = 4, .bytes = 11});
    const time_parts parts = parts_of(checked_intervals(graph, model, trace(graph, model)));
    CHECK(parts == time_parts{.sums = {0, 6 * 300, 0, 3 * 1000, 3 * 20, 0}, .messages = 3});
    const hockney_model simple{.alpha_ps = 1000, .beta_fs = 2000};
    CHECK(parts_of(checked_intervals(graph, simple, trace(graph, simple))) ==
          time_parts{.sums = {0, 0, 0, 3 * 1000, 3 * 22, 0}, .messages = 3});
}

TEST_CASE(
    "path_intervals: a message that waits for the interface has the bandwidth of the message before, and its gap") {
    // Two messages of 11 bytes leave rank 0. The interface is busy for 20 + 5 ps with the first.
    const loggp_model model{.latency_ps = 1000, .overhead_ps = 1, .gap_ps = 5, .byte_fs = 2000, .copy_fs = 0};
    const execution_graph graph(broadcast::over_tree<trees::k_ary>{.ranks = 3, .bytes = 11, .tree = {2}});
    const time_parts parts = parts_of(checked_intervals(graph, model, trace(graph, model)));
    CHECK(parts.completion() == 25 + 1 + 1000 + 20 + 1);
    CHECK(parts[usage::bandwidth] == 19 + 20);
    CHECK(parts[usage::overhead] == 1 + 5 + 1 + 1);
}

TEST_CASE("path_intervals: the transfers that occupy a link before a message are contention") {
    // The messages from 1 to 2, from 1 to 0 by way of 2, and from 0 to 2 by way of 1 follow each other on a slow link.
    const topology::network::link links[] = {{0, 1, 1'000'000'000}, {1, 2, 1'000'000}, {2, 0, 1'000'000'000}};
    const link_queue_model model{topology::network(3, 0, links), {}, false};
    const alltoall::linear x{.ranks = 3, .block = 10};
    const execution_graph graph(x);
    const simulation run = trace(x, graph, model);
    const std::vector<simulation::path_interval> intervals = checked_intervals(graph, model, run);
    CHECK(parts_of(intervals).sums == std::array<picoseconds, 6>{0, 0, 0, 0, 10'000'000, 20'000'000});
    for (const simulation::path_interval& interval : intervals) CHECK(interval.link == 1);
    CHECK(link_times(graph, model, run)[1] == 30'000'000);
}
