#include "collsched/execute/threads.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "support/allocations.hpp"
#include "support/brief.hpp"
#include "support/conformance.hpp"
#include "support/late_executor.hpp"
#include "support/registry.hpp"
#include "support/wait_or_fail.hpp"

using namespace collsched;

namespace {

/// A schedule with memory for one rank, ready to run over an endpoint.
struct share {
    template <class X>
    share(const X& x, rank_t rank, thread_fabric::endpoint& over, std::uint64_t channel)
        : operation(support::operation(lower(x).contract())),
          bytes(lower(x).contract(), rank),
          own(x, rank, bytes.memory()),
          run(own.plan(), over, {.channel = channel}) {}

    void start(int round) {
        bytes.refill(round);
        run.start(own.buffers(), operation);
    }

    reduction operation;
    support::real_bytes bytes;
    bound_plan own;
    execution<thread_fabric::endpoint> run;
};

template <class F>
void on_each_rank(rank_t ranks, F f) {
    std::vector<std::jthread> threads;
    for (rank_t rank = 0; rank < ranks; ++rank) threads.emplace_back(f, rank);
}

/// An endpoint without combined receives.
struct copying {
    thread_fabric::endpoint inner;

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return inner.post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return inner.post_recv(key, parts);
    }
    completion poll() { return inner.poll(); }
    completion wait_any(std::chrono::nanoseconds timeout) { return inner.wait_any(timeout); }
    void cancel(const void* owner) { inner.cancel(owner); }
};

/// Runs the conformance cases for 1 to `most` ranks, each rank over wrap(its endpoint) with a local executor of its own.
/// Returns the number of cases.
template <class Local = immediate_executor, class Wrap>
std::size_t run_conformance(rank_t most, bool brief, Wrap wrap, const Local& prototype = {}) {
    std::size_t runs = 0;
    for (rank_t p = 1; p <= most; ++p) {
        std::vector<support::conformance_case> cases;
        support::for_each_conformance_case(p, p, brief, [&](const auto& one) { cases.push_back(one); });
        thread_fabric fabric(p);
        std::vector<std::string> faults(static_cast<std::size_t>(p));
        std::vector<std::thread> ranks;
        for (std::size_t r = 0; r < faults.size(); ++r)
            ranks.emplace_back([&, r] {
                auto endpoint = wrap(fabric.at(static_cast<rank_t>(r)));
                Local local = prototype;
                for (const support::conformance_case& one : cases) {
                    faults[r] = support::conform(one, static_cast<rank_t>(r), endpoint, local);
                    if (faults[r].empty()) continue;
                    fabric.close();  // no rank waits for this one
                    return;
                }
            });
        for (std::thread& t : ranks) t.join();
        for (const std::string& fault : faults) CHECK(fault == "");
        if (std::ranges::any_of(faults, [](const std::string& fault) { return !fault.empty(); })) return 0;
        runs += cases.size();
    }
    return runs;
}

}  // namespace

TEST_CASE("conformance: real bytes over threads, p = 1 .. 16") {
    const rank_t ranks = support::brief() ? 9 : 16;
    const std::size_t runs = run_conformance(ranks, false, [](thread_fabric::endpoint inner) { return inner; });
    CHECK(runs > compiled::registry().size() * static_cast<std::size_t>(ranks) * 8 / support::one_of());
}

TEST_CASE("conformance: real bytes over threads that do not combine as they receive") {
    const std::size_t runs = run_conformance(6, true, [](thread_fabric::endpoint inner) { return copying{inner}; });
    CHECK(runs > compiled::registry().size() * 6 / support::one_of());
}

TEST_CASE("conformance: real bytes over threads with local operations that complete later, out of order") {
    const auto same = [](thread_fabric::endpoint inner) { return inner; };
    const std::size_t runs = run_conformance(6, true, same, support::late_executor(5));
    CHECK(runs > compiled::registry().size() * 6 / support::one_of());
}

TEST_CASE("run_threads: operands are combined from the sender's memory without staging") {
    const allreduce::ring s{.ranks = 2, .bytes = 64, .element = 8};
    thread_fabric fabric(2);
    auto end = fabric.at(0);
    copying plain{end};
    const plan own(s, 0, binding::in_place);
    CHECK(own.staging_bytes() > 0);
    CHECK(execution(own, end).staging_bytes() == 0);
    CHECK(execution(own, end, {.limits = {.receives = 1}}).staging_bytes() == own.staging_bytes());
    CHECK(execution(own, plain).staging_bytes() == own.staging_bytes());
}

