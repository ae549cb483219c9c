#include "collsched/execute/inline.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/archetypes.hpp"
#include "support/brief.hpp"
#include "support/conformance.hpp"
#include "support/pages.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

/// A broadcast whose root has forgotten to send.
struct unsent : support::flat_broadcast {
    constexpr void sends(rank_t, step_t, auto) const {}
};

}  // namespace

TEST_CASE("conformance: real bytes in one thread, p = 1 .. 16") {
    support::for_each_conformance_case(1, 16, false, [&](const support::conformance_case& one) {
        const auto [bytes, memory] = support::filled(one.schedule.contract(), one.how);
        INFO(one.name);
        REQUIRE(run_inline(one.schedule, memory, one.how, support::operation(one.schedule.contract())).done());
        for (auto& b : bytes) REQUIRE(b.wrong() == "");
    });
}

// The page has the number of an ordinary run: the long run has more cases, and those under the
// sanitizers have fewer.
TEST_CASE("conformance: docs/write_a_transport.md has the number of cases" *
          doctest::skip(support::brief() || support::long_run())) {
    int cases = 0;
    support::for_each_conformance_case(1, 5, true, [&](const support::conformance_case&) { ++cases; });
    const std::string line = std::to_string(cases) + " cases correct on up to 5 ranks";
    CHECK_MESSAGE(support::page_has("docs/write_a_transport.md", line), line);
}

TEST_CASE("run_inline: a buffer that is too small is rejected before the run") {
    const allgather::ring s{.ranks = 2, .block = 8};
    auto [bytes, memory] = support::filled(lower(s).contract());
    memory[1].input = memory[1].input.first(7);
    const run_status end = run_inline(s, memory);
    CHECK(end.failed());
    CHECK(end.error == small_buffer);
    CHECK(end.rank == 1);
}

TEST_CASE("run_inline: a missing reduction is reported, not the ranks that wait for its rank") {
    const stored_schedule s = support::linear_reduce(3, 4);
    std::vector<std::byte> in(4), out(4);
    const std::vector<rank_memory> memory(3, {in, out});
    const run_status end = run_inline(s, memory);
    CHECK((end.error == missing_reduction && end.rank == 0));
}

TEST_CASE("run_inline: a receive without a send is reported with step and peer") {
    const unsent x{{.ranks = 3, .bytes = 4}};
    std::vector<std::byte> in(4), out(12);
    std::vector<rank_memory> memory;
    for (std::size_t r = 0; r < 3; ++r) memory.push_back({in, std::span(out).subspan(4 * r, 4)});
    const run_status end = run_inline(x, memory);
    CHECK(end.error == mock_network::error::would_block);
    CHECK((end.rank == 1 && end.step == 0 && end.peer == 0));
}
