#include "collsched/simulate/contention_run.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/reduce/linear.hpp"
#include "collsched/simulate/contention_trace.hpp"
#include "collsched/topology/detail/cables.hpp"
#include "collsched/tree/binomial.hpp"
#include "support/cable_network.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

constexpr std::int64_t fs_a_byte = 8'000'000;  // 125 MB/s
constexpr picoseconds us = 1'000'000;

contention_model on(contention_model::network net, rank_t ranks) {
    const rank_t nodes = net.nodes();
    return {.net = std::move(net), .placement = topology::placement::block(ranks, nodes)};
}
contention_model flat(rank_t ranks) {
    const std::vector<lob_model::link_cost> own(static_cast<std::size_t>(ranks), {10 * us, fs_a_byte}), uplinks(1);
    return on(tree_network(topology::switch_tree::flat(ranks), own, uplinks), ranks);
}
/// Shares are rounded.
bool near(picoseconds a, picoseconds b) { return a - b < 10 && b - a < 10; }
template <class X>
picoseconds time_of(const X& x, const contention_model& model) {
    const simulation run = simulate(execution_graph(x), model);
    REQUIRE(!run.check());
    return run.completion;
}

}  // namespace

TEST_CASE("contention_run: without shared links rounds take the times of LogGP") {
    for (const rank_t p : {2, 3, 8, 17})
        for (const bytes_t m : {bytes_t{1000}, bytes_t{1'000'000}}) {
            const picoseconds round = 20 * us + m * fs_a_byte / 1000;
            CHECK(time_of(allgather::ring{.ranks = p, .block = m}, flat(p)) == (p - 1) * round);
        }
}

TEST_CASE("contention_run: all messages that leave a node share its link, and all that reach it") {
    const rank_t p = 9;
    const bytes_t m = 1'000'000;
    const picoseconds all = 20 * us + 8 * m * fs_a_byte / 1000;
    CHECK(near(time_of(alltoall::linear{.ranks = p, .block = m}, flat(p)), all));
}

TEST_CASE("contention_run: an uplink is shared by the nodes behind it, and a wider one does not slow them") {
    const std::vector<rank_t> parents = {0, 0}, homes = {1, 1, 1, 1, 2, 2, 2, 2};
    const std::vector<lob_model::link_cost> own(8, {0, fs_a_byte});
    const bytes_t m = 1'000'000;
    // Recursive doubling's last step: four messages of four blocks cross in either direction.
    const auto took = [&](std::int64_t uplink) {
        const std::vector<lob_model::link_cost> uplinks = {{}, {0, uplink}, {0, uplink}};
        return time_of(allgather::recursive_doubling{.ranks = 8, .block = m},
                       on(tree_network(topology::switch_tree(parents, homes), own, uplinks), 8));
    };
    CHECK(took(fs_a_byte / 4) == 7 * m * fs_a_byte / 1000);
    CHECK(near(took(fs_a_byte), (3 + 16) * m * fs_a_byte / 1000));
}

TEST_CASE(
    "contention_run: overheads are paid at both ends, copies and combinations per byte, signals by latency alone") {
    contention_model model = flat(2);
    model.overheads_ps = owned_array<picoseconds>(2);
    model.overheads_ps[0] = 3 * us;
    model.overheads_ps[1] = 5 * us;
    CHECK(time_of(barrier::linear{.ranks = 2}, model) == (5 + 20 + 3) * us + (3 + 20 + 5) * us);
    model.combine_fs = 1'000'000;
    const picoseconds stream = 1000 * fs_a_byte / 1000;
    CHECK(time_of(reduce::linear{.ranks = 2, .bytes = 1000}, model) == (5 + 20 + 3) * us + stream + us);
}

TEST_CASE(
    "contention_run: a large message waits for its receiver and its sender for its end, a small one for no rank") {
    contention_model model = flat(2);
    model.eager_bytes = 1000;
    const execution_graph graph(allgather::ring{.ranks = 2, .block = 1000});
    const std::vector<picoseconds> start = {0, 500 * us};
    const simulation small = simulate(graph, model, start);
    CHECK(small.finish[0] == 500 * us + 20 * us + 8 * us);
    CHECK(small.finish[1] == 500 * us);  // its own message has been taken, and that of 0 is there
    model.eager_bytes = 999;
    const simulation large = simulate(graph, model, start);
    CHECK(large.finish[0] == 528 * us);
    CHECK(large.finish[1] == 528 * us);
}