TEST_CASE("run_threads: one call runs a schedule, and reports unsuitable buffers") {
    const allgather::neighbor_exchange s{.ranks = 5, .block = 100};
    auto [bytes, memory] = support::filled(lower(s).contract());
    CHECK(run_threads(s, memory, binding::separate, {}, 3).done());
    for (auto& b : bytes) CHECK(b.wrong() == "");
    for (auto& m : memory) m.output = m.output.first(499);
    const run_status end = run_threads(s, memory);
    CHECK(end.failed());
    CHECK(end.error == small_buffer);
    memory.pop_back();
    CHECK_THROWS_WITH(run_threads(s, memory), "memory: got 4, expected buffers for every rank");
    CHECK_THROWS_WITH(run_threads(allgather::ring{.ranks = -1}, memory), "ranks: got -1, expected 1 or more");
}

TEST_CASE("run_threads: an exception of the operator stops all ranks and is rethrown") {
    const allreduce::ring s{.ranks = 4, .bytes = 64};
    const support::filled all(lower(s).contract());
    const auto broken = [](void*, std::byte*, const std::byte*, bytes_t, action) {
        throw std::runtime_error("broken");
    };
    CHECK_THROWS_WITH(run_threads(s, all.memory, binding::separate, {broken, nullptr, true}), "broken");
}

TEST_CASE("run_threads: a rank that fails stops the others") {
    // Both wait for what the other sends after it: no schedule, but the engine must not hang on it.
    const contract contract{.collective = collective::allgather, .ranks = 2, .blocks = 4};
    std::vector<edge> edges{{.step = 0, .src = 0, .dst = 1, .size = 4}, {.step = 1, .src = 1, .dst = 0, .size = 4}};
    edges[1].action = action::combine_after;
    owned_array<bytes_t> staging(2);
    staging[0] = staging[1] = 4;
    const stored_schedule s(contract, 2, {}, owned_array<bytes_t>(2), staging,
                            owned_array<edge>(std::span<const edge>(edges)), 0);
    std::vector<std::byte> in(8), out(16);
    const std::vector<rank_memory> memory{{std::span(in).first(4), std::span(out).first(8)},
                                          {std::span(in).last(4), std::span(out).last(8)}};
    CHECK(run_threads(s, memory).error == missing_reduction);
}

