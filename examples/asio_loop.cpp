// An asio::io_context of the program drives collective operations over TCP. Its timer starts an allreduce 5 ms after
// the last one. Until that ends, the context waits for the descriptor of the transport. One process per rank.

#include <asio.hpp>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reductions.hpp"
#include "collsched/execute/tcp/transport.hpp"
#include "forked_ranks/forked_ranks.hpp"

using namespace collsched;
using namespace examples;

struct worker {
    rank_t rank;
    tcp_transport& over;
    int turn = 0;
    double input = static_cast<double>(rank + 1), output = 0;
    bound_plan plan{allreduce::recursive_doubling{.ranks = 2, .bytes = sizeof(double), .element = sizeof(double)}, rank,
                    rank_memory{std::as_bytes(std::span(&input, 1)), std::as_writable_bytes(std::span(&output, 1))}};
    execution<tcp_transport> run{plan.plan(), over};
    asio::io_context io{};
    asio::steady_timer timer{io};
    asio::posix::stream_descriptor network{io, dup(over.descriptor())};  // a copy, which `network` closes

    void start_later() {
        timer.expires_after(std::chrono::milliseconds(5));
        timer.async_wait([this](std::error_code) {
            if (rank == 1 && turn == 2) _exit(0);  // exits without a goodbye
            run.start(plan.buffers(), reductions::sum<double>());
            drive();
        });
    }
    void drive() {
        if (!run.progress().running()) return end(run.state());
        network.async_wait(asio::posix::stream_descriptor::wait_read, [this](std::error_code e) {
            if (!e) drive();
        });
    }
    void end(const run_status& status) {
        if (rank == 0 && status.done()) std::printf("turn %d: sum %g\n", turn, output);
        if (rank == 0 && status.failed())
            std::printf("turn %d: error %d with rank %d\n", turn, status.error, int(status.peer));
        input = output, ++turn;
        if (status.done()) start_later();  // otherwise nothing is pending, and the context ends
    }
};

int main() {
    const auto address = [](tcp_transport& over) { return "127.0.0.1:" + std::to_string(over.port()); };
    const auto loop = [](rank_t rank, tcp_transport& over) {
        worker me{rank, over};
        me.start_later();
        return me.io.run() > 0 ? 0 : 1;  // the program's own sockets and timers are served here too
    };
    return fork_connected(2, [](rank_t rank) { return tcp_transport(rank, "127.0.0.1:0"); }, address, loop);
}