TEST_CASE("contention_run: a buffered message departs when its receive is posted, and its sender continues") {
    contention_model model = flat(2);
    model.eager_bytes = -1;
    model.buffered_bytes = 1000;
    const execution_graph graph(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = 1000});
    const std::vector<picoseconds> start = {0, 500 * us};
    const simulation buffered = simulate(graph, model, start);
    CHECK(buffered.finish[0] == 0);
    CHECK(buffered.finish[1] == 500 * us + 20 * us + 8 * us);
    model.buffered_bytes = 999;
    const simulation synchronous = simulate(graph, model, start);
    CHECK(synchronous.finish[0] == 528 * us);
    CHECK(synchronous.finish[1] == 528 * us);
}

TEST_CASE("contention_run: a message takes the factors of its size, and overheads per byte at both ends") {
    contention_model model = flat(2);
    model.overhead_byte_fs = 2'000'000;
    model.envelope_bytes = 24;
    model.size_factors = owned_array<contention_model::size_factor>(1);
    model.size_factors[0] = {1000, 3'000'000, 500'000};
    const auto took = [&](bytes_t bytes) {
        return time_of(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = bytes}, model);
    };
    CHECK(took(976) == 2 * 1'952'000 + 20 * us + 8 * us);
    CHECK(took(977) == 2 * 1'954'000 + 60 * us + 2 * 8'008'000);
    model.eager_bytes = 900;
    CHECK(took(976) == 2 * 1'952'000 + 20 * us + 8 * us);
    model.synchronous_free = 1;
    CHECK(took(976) == 1'952'000 + 20 * us + 8 * us);
}

TEST_CASE("contention_run: a window limits the rate of a message by the latency of its route") {
    contention_model model = flat(2);
    model.window_bytes = 2000;  // in 40 us: 50 bytes per us instead of 125
    CHECK(time_of(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = 1000}, model) == (20 + 20) * us);
    model.window_bytes = 5000;
    CHECK(time_of(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = 1000}, model) == (20 + 8) * us);
}

TEST_CASE("contention_run: shares are inversely proportional to latency and to the time of share_bytes") {
    const std::vector<lob_model::link_cost> own = {{0, fs_a_byte}, {10 * us, 0}, {30 * us, 0}}, uplinks(1);
    contention_model model = on(tree_network(topology::switch_tree::flat(3), own, uplinks), 3);
    model.latency_weighted = 1;
    const execution_graph graph(scatter::linear{.ranks = 3, .block = 3000});
    // Shares 3 : 1 while both flow, from 30 us on: 20 us of the first alone pass 2500 bytes.
    const simulation run = simulate(graph, model);
    CHECK(near(run.finish[1], 30 * us + 500 * 4 * fs_a_byte / 3000));
    model.share_bytes = 2500;  // 20 us more for both: shares 5 : 3
    CHECK(near(simulate(graph, model).finish[1], 30 * us + 500 * 8 * fs_a_byte / 5000));
}

