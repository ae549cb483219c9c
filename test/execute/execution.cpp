// Properties of execution beyond a plan that runs to its end: shared transports, moves, waits, failures, notifications.
#include "collsched/execute/engine.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/thread_fabric.hpp"
#include "support/real_bytes.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace std::chrono_literals;

namespace {

/// Renumbers the ranks of another transport.
template <class Inner>
struct subgroup {
    std::vector<rank_t> members;
    Inner& inner;

    int post_send(message::key key, std::span<const message::send_part> parts) {
        key.peer = members[static_cast<std::size_t>(key.peer)];
        return inner.post_send(key, parts);
    }
    int post_recv(message::key key, std::span<const message::receive_part> parts) {
        key.peer = members[static_cast<std::size_t>(key.peer)];
        return inner.post_recv(key, parts);
    }
    completion poll() { return inner.poll(); }
    completion wait_any(std::chrono::nanoseconds timeout) { return inner.wait_any(timeout); }
    void cancel(const void* owner) { inner.cancel(owner); }
};

/// Counts the ends that executions announce.
struct announced : mock_network::endpoint {
    explicit announced(mock_network::endpoint inner) : mock_network::endpoint(inner) {}
    void ended(const void*) { ++ends; }
    int ends = 0;
};

const allgather::ring three{.ranks = 3, .block = 4};

/// Memory and plan of one rank of an allgather.
struct member {
    explicit member(rank_t rank) : bytes(lower(three).contract(), rank), plan(three, rank, bytes.memory()) {}
    support::real_bytes bytes;
    bound_plan plan;
};

}  // namespace

TEST_CASE("execution: executions of different types share a transport, whichever of them is waited for") {
    constexpr rank_t ranks = 4;
    const allgather::ring s{.ranks = ranks, .block = 4};
    thread_fabric fabric(ranks);
    std::vector<std::string> faults(ranks);
    std::vector<std::jthread> threads;
    for (rank_t r = 0; r < ranks; ++r)
        threads.emplace_back([&, r] {
            auto endpoint = fabric.at(r);
            subgroup<decltype(endpoint)> renumbered{{0, 1, 2, 3}, endpoint};
            support::real_bytes first(lower(s).contract(), r), second(lower(s).contract(), r);
            bound_plan one(s, r, first.memory()), other(s, r, second.memory());
            execution plain(one.plan(), endpoint, {.channel = 1});
            execution wrapped(other.plan(), renumbered, {.channel = 2});
            std::string& fault = faults[static_cast<std::size_t>(r)];
            for (int i = 0; i < 1000 && fault.empty(); ++i) {
                first.refill(i), second.refill(i + 1);
                wrapped.start(other.buffers());
                plain.start(one.buffers());
                if (!plain.wait().done() || !wrapped.wait().done()) fault = "failed";
                fault += first.wrong() + second.wrong();
            }
        });
    threads.clear();
    for (const std::string& fault : faults) CHECK(fault == "");
}

TEST_CASE("execution: a move keeps an operation that is running, and destroys the one it replaces") {
    mock_network network(3);
    std::vector<std::unique_ptr<member>> members;
    std::vector<mock_network::endpoint> ends;
    for (rank_t r = 0; r < 3; ++r) members.push_back(std::make_unique<member>(r)), ends.push_back(network.at(r));
    std::vector<execution<mock_network::endpoint>> runs;
    for (std::size_t r = 0; r < 3; ++r) {
        runs.emplace_back(members[r]->plan.plan(), ends[r]);  // a growing vector moves its elements
        runs.back().start(members[r]->plan.buffers());
    }
    execution<mock_network::endpoint> spare(members[0]->plan.plan(), ends[0], {.channel = 9});
    spare.start(members[0]->plan.buffers());
    spare = std::move(runs[0]);
    for (int i = 0; i < 30; ++i) spare.progress(), runs[1].progress(), runs[2].progress();
    CHECK(spare.state().done());
    CHECK(runs[1].state().done());
    CHECK(runs[2].state().done());
    for (const auto& one : members) CHECK(one->bytes.wrong() == "");
}

