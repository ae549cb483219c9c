// Schedules of class canonical have the same bits, whatever carries their messages and in whatever order they arrive:
// the sums of doubles that round equal those of the canonical tree, which the test evaluates by itself.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/execute/mock_network/mock_run.hpp"
#include "collsched/execute/processes.hpp"
#include "collsched/verify/combination_trees.hpp"
#include "support/brief.hpp"
#include "support/canonical_cases.hpp"
#include "support/late_executor.hpp"
#include "support/processes.hpp"
#include "support/thread_ranks.hpp"

using namespace collsched;
using support::conformance_case;

namespace {

/// Calls f(cases of p ranks) for p = 2 .. 9.
template <class F>
void for_each_size(F f) {
    for (rank_t p = 2; p <= 9; ++p) f(p, support::canonical_cases(p));
}

/// Runs cases one after the other on this rank. Returns the first fault.
template <class Transport, class Local>
std::string run_all(const std::vector<conformance_case>& cases, rank_t rank, Transport& over, Local& local) {
    for (const conformance_case& one : cases)
        if (std::string fault = support::conform(one, rank, over, local, std::chrono::seconds(20)); !fault.empty())
            return fault;
    return "";
}

/// Runs a case for all ranks over a network, twice. Returns the first fault.
std::string run_over_network(const conformance_case& one, const mock_network::options& options) {
    support::filled all(one.schedule.contract(), one.how, one.kind);
    const reduction op = support::operation(one.schedule.contract(), one.kind);
    for (const run_status& end : run_mock(one.schedule, all.memory, options, one.how, op))
        if (!end.done()) return one.name + ": error " + std::to_string(end.error);
    for (const auto& rank : all.bytes)
        if (const std::string fault = rank.wrong(); !fault.empty()) return one.name + ": " + fault;
    return "";
}

}  // namespace

TEST_CASE("canonical bits: the algorithms over intervals are among the cases on each number of ranks") {
    if (support::brief()) return;
    for_each_size([](rank_t p, const std::vector<conformance_case>& cases) {
        CAPTURE(p);
        for (const char* name : {"allreduce/interval-doubling", "allreduce/interval-halving", "allreduce/interval-hier",
                                 "reduce/interval-tree", "reduce/interval-halving", "reduce/interval-hier",
                                 "reduce_scatter/interval-halving", "scan/butterfly", "exscan/butterfly"}) {
            CAPTURE(name);
            CHECK(std::ranges::count_if(cases, [&](const auto& one) { return one.name.starts_with(name); }) >= 4);
        }
    });
}

TEST_CASE("canonical bits: another tree has other bits") {
    const allreduce::ring ring{.ranks = 5, .bytes = 8 * 61, .element = 8};
    const any_schedule s(ring);
    CHECK(!association(ring).has(association_class::canonical));
    CHECK(run_over_network({"ring", s, binding::separate, 1, support::operands::rounding}, {}) != "");
}

TEST_CASE("canonical bits: over threads, with local operations at once and late") {
    for_each_size([](rank_t p, const std::vector<conformance_case>& cases) {
        CHECK(support::thread_faults(p, [&](thread_fabric::endpoint& over, rank_t r) {
                  immediate_executor local;
                  return run_all(cases, r, over, local);
              }) == "");
        CHECK(support::thread_faults(p, [&](thread_fabric::endpoint& over, rank_t r) {
                  support::late_executor local(static_cast<std::uint64_t>(r));
                  return run_all(cases, r, over, local);
              }) == "");
    });
}

TEST_CASE("canonical bits: between processes, with one copy of a message and through rings") {
    for_each_size([](rank_t p, const std::vector<conformance_case>& cases) {
        for (const process_group::options how :
             {process_group::options{.single_copy_from = 64}, process_group::options{1024, false}}) {
            const process_group::anonymous_segment room;
            CHECK(support::run_processes_of(p, [&](rank_t r) -> std::string {
                      process_group group;
                      if (const process_group::join_error wrong = group.join(room, p, r, how)) return wrong.object;
                      process_group::transport over(group);
                      immediate_executor local;
                      return run_all(cases, r, over, local);
                  }) == "");
        }
    });
}

TEST_CASE("canonical bits: over a network with messages in any order") {
    std::uint64_t seed = 0;
    for_each_size([&](rank_t, const std::vector<conformance_case>& cases) {
        for (const conformance_case& one : cases) {
            constexpr std::int64_t delays[] = {0, 20, 1000};
            REQUIRE(run_over_network(one, {.seed = ++seed,
                                           .eager = seed % 2 == 0,
                                           .at_once = seed % 4 < 2,
                                           .reorder = true,
                                           .delay = delays[seed % 3]}) == "");
        }
    });
}
