#include "collsched/group/processes.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>

#include "collsched/group/table_policies.hpp"
#include "support/brief.hpp"
#include "support/group_cases.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace std::chrono_literals;

namespace {

group_options by_rules() { return {.policy = policies::built_in(compiled::whole_registry()), .timeout = 60s}; }

/// Prints a fault, and returns the status of the process.
int status_of(const auto& all, const std::string& fault) {
    if (!fault.empty()) std::fprintf(stderr, "rank %d: %s\n", static_cast<int>(all.rank()), fault.c_str());
    return fault.empty() ? 0 : 1;
}

/// Adds numbers until a rank dies. Returns a fault, or "" if the others have found who it was and go on without it.
template <class Group>
std::string survive(Group& all, rank_t victim, int last_round) {
    for (int round = 0; round < 100'000; ++round) {
        if (all.rank() == victim && round == last_round) ::raise(SIGKILL);
        std::int64_t own = 1;
        const outcome end = all.allreduce(std::span(&own, 1), std::plus<>());
        if (end.ok()) {
            if (round > last_round) return "ends without the rank that died";
            if (own != all.ranks()) return "wrong sum";
            continue;
        }
        const bool named = (end.status.error == message::error::peer_died && end.status.peer == victim) ||
                           (end.cause.error == message::error::peer_died && end.cause.peer == victim);
        if (!named) return end.text();
        auto living = all.shrink();
        if (living.ranks() != all.ranks() - 1) return "ranks are missing";
        own = 1;
        if (const outcome after = living.allreduce(std::span(&own, 1), std::plus<>()); !after.ok()) return after.text();
        return own == living.ranks() ? "" : "wrong sum after shrink";
    }
    return "does not end";
}

}  // namespace

TEST_CASE("run_processes: all collectives between processes, 1 to 9 ranks, equal their definition") {
    for (rank_t ranks = 1; ranks <= 9; ++ranks)
        CHECK(run_processes(ranks, by_rules(), [&](auto& all) {
                  for (const std::int64_t n : {1, 0, 5, 3000})
                      for (const rank_t root : {rank_t{0}, ranks - 1})
                          if (const int status = status_of(all, support::run_group_cases(all, n, root)); status != 0)
                              return status;
                  return 0;
              }) == 0);
}

TEST_CASE("run_processes: after a death all others get an error that names the rank, and go on in a shrunken group") {
    const int times = support::brief() ? 12 : 200;
    for (int i = 0; i < times; ++i) {
        const rank_t ranks = i % 4 + 2, victim = i % ranks;
        CHECK(run_processes(ranks, by_rules(), [&](auto& all) {
                  const std::string fault = survive(all, victim, i % 7);
                  return status_of(all, fault);
              }) == 128 + SIGKILL);
    }
}

TEST_CASE("run_processes: the status is the first by rank; exceptions and signals have one") {
    CHECK(run_processes(3, {}, [](auto&) {}) == 0);
    CHECK_THROWS_AS(run_processes(0, {}, [](auto&) {}), bad_argument);
    CHECK(run_processes(3, {}, [](auto& all) { return all.rank() == 0 ? 0 : 10 + static_cast<int>(all.rank()); }) ==
          11);
    CHECK(run_processes(2, {}, [](auto& all) {
              if (all.rank() == 1) ::raise(SIGKILL);
          }) == 128 + SIGKILL);
}