TEST_CASE("contention_run: the times of single messages are those that SimGrid 3.32 reports") {
    // Two nodes of a switch, links of 12.5 GB/s and 1 us, overheads of 0.5 us and 10 ps per byte at both ends.
    const std::vector<lob_model::link_cost> own(2, {us, 80'000}), uplinks(1);
    contention_model model = contention_model::smpi();
    model.net = tree_network(topology::switch_tree::flat(2), own, uplinks);
    model.placement = topology::placement::block(2, 2);
    model.overhead_byte_fs = 10'000;
    model.overheads_ps = owned_array<picoseconds>(2);
    for (picoseconds& overhead : model.overheads_ps) overhead = us / 2;
    const auto took_us = [&](bytes_t bytes) {
        const broadcast::over_tree<trees::binomial> message{.ranks = 2, .bytes = bytes};
        return static_cast<double>(time_of(message, model)) / static_cast<double>(us);
    };
    CHECK(took_us(8) == doctest::Approx(5.0319).epsilon(1e-4));
    CHECK(took_us(200) == doctest::Approx(5.0546).epsilon(1e-4));
    CHECK(took_us(8192) == doctest::Approx(6.1436).epsilon(1e-4));
    CHECK(took_us(1048576) == doctest::Approx(123.4490).epsilon(1e-4));
}

TEST_CASE("contention_run: shifts share the links of a ring, and none in a fat tree") {
    constexpr rank_t ring[] = {7}, twos[] = {2, 2, 2}, up[] = {1, 2, 2}, ones[] = {1, 1, 1};
    const bytes_t m = 100'000;
    const contention_model torus = on(support::cable_network(detail::torus_cables(ring), {0, fs_a_byte}), 7);
    const contention_model tree =
        on(support::cable_network(detail::fat_tree_cables(twos, up, ones), {0, fs_a_byte}), 8);
    const picoseconds block = m * fs_a_byte / 1000;
    // Steps of 1, 2 and 3 blocks over distances 1, 2 and 4, which is 3 backwards in a ring of seven.
    CHECK(time_of(allgather::bruck{.ranks = 7, .block = m}, torus) == (1 + 2 * 2 + 3 * 3) * block);
    CHECK(time_of(allgather::bruck{.ranks = 8, .block = m}, tree) == 7 * block);
}

TEST_CASE("contention_run: every registered schedule ends, no earlier than without contention") {
    const rank_t p = 7;
    const contention_model model = flat(p);
    for (const algorithm_entry& entry : support::registered_at(p)) {
        const any_schedule s = entry.make({.ranks = p, .block = 5000, .bytes = 5000, .segment = 512});
        const execution_graph graph(s);
        const simulation run = simulate(graph, model);
        CAPTURE(entry.info.name);
        REQUIRE(!run.check());
        picoseconds bytes_out = 0;
        for (rank_t r = 0; r < p; ++r) {
            bytes_t sent = 0;
            for (std::int64_t i = graph.first(r); i < graph.first(r + 1); ++i)
                sent += graph[i].kind == execution_graph::kind::send ? graph[i].bytes : 0;
            bytes_out = std::max(bytes_out, sent * fs_a_byte / 1000);
        }
        CHECK(run.completion + 1000 >= bytes_out);
        CHECK(run == simulate(graph, model));
        simulation traced = trace(graph, model);
        for (std::int64_t i = 0; i < traced.activities.size(); ++i) CHECK(traced.activities[i].end <= run.completion);
        traced.activities = {};
        CHECK(traced == run);
    }
}

TEST_CASE("contention_run: a run beyond its limit ends with an error, also under LogGP, and one within it is whole") {
    const allgather::ring ring{.ranks = 4, .block = 1000};
    const auto limited = [&](const auto& model) {
        const simulation whole = simulate(ring, model);
        CHECK(simulate(ring, model, {.limit = whole.completion}) == whole);
        const simulation cut = simulate(ring, model, {.limit = whole.completion / 2});
        CHECK(std::string(cut.check().argument) == "limit");
        CHECK(cut.check().value == whole.completion / 2);
        CHECK(cut.finish.empty());
    };
    limited(flat(4));
    limited(loggp_model{});
}

TEST_CASE("contention_run: a limit ends exactly the runs that are longer, whatever the model") {
    const rank_t p = 12;
    contention_model smpi = contention_model::smpi();
    smpi.net = flat(p).net;
    smpi.placement = topology::placement::block(p, p);
    smpi.overhead_byte_fs = 10'000;
    smpi.overheads_ps = owned_array<picoseconds>(p);
    for (picoseconds& overhead : smpi.overheads_ps) overhead = us / 2;
    contention_model window = flat(p);
    window.window_bytes = 3000;
    window.latency_weighted = 1;
    window.copy_fs = window.combine_fs = 100'000;
    contention_model waiting = flat(p);
    waiting.eager_bytes = waiting.buffered_bytes = 100;
    waiting.reverse_permille = 300;
    contention_model nodes = flat(p / 2);
    nodes.placement = topology::placement::block(p, p / 2);
    nodes.intra_nodes[0] = {.rank_link = {us / 2, fs_a_byte}, .shared = true, .sockets = 2};
    int runs = 0;
    for (const algorithm_entry& entry : support::registered_at(p))
        for (const bytes_t bytes : {bytes_t{40}, bytes_t{20'000}})
            for (const contention_model& model : {flat(p), smpi, window, waiting, nodes}) {
                const any_schedule s =
                    entry.make({.ranks = p, .root = 3, .block = bytes, .bytes = bytes, .segment = bytes / 5});
                if (s.check()) continue;
                const execution_graph graph(s);
                const picoseconds completion = simulate(graph, model).completion;
                CHECK(simulate(graph, model, {}, completion).completion == completion);
                if (completion == 0) continue;
                for (const picoseconds limit : {completion - 1, completion / 2})
                    CHECK(simulate(graph, model, {}, limit).is_beyond_limit());
                ++runs;
            }
    CHECK(runs > 50);
}

TEST_CASE("contention_run: an interval between changes of rates hardly changes times") {
    const rank_t p = 12;
    int runs = 0;
    for (const algorithm_entry& entry : support::registered_at(p)) {
        const any_schedule s = entry.make({.ranks = p, .root = 3, .block = 20'000, .bytes = 20'000, .segment = 4'000});
        if (s.check()) continue;
        const picoseconds exact = simulate(s, flat(p)).completion;
        simulation::conditions when;
        for (const picoseconds parts : {1000, 200, 50}) {
            when.rate_interval = exact / parts;
            const picoseconds rough = simulate(s, flat(p), when).completion;
            CHECK(static_cast<double>(rough) ==
                  doctest::Approx(static_cast<double>(exact)).epsilon(5 / static_cast<double>(parts)));
        }
        ++runs;
    }
    CHECK(runs > 5);
}

TEST_CASE("contention_run: schedules that cannot be run are reported") {
    CHECK_THROWS(simulate(execution_graph(allgather::ring{.ranks = 3, .block = 1}), flat(2)));
    contention_model broken = flat(2);
    broken.reverse_permille = -1;
    CHECK_THROWS(simulate(execution_graph(allgather::ring{.ranks = 2, .block = 1}), broken));
}

TEST_CASE("contention_run: an empty model is that of LogGP, with and without the overloads for shared links") {
    const allgather::ring ring{.ranks = 4, .block = 8};
    const picoseconds expected = simulate(ring, loggp_model{}).completion;
    CHECK(expected > 0);
    CHECK(simulate(ring, {}).completion == expected);
    CHECK(simulate(execution_graph(ring), {}).completion == expected);
    CHECK_THROWS_AS(simulate(ring, contention_model{}), bad_argument);
}

TEST_CASE("contention_run: a run ends without times when its time is over") {
    const execution_graph graph(alltoall::linear{.ranks = 40, .block = 1000});
    int looks = 0;
    const simulation whole = simulate(graph, flat(40), {}, INT64_MAX, [&] { return ++looks < 0; });
    CHECK(!whole.check());
    CHECK(looks > 3);
    int left = 3;
    const simulation run = simulate(graph, flat(40), {}, INT64_MAX, [&] { return --left == 0; });
    CHECK(std::string(run.check().argument) == "is_over");
    CHECK(run.finish.empty());
    CHECK(left == 0);
}

TEST_CASE("contention_run: a message within a node takes its latency, and its bytes over the bandwidth of a rank") {
    contention_model model = flat(1);
    model.placement = topology::placement::block(2, 1);
    const auto time = [&](bytes_t m) {
        return time_of(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = m}, model);
    };
    CHECK(time(8) == 500'000 + 8 * 125);
    CHECK(time(1'000'000) == 500'000 + 125'000'000);
    model.overheads_ps = owned_array<picoseconds>(1);
    model.overheads_ps[0] = 3 * us;
    CHECK(time(8) == 500'000 + 8 * 125 + 6 * us);
    model.intra_nodes[0] = {.rank_link = {2 * us, 1'000'000}};
    CHECK(time(8) == 2 * us + 8'000 + 6 * us);
    model.intra_nodes[0] = {.rank_link = {2 * us, 0}};  // unlimited
    CHECK(time(1'000'000) < 8 * us + 1000);
}

TEST_CASE(
    "contention_run: within a node each rank has its bandwidth, or all share one, and sockets share their links") {
    contention_model model = flat(1);
    const bytes_t m = 1'000'000;
    const picoseconds message = 1000 * us;
    model.placement = topology::placement::block(4, 1);
    const auto exchange = [&](const intra_node_links& inside) {
        model.intra_nodes[0] = inside;
        return time_of(alltoall::linear{.ranks = 4, .block = m}, model);
    };
    CHECK(near(exchange({.rank_link = {us, 1'000'000}}), us + 3 * message));
    CHECK(near(exchange({.rank_link = {us, 1'000'000}, .shared = true}), us + 12 * message));
    // Each rank sends two messages to the other socket.
    const link_cost slow{us, 1'000'000};
    CHECK(near(exchange({.rank_link = {us, 1'000}, .sockets = 2, .socket_link = slow}), 2 * us + 4 * message));
    CHECK(exchange({.rank_link = {us, 1'000}, .sockets = 1, .socket_link = slow}) < 5 * us);
}

TEST_CASE("contention_run: nodes with one rank have no links within, and others do not slow messages between nodes") {
    contention_model model = flat(4);
    const allgather::ring ring{.ranks = 4, .block = 1000};
    const picoseconds before = time_of(ring, model);
    model.intra_nodes[0] = {.rank_link = {1000 * us, fs_a_byte * 1000}, .shared = true, .sockets = 2};
    CHECK(time_of(ring, model) == before);
    // Cyclic placement: all messages of this ring are between nodes.
    const std::vector<lob_model::link_cost> own(2, {10 * us, fs_a_byte}), uplinks(1);
    model.net = tree_network(topology::switch_tree::flat(2), own, uplinks);
    model.placement = topology::placement::cyclic(4, 2);
    const picoseconds slow_inside = time_of(ring, model);
    model.intra_nodes[0] = {.rank_link = {0, 0}};
    CHECK(time_of(ring, model) == slow_inside);
}
