#include "benchmarks/studies/switch_contention.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "benchmarks/studies/conflict_policies.hpp"
#include "benchmarks/studies/exchange_policies.hpp"
#include "support/layouts.hpp"

using namespace collsched;
using namespace collsched::switch_study;

namespace {

constexpr picoseconds L = 7'000, timeout = 1'000'000;
constexpr bytes_t P = 100;

/// 2 ps a byte to send, 2 ps a byte to receive; nothing ever overflows.
switch_network roomy() {
    return {.send_byte_fs = 2'000,
            .receive_byte_fs = 2'000,
            .latency_ps = L,
            .packet = P,
            .buffer = 1'000'000,
            .window = 10'000,
            .timeout_ps = timeout,
            .timeout_limit_ps = timeout};
}
switch_network tight(bytes_t buffer, std::int64_t window) {
    switch_network made = roomy();
    made.buffer = buffer;
    made.window = window;
    return made;
}

/// Only these ranks send, `bytes` each, only to rank 0.
block_matrix to_zero(rank_t p, const std::vector<rank_t>& senders, bytes_t bytes) {
    std::vector<bytes_t> counts(static_cast<std::size_t>(p * p));
    for (const rank_t i : senders) counts[static_cast<std::size_t>(i * p)] = bytes;
    return block_matrix(counts);
}

block_matrix random_matrix(support::random_source& random, rank_t p, bytes_t most) {
    std::vector<bytes_t> counts;
    for (rank_t k = 0; k < p * p; ++k) counts.push_back(random.below(4) == 0 ? 0 : random.below(most));
    if (random.below(2) == 0)
        for (rank_t j = 0; j < p; ++j) counts[static_cast<std::size_t>(j)] = 0;  // a row
    if (random.below(2) == 0)
        for (rank_t i = 0; i < p; ++i) counts[static_cast<std::size_t>(i * p + p - 1)] = 0;  // a column
    return block_matrix(counts);
}

bytes_t over_the_network(const block_matrix& block, rank_t p) {
    bytes_t sum = 0;
    for (rank_t i = 0; i < p; ++i) sum += block.sent(i, p) - block.count(i, i);
    return sum;
}

/// f(policy) for every policy.
template <class F>
void for_every_policy(rank_t p, F f) {
    f(all_at_once{});
    f(shifted_exchange{});
    for (rank_t q = 1; q <= p; ++q) f(grouped_exchange{.group = q, .master_ps = 500, .order = {}});
    for (const conflict on : {conflict::loss, conflict::wait, conflict::other})
        for (const target_order order : {target_order::shifted, target_order::ascending}) {
            f(priority_exchange{.on = on, .by_volume = false, .order = order, .master_ps = 0});
            f(priority_exchange{.on = on, .by_volume = true, .order = order, .master_ps = 300});
            f(random_delay_exchange{.on = on, .range_ps = 2'000, .limit_ps = 900'000, .order = order, .seed = 4});
        }
}

template <class Policy = all_at_once>
argument_error refused(const block_matrix& block, rank_t p, const switch_network& network, const Policy& policy = {}) {
    try {
        (void)simulate_exchange(block, p, network, policy);
    } catch (const bad_argument& wrong) {
        return wrong.error();
    }
    return {};
}

}  // namespace

TEST_CASE("switch_contention: default values") {
    const contention none;
    CHECK((none.completion == 0 && none.bytes_sent == 0 && none.bytes_sent_again == 0 && none.bytes_delivered == 0));
    CHECK((none.packets_sent == 0 && none.packets_sent_again == 0 && none.in_degree == 0 && none.buffer_used == 0));
}

