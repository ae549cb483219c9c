#include "examples/programs/collsched/switch_study/exchange_policies.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "examples/programs/collsched/switch_study/switch_contention.hpp"
#include "support/layouts.hpp"

using namespace collsched;
using namespace collsched::switch_study;

namespace {

constexpr picoseconds L = 7'000;
constexpr bytes_t P = 100;

/// 2 ps per byte; windows wide enough to fill a link.
constexpr switch_network network{.send_byte_fs = 2'000,
                                 .receive_byte_fs = 2'000,
                                 .latency_ps = L,
                                 .packet = P,
                                 .buffer = 100 * P,
                                 .window = 100,
                                 .timeout_ps = 1'000'000,
                                 .timeout_limit_ps = 1'000'000};

/// The time of one message alone: its bytes, one packet, and the latency both ways.
constexpr picoseconds alone(bytes_t bytes) { return bytes == 0 ? 0 : 2 * bytes + 2 * P + 2 * L; }

/// Sizes are multiples of the packet's.
block_matrix random_packets(support::random_source& random, rank_t p) {
    std::vector<bytes_t> counts;
    for (rank_t k = 0; k < p * p; ++k) counts.push_back(P * random.below(40));
    return block_matrix(counts);
}

/// The sub-rounds of a grouped exchange added up.
picoseconds added_up(const block_matrix& block, rank_t p, const grouped_exchange& policy) {
    const alltoall::grouping groups{p, policy.group};
    picoseconds sum = 0;
    for (step_t k = 0; k < groups.steps(); ++k) {
        bytes_t most = 0;
        for (rank_t v = 0; v < p; ++v) {
            bytes_t mine = 0;
            groups.targets(v, k, [&](rank_t to) {
                if (to != v) mine += block.count(policy.order.rank(v), policy.order.rank(to));
            });
            most = std::max(most, mine);
        }
        sum += policy.master_ps + alone(most);
    }
    return sum;
}

}  // namespace

TEST_CASE("exchange_policies: all at once with equal sizes run at link speed, with all pairs under way") {
    for (const rank_t p : {2, 3, 8}) {
        const contention run = simulate_exchange(block_matrix(30 * P), p, network, all_at_once{});
        CHECK(run.completion == alone((p - 1) * 30 * P));
        CHECK(run.in_degree == p - 1);
        CHECK(run.packets_sent_again == 0);
    }
}

TEST_CASE("exchange_policies: shifted pairs with equal sizes add up their steps, one sender per receiver") {
    for (const rank_t p : {2, 3, 8}) {
        const contention run = simulate_exchange(block_matrix(30 * P), p, network, shifted_exchange{});
        CHECK(run.completion == (p - 1) * alone(30 * P));
        CHECK(run.in_degree == 1);
        for (rank_t i = 0; i < p; ++i) CHECK(run.finish[i] == run.completion);
    }
}

TEST_CASE("exchange_policies: shifted pairs wait for both neighbors of a step and for no other node") {
    // 0 -> 1 is long; 2 receives from 0 in step 1, so it ends after it; nothing else is sent
    std::vector<bytes_t> counts(16);
    counts[0 * 4 + 1] = 50 * P;
    counts[0 * 4 + 2] = P;
    counts[2 * 4 + 3] = P;
    const contention run = simulate_exchange(block_matrix(counts), 4, network, shifted_exchange{});
    CHECK(run.finish[3] == alone(P) - L);
    CHECK(run.finish[1] == alone(50 * P) - L);
    CHECK(run.finish[2] == alone(50 * P) + alone(P) - L);
    CHECK(run.finish[0] == run.finish[2] + L);
}

TEST_CASE("exchange_policies: shifted pairs begin a step after the receive of the step before") {
    // 0 -> 1 is long, in step 0; 1 -> 3 belongs to step 1
    std::vector<bytes_t> counts(16);
    counts[0 * 4 + 1] = 50 * P;
    counts[1 * 4 + 3] = P;
    const contention run = simulate_exchange(block_matrix(counts), 4, network, shifted_exchange{});
    CHECK(run.finish[0] == alone(50 * P));
    CHECK(run.finish[1] == alone(50 * P) - L + alone(P));
    CHECK(run.finish[3] == run.finish[1] - L);
}

