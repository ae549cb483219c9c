#include "collsched/simulate/contention_bound.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/collective/alltoall/linear.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/simulate/contention_run.hpp"
#include "collsched/simulate/torus_network.hpp"
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
    model.net = torus_network(topology::torus(sizes), {.latency_ps = us, .byte_fs = 80});
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
