#include "examples/programs/collsched/switch_study/conflict_policies.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "examples/programs/collsched/switch_study/switch_contention.hpp"

using namespace collsched;
using namespace collsched::switch_study;

namespace {

constexpr picoseconds L = 7'000, timeout = 1'000'000;
constexpr bytes_t P = 100;

/// 2 ps per byte; windows wide enough to fill a link.
switch_network with_buffer(bytes_t buffer) {
    return {.send_byte_fs = 2'000,
            .receive_byte_fs = 2'000,
            .latency_ps = L,
            .packet = P,
            .buffer = buffer,
            .window = 100,
            .timeout_ps = timeout,
            .timeout_limit_ps = timeout};
}

constexpr picoseconds alone(bytes_t bytes) { return 2 * bytes + 2 * P + 2 * L; }
/// A message after a request.
constexpr picoseconds asked(bytes_t bytes) { return 2 * L + alone(bytes); }

/// counts[i]: bytes from rank i to rank 0.
block_matrix to_zero(const std::vector<bytes_t>& counts) {
    const std::size_t p = counts.size();
    std::vector<bytes_t> all(p * p);
    for (std::size_t i = 1; i < p; ++i) all[i * p] = counts[i];
    return block_matrix(all);
}

template <class Policy>
std::string refused(const Policy& policy) {
    const argument_error error = policy.check(4);
    return error ? error.argument : "";
}

}  // namespace

