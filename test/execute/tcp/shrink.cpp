#include "collsched/execute/tcp/transport.hpp"

#include <doctest/doctest.h>

#include <csignal>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/execute.hpp"
#include "forked_ranks/forked_ranks.hpp"

using namespace collsched;
using namespace examples;
using namespace std::chrono_literals;

namespace {

using resilient = resilient_communicator<tcp_transport>;

/// Sums the ranks of the transport, over the communicator, until the sum is wrong or the execution fails, or so often.
run_status sum(resilient& members, double own, double expected, int times, int dies_at) {
    std::vector<double> in(3, own), out(3);
    const allreduce::ring schedule{.ranks = members.members().ranks(), .bytes = 24, .element = 8};
    bound_plan plan(schedule, members.members().rank(),
                    {std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out))});
    execution run(plan.plan(), members, members.members().open_channel());
    for (int i = 0; i < times; ++i) {
        run.start(plan.buffers(), reductions::sum<double>());
        if (i == dies_at) run.progress(), raise(SIGKILL);
        if (!run.wait_for(20s).done()) return run.state();
        if (out != std::vector<double>(3, expected)) return {.state = run_status::phase::failed, .error = -100};
    }
    return run.state();
}

}  // namespace

TEST_CASE("tcp_transport: after two deaths, the other ranks go on in a communicator of the living") {
    constexpr rank_t ranks = 5;
    notice_board board(ranks);
    const int failed = fork_ranks(ranks, [&](rank_t rank) {
        tcp_transport over(rank, "127.0.0.1:0");
        board.put(rank, "127.0.0.1:" + std::to_string(over.port()));
        if (over.connect(board.all(ranks), 10s).error != 0) return 1;
        communicator world(over, ranks, rank);
        resilient five(world.dup());
        const run_status first = sum(five, static_cast<double>(rank), 10, 1000, rank == 2 ? 10 : -1);
        if (first.error != tcp_transport::errors::peer_died && first.error != tcp_transport::errors::revoked) return 2;
        five.revoke();
        resilient four = five.shrink();
        if (four.members().ranks() != 4) return 3;
        const run_status second = sum(four, static_cast<double>(rank), 8, 1000, rank == 0 ? 7 : -1);
        if (second.error != tcp_transport::errors::peer_died && second.error != tcp_transport::errors::revoked)
            return 4;
        four.revoke();
        resilient three = four.shrink();
        if (three.members().ranks() != 3) return 5;
        if (!sum(three, static_cast<double>(rank), 8, 100, -1).done()) return 6;
        return three.agree(static_cast<std::uint64_t>(rank)).flags == (1 & 3 & 4) ? 0 : 7;
    });
    CHECK(failed == 2);
}