TEST_CASE("execution: a wait whose time is up leaves the operation running, and a late peer completes it") {
    thread_fabric fabric(2);
    const barrier::dissemination s{.ranks = 2};
    const plan early_plan(s, 0), late_plan(s, 1);
    auto early_end = fabric.at(0), late_end = fabric.at(1);
    execution early(early_plan, early_end), late(late_plan, late_end);
    early.start({});
    CHECK(early.wait_for(5ms).running());
    CHECK(early.wait_until(std::chrono::steady_clock::now() - 1s).running());
    CHECK(early.wait_until(std::chrono::steady_clock::time_point::min()).running());
    CHECK(early.wait_for(std::chrono::nanoseconds::min()).running());
    late.start({});
    std::jthread other([&] { late.wait(); });
    CHECK(early.wait_for(20s).done());
    other.join();
    CHECK(late.state().done());
}

TEST_CASE("execution: a loop while an operation is running ends also when it fails at once") {
    mock_network network(2);
    auto endpoint = network.at(0);
    double input[2] = {}, output[2] = {};
    bound_plan memory(allreduce::ring{.ranks = 2, .bytes = 16, .element = 8}, 0,
                      {std::as_bytes(std::span(input)), std::as_writable_bytes(std::span(output))});
    execution run(memory.plan(), endpoint);
    run.start(memory.buffers());  // without the reduction
    int turns = 0;
    while (run.progress().running()) ++turns;
    CHECK(turns == 0);
    CHECK(run.state().failed());
    CHECK(run.state().error == missing_reduction);
}

TEST_CASE("execution: a reduction that start rejects is rejected on all ranks, also those that combine nothing") {
    const auto rejects = [](const any_schedule& s, const reduction& op, int error) {
        const contract contract = s.contract();
        mock_network network(contract.ranks);
        for (rank_t r = 0; r < contract.ranks; ++r) {
            std::vector<std::byte> input(static_cast<std::size_t>(contract.input_bytes(r)));
            std::vector<std::byte> output(static_cast<std::size_t>(contract.output_bytes(r)));
            bound_plan memory(s, r, {input, output});
            auto endpoint = network.at(r);
            execution run(memory.plan(), endpoint);
            run.start(memory.buffers(), op);
            CHECK(run.state().error == error);
        }
    };
    const reduction none{}, sum{[](void*, std::byte*, const std::byte*, bytes_t, action) {}, nullptr, true, nullptr, 8};
    for (const rank_t p : {1, 3, 6}) {
        for (const algorithm_entry& entry : support::registered_at(p)) {
            if (!reduces(entry.info.collective)) continue;
            CAPTURE(entry.info.name);
            const any_schedule s = entry.make({.ranks = p, .block = 12, .bytes = 12, .element = 4});
            rejects(s, none, missing_reduction);
            rejects(s, sum, element_mismatch);
        }
    }
}

TEST_CASE("execution: missing() lists the operations in flight with step, peer and bytes") {
    mock_network network(3);
    auto endpoint = network.at(0);
    member own(0);
    execution run(own.plan.plan(), endpoint);
    CHECK(run.missing().empty());
    run.start(own.plan.buffers());
    int sends = 0, receives = 0;
    for (const auto& one : run.missing()) {
        CHECK(one.bytes == 4);
        CHECK(one.peer != 0);
        if (one.step == 0) ++(one.sends ? sends : receives);
    }
    CHECK(sends == 1);
    CHECK(receives == 1);
    run.fail(77);
    CHECK(run.missing().empty());
    CHECK(run.state().failed());
    CHECK(run.state().error == 77);
    CHECK(run.state().step == 0);
    CHECK(run.state().peer > 0);
    CHECK(run.epoch() == 1);
}