TEST_CASE("exchange_policies: sub-rounds without losses add up, for every group size, order and sizes") {
    support::random_source random(5);
    for (rank_t p = 2; p <= 9; ++p)
        for (rank_t q = 1; q <= p; ++q) {
            std::vector<rank_t> order;
            for (rank_t v = 0; v < p; ++v) order.push_back((v * (p - 1) + 3) % p);
            for (const picoseconds master : {0, 1'234}) {
                const grouped_exchange policy{.group = q, .master_ps = master, .order = permutation(order)};
                const block_matrix block = random_packets(random, p);
                const contention run = simulate_exchange(block, p, network, policy);
                // the last sub-round of all counts to its end, unless it brings nothing
                const picoseconds all = added_up(block, p, policy);
                CHECK(run.completion <= all);
                if (q < p) CHECK(run.completion == all);
                CHECK(run.in_degree == 1);
                CHECK(run.packets_sent_again == 0);
            }
        }
}

TEST_CASE("exchange_policies: grouped with equal sizes takes p sub-rounds, each as long as a set") {
    constexpr rank_t p = 12;
    for (const rank_t q : {1, 2, 3, 4, 6}) {
        const grouped_exchange policy{.group = q, .master_ps = 50, .order = {}};
        const contention run = simulate_exchange(block_matrix(20 * P), p, network, policy);
        // in the last sub-round of a group each of its nodes meets itself
        const picoseconds a_group = q * 50 + (q - 1) * alone(20 * P * (p / q)) + alone(20 * P * (p / q - 1));
        CHECK(run.completion == p / q * a_group);
    }
    // all ranks active: nothing is left for the last sub-round
    const grouped_exchange all{.group = p, .master_ps = 50, .order = {}};
    CHECK(simulate_exchange(block_matrix(20 * P), p, network, all).completion == (p - 1) * (50 + alone(20 * P)));
}

TEST_CASE("exchange_policies: grouped never overflows a receiver that keeps pace, for any buffer") {
    support::random_source random(6);
    switch_network small = network;
    small.buffer = P;
    for (rank_t q = 1; q <= 7; ++q) {
        const grouped_exchange policy{.group = q, .master_ps = 0, .order = {}};
        const contention run = simulate_exchange(random_packets(random, 7), 7, small, policy);
        CHECK(run.packets_sent_again == 0);
        CHECK(run.in_degree == 1);
    }
}

TEST_CASE("exchange_policies: grouped with losses ends, and takes longer than its sub-rounds") {
    support::random_source random(7);
    switch_network slow = network;
    slow.buffer = 3 * P;
    slow.receive_byte_fs = 9'000;
    const block_matrix block = random_packets(random, 6);
    const grouped_exchange policy{.group = 3, .master_ps = 10, .order = {}};
    const contention run = simulate_exchange(block, 6, slow, policy);
    CHECK(run.packets_sent_again > 0);
    CHECK(run.completion > added_up(block, 6, policy));
    CHECK(run.in_degree == 1);
}

TEST_CASE("exchange_policies: preconditions of a grouped exchange") {
    const auto refused = [](const grouped_exchange& policy) {
        const argument_error error = policy.check(4);
        return std::string(error ? error.argument : "");
    };
    CHECK(refused({.group = 4, .master_ps = 0, .order = {}}).empty());
    CHECK(refused({.group = 0, .master_ps = 0, .order = {}}) == "group");
    CHECK(refused({.group = 5, .master_ps = 0, .order = {}}) == "group");
    CHECK(refused({.group = 2, .master_ps = -1, .order = {}}) == "master_ps");
    CHECK(refused({.group = 2, .master_ps = 0, .order = permutation(std::vector<rank_t>{0, 1, 2})}) == "order");
}
