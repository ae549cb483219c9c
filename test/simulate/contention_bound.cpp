#include "collsched/simulate/contention_bound.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/simulate/contention_run.hpp"
#include "collsched/topology/detail/cables.hpp"
#include "support/cable_network.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

constexpr std::int64_t fs_a_byte = 8'000'000;  // 125 MB/s
constexpr picoseconds us = 1'000'000;

contention_model flat(rank_t ranks) {
    const std::vector<lob_model::link_cost> own(static_cast<std::size_t>(ranks), {10 * us, fs_a_byte}), uplinks(1);
    return {.net = tree_network(topology::switch_tree::flat(ranks), own, uplinks),
            .placement = topology::placement::block(ranks, ranks)};
}
contention_model torus() {
    constexpr rank_t sizes[] = {3, 2, 2};
    contention_model model = contention_model::smpi();
    model.net = support::cable_network(detail::torus_cables(sizes), {.latency_ps = us, .byte_fs = 80});
    model.placement = topology::placement::block(12, 12);
    model.overheads_ps = owned_array<picoseconds>(12);
    for (picoseconds& overhead : model.overheads_ps) overhead = us / 2;
    model.overhead_byte_fs = 10;
    return model;
}

}  // namespace

TEST_CASE("contention_bound: no schedule completes before its bound") {
    const contention_model plain = flat(12), shared = torus();
    int above_half = 0;
    for (const contention_model* model : {&plain, &shared})
        for (const algorithm_entry& entry : compiled::registry())
            for (const bytes_t bytes : {bytes_t{8}, bytes_t{100'000}}) {
                const any_schedule s = entry.make({.ranks = 12, .block = bytes, .bytes = bytes, .element = 4});
                if (s.check()) continue;
                const picoseconds bound = completion_bound(s, *model), time = simulate(s, *model).completion;
                INFO(std::string(name_of(entry.info.collective)), " ", entry.info.name, " ", bytes);
                CHECK(bound <= time);
                above_half += 2 * bound > time ? 1 : 0;
            }
    CHECK(above_half > 20);
}

TEST_CASE("contention_bound: the bound is the time of a link that is always busy, and that of a busy processor") {
    const rank_t p = 9;
    const bytes_t m = 1'000'000;
    const any_schedule s(alltoall::linear{.ranks = p, .block = m});
    const picoseconds busy = 8 * m * fs_a_byte / 1000, bound = completion_bound(s, flat(p));
    CHECK(bound <= busy);
    CHECK(bound >= busy - busy / 1'000'000);
    contention_model slow = flat(p);
    slow.overheads_ps = owned_array<picoseconds>(p);
    slow.overheads_ps[3] = 1'000'000 * us;
    const picoseconds all = 16'000'000 * us;
    CHECK(completion_bound(s, slow) <= all);
    CHECK(completion_bound(s, slow) >= all - all / 1'000'000);
}

TEST_CASE("contention_bound: a schedule or a model with an error has no bound") {
    CHECK(completion_bound(any_schedule(alltoall::linear{.ranks = 0, .block = 1}), flat(3)) == 0);
    CHECK(completion_bound(any_schedule(alltoall::linear{.ranks = 4, .block = 1}), flat(3)) == 0);
    contention_model wrong = flat(3);
    wrong.copy_fs = -1;
    CHECK(completion_bound(any_schedule(alltoall::linear{.ranks = 3, .block = 1}), wrong) == 0);
}

TEST_CASE("contention_bound: the work of every processor and link, message by message") {
    // 1000 bytes from rank 0 to rank 1 take 8 us on links.
    const auto bound = [](bytes_t bytes, auto change) {
        contention_model model = flat(2);
        change(model);
        return completion_bound(compiled::find(collective::broadcast, "linear")->make({.ranks = 2, .bytes = bytes}),
                                model);
    };
    const auto is = [](picoseconds found, double expected) {  // reduced by 10^-9 for rounding
        return static_cast<double>(found) <= expected && static_cast<double>(found) >= expected * (1 - 2e-9) - 1;
    };
    const auto overheads = [](picoseconds first, picoseconds second) {
        return [=](contention_model& model) {
            model.overheads_ps = owned_array<picoseconds>(2);
            model.overheads_ps[0] = first;
            model.overheads_ps[1] = second;
        };
    };
    CHECK(is(bound(1000, [](auto&) {}), 8'000'000 - 1));
    CHECK(is(bound(1000, overheads(5 * us, us)), 8'000'000 - 1 + 5 * us));  // the flow begins after the sender's work
    CHECK(is(bound(1000, overheads(us, 70 * us)), 70 * us));
    CHECK(is(bound(1000, [](auto& m) { m.overhead_byte_fs = 12'345'678; }), 12'345'678));
    CHECK(is(bound(7, [](auto& m) { m.overhead_byte_fs = 900'000'001; }), 6'300'000));
    // The receiver of a synchronous message has no overhead where the model has synchronous_free.
    const auto synchronous = [&](bytes_t eager, bytes_t buffered, std::int64_t is_free) {
        return bound(1000, [&](auto& m) {
            overheads(us, 70 * us)(m);
            m.eager_bytes = eager, m.buffered_bytes = buffered, m.synchronous_free = is_free;
        });
    };
    CHECK(is(synchronous(999, 998, 1), 9'000'000 - 1));
    CHECK(is(synchronous(999, 998, 0), 70 * us));
    CHECK(is(synchronous(1000, 0, 1), 70 * us));
    CHECK(is(synchronous(-1, 1000, 1), 70 * us));
    // Envelope and bandwidth factor.
    const auto with_envelope = [](auto& m) {
        m.envelope_bytes = 24;
        m.size_factors = owned_array<contention_model::size_factor>(1);
        m.size_factors[0] = {0, 1'000'000, 500'000};
    };
    CHECK(is(bound(1000, with_envelope), 2 * 1024 * 8000 - 1));
    // Links of which messages have the whole bandwidth are not busy.
    CHECK(bound(1000, [](auto& m) {
              m.net = contention_model::network(2, {{{0, fs_a_byte}, false}},
                                                [](rank_t, rank_t, auto& route) { route = {0}; });
          }) == 0);
}

TEST_CASE("contention_bound: acknowledgements are work of links, and messages within a node are not") {
    contention_model model = flat(2);
    model.reverse_permille = 250;
    const any_schedule s(alltoall::linear{.ranks = 2, .block = 1000});
    const double expected = 1.25 * (8'000'000 - 1);
    const auto found = static_cast<double>(completion_bound(s, model));
    CHECK((found <= expected && found >= expected - 2));
    model.reverse_permille = 0;
    model.placement = topology::placement::block(4, 2);
    // Each node sends 4 messages to the other.
    const auto two_nodes =
        static_cast<double>(completion_bound(any_schedule(alltoall::linear{.ranks = 4, .block = 1000}), model));
    CHECK((two_nodes <= 4 * (8'000'000 - 1) && two_nodes >= 4 * (8'000'000 - 1) - 2));
    // Several messages between two ranks, and several edges of one, add up.
    const double rounds =
        static_cast<double>(completion_bound(any_schedule(allgather::ring{.ranks = 2, .block = 1000}), flat(2)));
    CHECK((rounds <= 8'000'000 - 1 && rounds >= 8'000'000 - 3));
    CHECK(completion_bound(any_schedule(alltoall::linear{.ranks = 1, .block = 1000}), flat(1)) == 0);
}

TEST_CASE("contention_bound: the first flow begins after the work of a sender, not of a rank that only receives") {
    contention_model model = flat(3);
    model.overheads_ps = owned_array<picoseconds>(3);
    for (rank_t r = 0; r < 3; ++r) model.overheads_ps[r] = r == 0 ? 5 * us : us;
    const picoseconds busy = 2 * (8'000'000 - 1) + 5 * us;
    const picoseconds found =
        completion_bound(compiled::find(collective::broadcast, "linear")->make({.ranks = 3, .bytes = 1000}), model);
    CHECK((found <= busy && found >= busy - 2));
}

TEST_CASE("contention_bound: links within a node count as links between nodes do") {
    contention_model model = flat(1);
    model.placement = topology::placement::block(4, 1);
    model.intra_nodes[0] = {.rank_link = {1000, 1'000'000}, .shared = true};
    const alltoall::linear all{.ranks = 4, .block = 1'000'000};
    const picoseconds bound = completion_bound(lower(all), model),
                      run = simulate(execution_graph(all), model).completion;
    CHECK(bound <= run);
    CHECK(bound > run / 10 * 9);
}
