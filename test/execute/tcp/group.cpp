#include "collsched/execute/tcp/transport.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>

#include "algorithms/algorithms.hpp"
#include "collsched/group.hpp"
#include "forked_ranks/forked_ranks.hpp"
#include "support/group_cases.hpp"

using namespace collsched;
using namespace examples;
using namespace std::chrono_literals;

namespace {

/// Runs body(group), which returns a fault or "", in one process per rank, over TCP. Returns the number of ranks that failed.
template <class Body>
int failed_ranks(rank_t ranks, Body body) {
    notice_board board(ranks);
    return fork_ranks(ranks, [&](rank_t rank) {
        tcp_transport over(rank, "127.0.0.1:0");
        board.put(rank, "127.0.0.1:" + std::to_string(over.port()));
        if (over.connect(board.all(ranks), 10s).error != 0) return 1;
        group all(over, ranks, rank, {.policy = policies::built_in(compiled::whole_registry()), .timeout = 30s});
        const std::string fault = body(all);
        if (!fault.empty()) std::fprintf(stderr, "rank %d: %s\n", static_cast<int>(rank), fault.c_str());
        return fault.empty() ? 0 : 2;
    });
}

}  // namespace

TEST_CASE("tcp_transport: all collectives of a group, 1 to 9 ranks, equal their definition") {
    for (rank_t ranks = 1; ranks <= 9; ++ranks)
        CHECK(failed_ranks(ranks, [](auto& all) {
                  for (const std::int64_t n : {1, 0, 300})
                      if (const std::string wrong = support::run_group_cases(all, n, all.ranks() - 1); !wrong.empty())
                          return wrong;
                  return std::string();
              }) == 0);
}

TEST_CASE("tcp_transport: after a death the other ranks of a group get its rank, and go on without it") {
    CHECK(failed_ranks(4, [](auto& all) -> std::string {
              for (int round = 0; round < 1000; ++round) {
                  if (all.rank() == 2 && round == 5) ::raise(SIGKILL);
                  std::int64_t own = 1;
                  const outcome end = all.allreduce(std::span(&own, 1), std::plus<>());
                  if (end.ok()) continue;
                  if (end.cause.error != message::error::peer_died || end.cause.peer != 2) return end.text();
                  auto living = all.shrink();
                  own = 1;
                  return living.allreduce(std::span(&own, 1), std::plus<>()).ok() && own == 3 ? "" : "wrong sum";
              }
              return "no error";
          }) == 1);
}