TEST_CASE("conflict_policies: a taken receiver is given to the highest waiting rank, by rank or by volume") {
    const block_matrix block = to_zero({0, 10 * P, 30 * P, 20 * P});
    for (const conflict on : {conflict::wait, conflict::other}) {
        const contention ranked = simulate_exchange(block, 4, with_buffer(9'999), priority_exchange{.on = on});
        CHECK(ranked.finish[1] == asked(10 * P));
        CHECK(ranked.finish[2] == ranked.finish[1] + asked(30 * P));
        CHECK(ranked.finish[3] == ranked.finish[2] + asked(20 * P));
        CHECK(ranked.in_degree == 1);
        const priority_exchange by_volume{.on = on, .by_volume = true, .master_ps = 77};
        const contention largest = simulate_exchange(block, 4, with_buffer(9'999), by_volume);
        CHECK(largest.finish[2] == 77 + asked(30 * P));
        CHECK(largest.finish[3] == largest.finish[2] + asked(20 * P));
        CHECK(largest.finish[1] == largest.finish[3] + asked(10 * P));
    }
}

TEST_CASE("conflict_policies: equal volumes are ordered by rank, and a node's own block adds no volume") {
    std::vector<bytes_t> counts(16, 0);
    counts[1 * 4] = counts[2 * 4] = counts[3 * 4] = 10 * P;
    counts[3 * 4 + 3] = 90 * P;
    const priority_exchange policy{.on = conflict::wait, .by_volume = true};
    const contention run = simulate_exchange(block_matrix(counts), 4, with_buffer(9'999), policy);
    CHECK(run.finish[1] < run.finish[2]);
    CHECK(run.finish[2] < run.finish[3]);
}

TEST_CASE("conflict_policies: shifted targets have no conflicts, ascending ones queue") {
    const block_matrix block(20 * P);
    for (const conflict on : {conflict::wait, conflict::other}) {
        const priority_exchange shifted{.on = on, .order = target_order::shifted};
        CHECK(simulate_exchange(block, 2, with_buffer(9'999), shifted).completion == asked(20 * P));
    }
    constexpr rank_t p = 6;
    const auto run = [&](conflict on, target_order order) {
        return simulate_exchange(block, p, with_buffer(9'999), priority_exchange{.on = on, .order = order}).completion;
    };
    CHECK(run(conflict::wait, target_order::shifted) == (p - 1) * asked(20 * P));
    // rank i > 0 gets receiver 0 in turn i; receiver 1 is requested first by 0, then by all others in turn
    CHECK(run(conflict::wait, target_order::ascending) >= (2 * p - 4) * asked(20 * P));
    CHECK(run(conflict::other, target_order::ascending) < run(conflict::wait, target_order::ascending));
}

TEST_CASE(
    "conflict_policies: if a conflict is a loss, all begin and the lower ones withdraw until the higher ones finish") {
    const block_matrix block = to_zero({0, 40 * P, 40 * P, 40 * P, 40 * P});
    const contention free = simulate_exchange(block, 5, with_buffer(200 * P), priority_exchange{});
    CHECK(free.completion == alone(4 * 40 * P));
    CHECK(free.in_degree == 4);
    const contention run = simulate_exchange(block, 5, with_buffer(5 * P), priority_exchange{});
    CHECK(run.packets_sent_again > 0);
    for (rank_t i = 1; i < 4; ++i) CHECK(run.finish[i] < run.finish[i + 1]);
    switch_network soon = with_buffer(5 * P);  // losses are noticed long before the smallest message is sent
    soon.timeout_ps = soon.timeout_limit_ps = L + 1;
    const std::vector<bytes_t> uneven{0, 400 * P, 100 * P, 200 * P, 300 * P};
    const contention largest = simulate_exchange(to_zero(uneven), 5, soon, priority_exchange{.by_volume = true});
    CHECK(largest.finish[1] < largest.finish[4]);
    CHECK(largest.finish[4] < largest.finish[3]);
    CHECK(largest.finish[3] < largest.finish[2]);
}

TEST_CASE("conflict_policies: a random delay is added to the timeout") {
    const block_matrix block = to_zero({0, P, P});
    const picoseconds again = 2 * P + timeout + 2 * P + 2 * P + 2 * L;
    CHECK(simulate_exchange(block, 3, with_buffer(P), random_delay_exchange{.range_ps = 1, .limit_ps = 1}).completion ==
          again + 1);
    const auto run = [&](std::uint64_t seed) {
        const random_delay_exchange policy{.range_ps = 1'000'000, .limit_ps = 1'000'000, .seed = seed};
        return simulate_exchange(block, 3, with_buffer(P), policy).completion;
    };
    CHECK(run(1) > again);
    CHECK(run(1) <= again + 1'000'000);
    CHECK(run(1) == run(1));
    CHECK(run(1) != run(2));
}

TEST_CASE("conflict_policies: with random delays the lowest of the first senders wins, then chance decides") {
    const block_matrix block = to_zero({0, 30 * P, 30 * P, 30 * P});
    for (const conflict on : {conflict::wait, conflict::other}) {
        const random_delay_exchange policy{.on = on, .range_ps = 3'000, .limit_ps = 9'000};
        const contention run = simulate_exchange(block, 4, with_buffer(P), policy);
        CHECK(run.finish[1] == asked(30 * P));
        CHECK(run.in_degree == 1);
        CHECK(run.packets_sent_again == 0);
        CHECK(run.completion > 3 * asked(30 * P));
        CHECK(run.completion < 3 * asked(30 * P) + 2 * 9'000);
    }
    // one delay, of 1 ps each, until the receiver is free
    const random_delay_exchange eager{.on = conflict::wait, .range_ps = 1, .limit_ps = 1};
    CHECK(simulate_exchange(to_zero({0, P, P}), 3, with_buffer(P), eager).completion == 2 * asked(P));
}

TEST_CASE("conflict_policies: the range of random delays grows to its limit") {
    const auto over = [](picoseconds limit, bytes_t second) {
        const random_delay_exchange policy{.on = conflict::wait, .range_ps = 1, .limit_ps = limit};
        return simulate_exchange(to_zero({0, 300 * P, second}), 3, with_buffer(P), policy).completion - asked(300 * P) -
               asked(second);
    };
    CHECK(over(1, P) == 0);
    CHECK(over(1'000'000, P) > 100);  // a single ps each time would end exactly
    CHECK(over(50, P) < 50);
    // on losses too: 2 and 3 lose to 1, then 3 to 2 or 2 to 3
    const block_matrix block = to_zero({0, P, P, P});
    const picoseconds lost_twice = 2 * (2 * P + timeout) + 2 * P + 2 * P + 2 * L;
    const random_delay_exchange one{.range_ps = 1, .limit_ps = 1};
    CHECK(simulate_exchange(block, 4, with_buffer(P), one).completion == lost_twice + 2);
}

TEST_CASE("conflict_policies: after a random delay a sender takes the same target or the next one") {
    // 1 and 2 send to 0 first, and 2 sends to 3 as well
    std::vector<bytes_t> counts(16);
    counts[1 * 4 + 0] = counts[2 * 4 + 0] = counts[2 * 4 + 3] = 20 * P;
    const auto run = [&](conflict on) {
        const random_delay_exchange policy{.on = on, .range_ps = 1, .limit_ps = 1, .order = target_order::ascending};
        return simulate_exchange(block_matrix(counts), 4, with_buffer(9'999), policy);
    };
    CHECK(run(conflict::other).finish[3] == 1 + asked(20 * P) - L);
    CHECK(run(conflict::other).completion == 1 + 2 * asked(20 * P));
    CHECK(run(conflict::wait).finish[3] == 3 * asked(20 * P) - L);
}

TEST_CASE("conflict_policies: a sender whose target is taken takes another target") {
    // 1 and 2 send to 0, and 2 sends to 3 as well
    std::vector<bytes_t> counts(16);
    counts[1 * 4 + 0] = counts[2 * 4 + 0] = counts[2 * 4 + 3] = 20 * P;
    for (const target_order order : {target_order::ascending, target_order::shifted}) {
        const auto run = [&](conflict on) {
            const priority_exchange policy{.on = on, .order = order};
            return simulate_exchange(block_matrix(counts), 4, with_buffer(9'999), policy).completion;
        };
        CHECK(run(conflict::other) == 2 * asked(20 * P));
        CHECK(run(conflict::wait) == (order == target_order::ascending ? 3 : 2) * asked(20 * P));
    }
}

TEST_CASE("conflict_policies: preconditions of the policies' arguments") {
    CHECK(refused(priority_exchange{}).empty());
    CHECK(refused(priority_exchange{.by_volume = true, .master_ps = -1}) == "master_ps");
    CHECK(refused(random_delay_exchange{}).empty());
    CHECK(refused(random_delay_exchange{.range_ps = 0}) == "range_ps");
    CHECK(refused(random_delay_exchange{.range_ps = 10, .limit_ps = 9}) == "limit_ps");
}
