#include "collsched/execute/threads.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "collsched/schedule/stored_schedule.hpp"
#include "support/conformance.hpp"
#include "support/registry.hpp"

using namespace collsched;

TEST_CASE("conformance: real bytes over threads, p = 1 .. 16") {
    std::size_t runs = 0;
    support::for_each_conformance_case(1, 16, false, [&](const support::conformance_case& one) {
        thread_fabric fabric(one.schedule.ranks);
        std::vector<std::string> faults(static_cast<std::size_t>(one.schedule.ranks));
        std::vector<std::thread> ranks;
        for (std::size_t r = 0; r < faults.size(); ++r)
            ranks.emplace_back([&, r] {
                auto endpoint = fabric.at(static_cast<rank_t>(r));
                faults[r] = support::conform(one, static_cast<rank_t>(r), endpoint);
            });
        for (std::thread& t : ranks) t.join();
        for (const std::string& fault : faults) REQUIRE(fault == "");
        ++runs;
    });
    CHECK(runs > support::registered().size() * 16 * 8 / support::one_of());
}

TEST_CASE("run_threads runs a schedule in one call, and reports what does not fit") {
    const allgather::neighbor_exchange s{.ranks = 5, .block = 100};
    std::vector<support::real_bytes> bytes;
    std::vector<rank_memory> memory;
    for (rank_t r = 0; r < 5; ++r) bytes.emplace_back(lower(s).contract(), r);
    for (auto& b : bytes) memory.push_back(b.memory());
    CHECK(run_threads(s, memory, binding::separate, {}, 3).done());
    for (auto& b : bytes) CHECK(b.wrong() == "");
    for (auto& m : memory) m.output = m.output.first(499);
    const status end = run_threads(s, memory);
    CHECK(end.failed());
    CHECK(end.error == small_buffer);
    memory.pop_back();
    CHECK_THROWS_WITH(run_threads(s, memory), "memory = 4 (accepted: buffers for every rank)");
    CHECK_THROWS_WITH(run_threads(allgather::ring{.ranks = -1}, memory), "ranks = -1 (accepted: 1 or more)");
}

TEST_CASE("a rank that fails stops the others") {
    // Both wait for what the other sends after it: no schedule, but the engine must not hang on it.
    const contract promise{.what = collective::allgather, .ranks = 2, .blocks = 4};
    std::vector<edge> edges{{.step = 0, .src = 0, .dst = 1, .size = 4}, {.step = 1, .src = 1, .dst = 0, .size = 4}};
    edges[1].what = action::combine_after;
    owned_array<bytes_t> staging(2);
    staging[0] = staging[1] = 4;
    const stored_schedule s(promise, 2, {}, owned_array<bytes_t>(2), staging,
                            owned_array<edge>(std::span<const edge>(edges)), 0);
    std::vector<std::byte> in(8), out(16);
    const std::vector<rank_memory> memory{{std::span(in).first(4), std::span(out).first(8)},
                                          {std::span(in).last(4), std::span(out).last(8)}};
    CHECK(run_threads(s, memory).error == missing_reduction);
}