TEST_CASE("thread_fabric: 1000 starts with new data and some large messages are correct") {
    for (const rank_t ranks : {2, 3, 5}) {
        const allgather::ring small{.ranks = ranks, .block = 33};
        const broadcast::over_tree<trees::binomial> large{.ranks = ranks, .bytes = 300'000};
        thread_fabric fabric(ranks);
        std::vector<std::string> faults(static_cast<std::size_t>(ranks));
        const int rounds = support::brief() ? 200 : 1000;
        on_each_rank(ranks, [&](rank_t rank) {
            auto endpoint = fabric.at(rank);
            share often(small, rank, endpoint, 1), now_and_then(large, rank, endpoint, 2);
            std::string& fault = faults[static_cast<std::size_t>(rank)];
            for (int round = 0; round < rounds && fault.empty(); ++round) {
                const bool both = round % 50 == 0;
                often.start(round);
                if (both) now_and_then.start(round);
                if (!often.run.wait().done() || (both && !now_and_then.run.wait().done())) fault = "failed";
                if (fault.empty()) fault = often.bytes.wrong();
                if (fault.empty() && both) fault = now_and_then.bytes.wrong();
                if (!fault.empty()) fabric.close();
            }
        });
        for (const std::string& fault : faults) CHECK(fault == "");
    }
}

TEST_CASE("thread_fabric: many executions on one endpoint complete in any order of starts and waits") {
    constexpr rank_t ranks = 4;
    constexpr int executions = 12;
    thread_fabric fabric(ranks);
    std::vector<std::string> faults(ranks);
    on_each_rank(ranks, [&](rank_t rank) {
        auto endpoint = fabric.at(rank);
        std::vector<std::unique_ptr<share>> all;
        for (int i = 0; i < executions; ++i) {
            const auto channel = static_cast<std::uint64_t>(i);
            if (i % 3 == 0)
                all.push_back(std::make_unique<share>(allgather::bruck{.ranks = ranks, .block = 100 + i}, rank,
                                                      endpoint, channel));
            else if (i % 3 == 1)
                all.push_back(std::make_unique<share>(allreduce::recursive_doubling{.ranks = ranks, .bytes = 1000 * i},
                                                      rank, endpoint, channel));
            else
                all.push_back(std::make_unique<share>(alltoall::pairwise{.ranks = ranks, .block = 1 + i}, rank,
                                                      endpoint, channel));
        }
        std::string& fault = faults[static_cast<std::size_t>(rank)];
        for (int round = 0; round < 50 && fault.empty(); ++round) {
            const auto turn = [&](int i, int factor) {
                return static_cast<std::size_t>((i * factor + round + static_cast<int>(rank)) % executions);
            };
            for (int i = 0; i < executions; ++i) all[turn(i, 5)]->start(round);
            for (int i = 0; i < executions && fault.empty(); ++i) {
                share& one = *all[turn(i, 7)];
                fault = one.run.wait().done() ? one.bytes.wrong() : "failed";
            }
            if (!fault.empty()) fabric.close();
        }
    });
    for (const std::string& fault : faults) CHECK(fault == "");
}

TEST_CASE("thread_fabric: no start after the first one allocates memory") {
    constexpr rank_t ranks = 6;
    for (const algorithm_entry& entry : support::registered_at(ranks)) {
        const any_schedule s = entry.make({.ranks = ranks, .block = 40, .bytes = 48, .segment = 16});
        thread_fabric fabric(ranks);
        std::barrier together(ranks);
        std::atomic<long> before = 0, after = 0;
        std::atomic<int> failures = 0;
        on_each_rank(ranks, [&](rank_t rank) {
            auto endpoint = fabric.at(rank);
            share one(s, rank, endpoint, 0);
            const auto run = [&](int times) {
                for (int i = 0; i < times; ++i) {
                    one.run.start(one.own.buffers(), one.operation);
                    failures += one.run.wait().done() ? 0 : 1;
                }
            };
            run(1);
            together.arrive_and_wait();
            if (rank == 0) before = support::allocations.load();
            together.arrive_and_wait();
            run(20);
            together.arrive_and_wait();
            if (rank == 0) after = support::allocations.load();
            together.arrive_and_wait();
        });
        CAPTURE(s.contract().collective);
        CHECK(failures == 0);
        CHECK(before > 0);
        CHECK(after == before);
    }
}

TEST_CASE("run_threads: ranks with different schedules end with an error at both ends of a large message") {
    thread_fabric fabric(2);
    const broadcast::over_tree<trees::flat> one{.ranks = 2, .bytes = 20'000};
    const broadcast::over_tree<trees::flat> other{.ranks = 2, .bytes = 20'001};
    run_status ends[2];
    on_each_rank(2, [&](rank_t rank) {
        auto endpoint = fabric.at(rank);
        share own(rank == 0 ? one : other, rank, endpoint, 0);
        own.start(0);
        ends[rank] = own.run.wait();
    });
    for (const rank_t rank : {0, 1}) {
        CHECK(ends[rank].failed());
        CHECK(ends[rank].error == thread_fabric::error::disagreement);
        CHECK(ends[rank].step == 0);
        CHECK(ends[rank].peer == 1 - rank);
    }
}

TEST_CASE("thread_fabric: ranks that wait for a rank without a start time out and name it") {
    thread_fabric fabric(3);
    run_status ends[2];
    const broadcast::over_tree<trees::flat> s{.ranks = 3, .root = 2, .bytes = 300'000};
    on_each_rank(2, [&](rank_t rank) {
        auto endpoint = fabric.at(rank);
        share own(s, rank, endpoint, 0);
        own.start(0);
        ends[rank] = support::wait_or_fail(own.run, std::chrono::milliseconds(30));
    });
    for (const rank_t rank : {0, 1}) {
        CHECK(ends[rank].failed());
        CHECK(ends[rank].error == timed_out);
        CHECK(ends[rank].peer == 2);
        CHECK(ends[rank].step >= 0);
    }
}