TEST_CASE("switch_contention: one sender takes its bytes, the latency and one packet") {
    for (const bytes_t bytes : {P, 2 * P, 50 * P, 50 * P + 1, P - 1, bytes_t{1}}) {
        const contention run = simulate_exchange(to_zero(3, {2}, bytes), 3, tight(P, 1'000), all_at_once{});
        const picoseconds there = 2 * bytes + L + 2 * std::min(bytes, P);
        // a last packet that is shorter than the one before it waits for that one, which needs room
        const switch_network network = tight(2 * P, 1'000);
        const contention spacious = simulate_exchange(to_zero(3, {2}, bytes), 3, network, all_at_once{});
        CHECK(spacious.finish[0] == there);
        CHECK(spacious.finish[1] == 0);
        CHECK(spacious.finish[2] == there + L);
        CHECK(spacious.completion == there + L);
        CHECK(spacious.packets_sent == (bytes + P - 1) / P);
        CHECK(spacious.packets_sent_again == 0);
        CHECK(spacious.in_degree == 1);
        if (bytes % P == 0 || bytes < P) CHECK(run == spacious);
    }
}

TEST_CASE("switch_contention: a slow receiver sets the rate, and a window of one costs a round trip per packet") {
    switch_network network = roomy();
    network.receive_byte_fs = 5'000;
    const contention wide = simulate_exchange(to_zero(2, {1}, 40 * P), 2, network, all_at_once{});
    CHECK(wide.finish[0] == 2 * P + L + 5 * 40 * P);
    network.window = 1;
    const contention narrow = simulate_exchange(to_zero(2, {1}, 40 * P), 2, network, all_at_once{});
    CHECK(narrow.completion == 40 * (2 * P + L + 5 * P + L));
    CHECK(narrow.buffer_used == P);
}

TEST_CASE("switch_contention: senders to one receiver share its link") {
    for (const rank_t k : {1, 2, 5, 9}) {
        std::vector<rank_t> senders;
        for (rank_t i = 1; i <= k; ++i) senders.push_back(i);
        const contention run = simulate_exchange(to_zero(k + 1, senders, 30 * P), k + 1, roomy(), all_at_once{});
        CHECK(run.finish[0] == 2 * P + L + 2 * 30 * P * k);
        CHECK(run.completion == run.finish[0] + L);
        CHECK(run.in_degree == k);
        CHECK(run.buffer_used == (k - 1) * 30 * P + P);
        CHECK(run.packets_sent_again == 0);
    }
}

TEST_CASE("switch_contention: a sender shares its link among receivers") {
    std::vector<bytes_t> counts(16);
    for (std::size_t j = 1; j < 4; ++j) counts[j] = 20 * P;
    const contention run = simulate_exchange(block_matrix(counts), 4, roomy(), all_at_once{});
    for (rank_t j = 1; j < 4; ++j) CHECK(run.finish[j] == 2 * P * (57 + j) + L + 2 * P);
    CHECK(run.in_degree == 1);
}

TEST_CASE("switch_contention: packets that do not fit are lost and sent again after the timeout") {
    // packets of ranks 1 and 2 arrive together; 1 is the next rank after 0
    const contention two = simulate_exchange(to_zero(3, {1, 2}, P), 3, tight(P, 5), all_at_once{});
    CHECK(two.finish[1] == 2 * P + L + 2 * P + L);
    CHECK(two.finish[0] == 2 * P + timeout + 2 * P + L + 2 * P);
    CHECK(two.finish[2] == two.finish[0] + L);
    CHECK(two.packets_sent == 3);
    CHECK(two.packets_sent_again == 1);
    CHECK(two.bytes_sent == 3 * P);
    CHECK(two.bytes_sent_again == P);
    CHECK(two.bytes_delivered == 2 * P);
    CHECK(two.in_degree == 2);
    CHECK(two.buffer_used == P);
    // of three, one is lost twice; its second timeout is as long, or twice as long
    switch_network network = tight(P, 5);
    const picoseconds once = 2 * P + timeout + 2 * P;
    const auto last = [&] { return simulate_exchange(to_zero(4, {1, 2, 3}, P), 4, network, all_at_once{}).completion; };
    CHECK(last() == once + timeout + 2 * P + L + 2 * P + L);
    network.timeout_limit_ps = 3 * timeout / 2;
    CHECK(last() == once + timeout + timeout / 2 + 2 * P + L + 2 * P + L);
    network.timeout_limit_ps = 100 * timeout;
    CHECK(last() == once + 2 * timeout + 2 * P + L + 2 * P + L);
}

TEST_CASE("switch_contention: of simultaneous packets the first is that of the rank next after the receiver") {
    std::vector<bytes_t> counts(16);
    counts[1 * 4 + 2] = counts[3 * 4 + 2] = P;
    const contention run = simulate_exchange(block_matrix(counts), 4, tight(P, 5), all_at_once{});
    CHECK(run.finish[3] == 2 * P + L + 2 * P + L);
    CHECK(run.finish[1] == run.finish[3] + timeout + 2 * P);
}

TEST_CASE("switch_contention: a lost last packet keeps its size") {
    const contention run = simulate_exchange(to_zero(3, {1, 2}, 3 * P + 1), 3, tight(P, 5), all_at_once{});
    CHECK(run.bytes_delivered == 2 * (3 * P + 1));
    CHECK(run.bytes_sent - run.bytes_sent_again == run.bytes_delivered);
    CHECK(run.packets_sent_again > 0);
}

TEST_CASE("switch_contention: every packet arrives once, for every policy, buffer and sizes") {
    support::random_source random(11);
    std::int64_t lossy = 0;
    for (int round = 0; round < 60; ++round) {
        const rank_t p = 1 + random.below(7);
        const block_matrix block = random_matrix(random, p, 1 + random.below(2'000));
        switch_network network = tight(P + random.below(1'000), 1 + random.below(20));
        network.receive_byte_fs = 1'000 + random.below(4'000);
        network.latency_ps = random.below(3 * L);
        network.timeout_ps = network.latency_ps + 1 + random.below(20'000);
        network.timeout_limit_ps = network.timeout_ps * (1 + random.below(9));
        network.by_chance = random.below(2) == 0;
        for_every_policy(p, [&](const auto& policy) {
            const contention run = simulate_exchange(block, p, network, policy);
            REQUIRE(run.bytes_delivered == over_the_network(block, p));
            REQUIRE(run.bytes_sent == run.bytes_delivered + run.bytes_sent_again);
            REQUIRE(run.buffer_used <= network.buffer);
            REQUIRE((run.bytes_sent_again == 0) == (run.packets_sent_again == 0));
            REQUIRE(run.completion == *std::max_element(run.finish.begin(), run.finish.end()));
            lossy += run.packets_sent_again > 0 ? 1 : 0;
            for (rank_t i = 0; i < p; ++i) {
                const bytes_t out = block.sent(i, p) - block.count(i, i), in = block.received(i, p) - block.count(i, i);
                REQUIRE(run.finish[i] >= time_at(out, network.send_byte_fs).value());
                REQUIRE((run.finish[i] == 0) == (out == 0 && in == 0));
            }
            REQUIRE(run == simulate_exchange(block, p, network, policy));
        });
    }
    CHECK(lossy > 100);
}

TEST_CASE("switch_contention: no packet is lost if all windows together fit the buffer") {
    support::random_source random(12);
    for (int round = 0; round < 30; ++round) {
        const rank_t p = 2 + random.below(6);
        const std::int64_t window = 1 + random.below(6);
        const block_matrix block = random_matrix(random, p, 3'000);
        for_every_policy(p, [&](const auto& policy) {
            const contention run = simulate_exchange(block, p, tight((p - 1) * window * P, window), policy);
            REQUIRE(run.packets_sent_again == 0);
            REQUIRE(run.in_degree < p);
        });
    }
    CHECK(simulate_exchange(block_matrix(3'000), 8, tight(7 * P - 1, 100), priority_exchange{}).buffer_used < 7 * P);
}

TEST_CASE("switch_contention: more bytes or a longer latency take longer if no packet is lost") {
    picoseconds before = 0;
    for (bytes_t bytes = 0; bytes < 40 * P; bytes += P / 2) {
        const contention run = simulate_exchange(block_matrix(bytes), 5, roomy(), all_at_once{});
        CHECK(run.completion > before - (bytes == 0 ? 1 : 0));
        before = run.completion;
    }
    for (const picoseconds latency : {0, 1, 50, 5'000}) {
        switch_network network = roomy();
        network.latency_ps = latency;
        const contention run = simulate_exchange(to_zero(5, {1, 2, 3}, 1'000), 5, network, all_at_once{});
        CHECK(run.completion == 2 * P + 3 * 2'000 + 2 * latency);
    }
}

TEST_CASE("switch_contention: packets in turn or at random are the same for the same seed") {
    switch_network network = tight(3 * P, 20);
    network.by_chance = true;
    const auto run = [&] { return simulate_exchange(block_matrix(5'000), 6, network, all_at_once{}); };
    const contention once = run();
    CHECK(once == run());
    network.seed = 2;
    CHECK_FALSE(once == run());
    CHECK(once.packets_sent_again > 0);
    network.by_chance = false;
    CHECK(run().packets_sent_again == 0);  // in turn, equal sizes never meet
}

TEST_CASE("switch_contention: no bytes to send and no receivers are accepted") {
    for (const rank_t p : {1, 4})
        for_every_policy(p, [&](const auto& policy) {
            const contention run = simulate_exchange(block_matrix(p == 1 ? 1'000 : 0), p, roomy(), policy);
            CHECK(run.completion == 0);
            CHECK(run.packets_sent == 0);
            CHECK(run.finish.size() == p);
            CHECK(run.in_degree == 0);
        });
}

TEST_CASE("switch_contention: invalid arguments are rejected before the simulation") {
    CHECK(refused(block_matrix(1), 0, roomy()).argument == std::string("ranks"));
    CHECK(refused(block_matrix(1), rank_t{1} << 40, roomy()).argument == std::string("ranks"));
    CHECK(refused(block_matrix(-1), 2, roomy()).argument == std::string("block"));
    CHECK(refused(block_matrix(std::vector<bytes_t>(4)), 3, roomy()).argument == std::string("counts"));
    CHECK(refused(block_matrix(1), 2, tight(P - 1, 1)).argument == std::string("buffer"));
    CHECK(refused(block_matrix(1), 2, roomy(), grouped_exchange{.group = 3, .master_ps = 0, .order = {}}).argument ==
          std::string("group"));
    constexpr bytes_t huge = std::numeric_limits<bytes_t>::max() / 4;
    CHECK(refused(block_matrix(huge), 4, roomy()).argument == std::string("block"));
    switch_network slow = roomy();
    slow.latency_ps = slow.timeout_ps = slow.timeout_limit_ps = std::numeric_limits<picoseconds>::max() / 2;
    CHECK(refused(block_matrix(1), 2, slow).argument == std::string("time"));
    slow = tight(P, 1);
    slow.timeout_ps = slow.timeout_limit_ps = std::numeric_limits<picoseconds>::max() - 10;
    CHECK_FALSE(refused(to_zero(3, {1}, 1), 3, slow));
    CHECK(refused(to_zero(3, {1, 2}, P), 3, slow).argument == std::string("time"));
}

TEST_CASE("switch_contention: a policy that never opens a pending message is reported") {
    struct idle {
        argument_error check(rank_t) const { return {}; }
        exchange_rule rule(const block_matrix&, rank_t) const { return {}; }
    };
    CHECK(refused(block_matrix(1), 2, roomy(), idle{}).argument == std::string("policy"));
    CHECK(refused(block_matrix(0), 2, roomy(), idle{}).argument == nullptr);
}