TEST_CASE("execution: a start that may not begin names no step and no peer, whatever an earlier start had in flight") {
    mock_network network(2);
    auto endpoint = network.at(0);
    double input[2] = {}, output[2] = {};
    const reduction sum{[](void*, std::byte*, const std::byte*, bytes_t, action) {}, nullptr, true};
    bound_plan memory(allreduce::ring{.ranks = 2, .bytes = 16, .element = 8}, 0,
                      {std::as_bytes(std::span(input)), std::as_writable_bytes(std::span(output))});
    execution run(memory.plan(), endpoint);
    run.start(memory.buffers(), sum);
    REQUIRE(!run.missing().empty());
    run.cancel();
    run.start(memory.buffers());  // without the reduction
    CHECK(run.state().error == missing_reduction);
    CHECK(run.state().step == -1);
    CHECK(run.state().peer == -1);
}

TEST_CASE("execution: fail and cancel of an operation that is not running change nothing") {
    mock_network network(3);
    auto endpoint = network.at(0);
    member own(0);
    execution run(own.plan.plan(), endpoint);
    run.fail(5);
    run.cancel();
    CHECK(run.state().state == run_status::phase::idle);
    CHECK(run.epoch() == 0);
}

TEST_CASE("execution: on_end is called once per start, for each way to end, and may start again") {
    struct log {
        std::vector<int> errors;
        execution<mock_network::endpoint>* again = nullptr;
        plan::buffers buffers;
    } seen;
    const auto note = [](void* context, const run_status& end) {
        auto& all = *static_cast<log*>(context);
        all.errors.push_back(end.done() ? 0 : end.error);
        if (all.errors.size() == 1) all.again->start(all.buffers);
    };
    const allgather::ring alone{.ranks = 1, .block = 4};
    mock_network network(1);
    auto endpoint = network.at(0);
    support::real_bytes bytes(lower(alone).contract(), 0);
    bound_plan memory(alone, 0, bytes.memory());
    execution run(memory.plan(), endpoint, {.on_end = note, .on_end_context = &seen});
    seen.again = &run;
    seen.buffers = memory.buffers();
    run.start(memory.buffers());
    CHECK(seen.errors == std::vector<int>{0, 0});
    CHECK(run.epoch() == 2);

    mock_network pair(3);
    auto end = pair.at(0);
    member own(0);
    execution failing(own.plan.plan(), end, {.on_end = note, .on_end_context = &seen});
    failing.start(own.plan.buffers());
    failing.fail(9);
    failing.fail(10);
    failing.start(own.plan.buffers());
    failing.cancel();
    CHECK(seen.errors == std::vector<int>{0, 0, 9, cancelled});
}

TEST_CASE("execution: the destructor of a running one does not call on_end") {
    int ends = 0;
    mock_network network(3);
    auto endpoint = network.at(0);
    member own(0);
    {
        execution run(own.plan.plan(), endpoint,
                      {.on_end = [](void* context, const run_status&) { ++*static_cast<int*>(context); },
                       .on_end_context = &ends});
        run.start(own.plan.buffers());
        REQUIRE(run.state().running());
    }
    CHECK(ends == 0);
}

TEST_CASE("execution: a transport with ended() is notified of each start whose operations are all complete") {
    mock_network network(3);
    std::vector<std::unique_ptr<member>> members;
    std::vector<announced> ends;
    for (rank_t r = 0; r < 3; ++r) members.push_back(std::make_unique<member>(r)), ends.emplace_back(network.at(r));
    std::vector<execution<announced>> runs;
    for (std::size_t r = 0; r < 3; ++r) runs.emplace_back(members[r]->plan.plan(), ends[r]);
    for (int round = 0; round < 2; ++round) {
        for (std::size_t r = 0; r < 3; ++r) runs[r].start(members[r]->plan.buffers());
        for (int i = 0; i < 30; ++i)
            for (auto& run : runs) run.progress();
    }
    runs[0].start(members[0]->plan.buffers());
    runs[0].cancel();
    for (const announced& one : ends) CHECK(one.ends == 2);
}
