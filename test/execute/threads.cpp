#include "collsched/execute/threads.hpp"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "support/conformance.hpp"

using namespace collsched;

TEST_CASE("conformance: real bytes over threads, p = 1 .. 16") {
    int runs = 0;
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
    CHECK(runs > static_cast<int>(registry::entries.size()) * 16 * 8 * 2 - 1);
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
}
