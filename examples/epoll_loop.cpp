// An epoll loop of the program drives collective operations over TCP. Its timer starts an allreduce every 5 ms. The
// descriptor of the transport is readable when poll() has work. One process per rank.

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reductions.hpp"
#include "collsched/execute/tcp/transport.hpp"
#include "forked_ranks/forked_ranks.hpp"

using namespace collsched;
using namespace examples;

struct worker {
    rank_t rank;
    double input = static_cast<double>(rank + 1), output = 0;
    int turn = 0;
    completion failure{};  // its error and peer

    static void on_end(void* context, const run_status& end) {
        auto& self = *static_cast<worker*>(context);
        if (end.failed()) return void(self.failure = {{}, end.error, end.peer});
        if (self.rank == 0) std::printf("turn %d: sum %g\n", self.turn, self.output);
        self.input = self.output, ++self.turn;
    }
};

int loop(rank_t rank, tcp_transport& over) {
    worker me{rank};
    const allreduce::recursive_doubling s{.ranks = 2, .bytes = sizeof(double), .element = sizeof(double)};
    bound_plan plan(s, rank,
                    {std::as_bytes(std::span(&me.input, 1)), std::as_writable_bytes(std::span(&me.output, 1))});
    execution run(plan.plan(), over, {.on_end = worker::on_end, .on_end_context = &me});

    const int epoll = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    const itimerspec every{{0, 5'000'000}, {0, 5'000'000}};
    timerfd_settime(timer, 0, &every, nullptr);
    epoll_event timer_event{EPOLLIN, {.fd = timer}}, network_event{EPOLLIN, {.fd = over.descriptor()}}, event;
    epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &timer_event);
    epoll_ctl(epoll, EPOLL_CTL_ADD, over.descriptor(), &network_event);
    while (me.failure.error == 0 && epoll_wait(epoll, &event, 1, -1) >= 0) {
        if (event.data.fd != timer) {
            const completion c = over.poll();  // of any execution on this transport; empty if there is none
            if (c.request.owner != nullptr) deliver(c);
            else if (c.error != 0) run.complete(c), me.failure = c;  // of the whole transport
        } else if (std::uint64_t ticks; read(timer, &ticks, sizeof ticks) > 0 && !run.state().running()) {
            if (rank == 1 && me.turn == 2) _exit(0);  // exits without a goodbye
            run.start(plan.buffers(), reductions::sum<double>());
        }
    }
    if (rank == 0) std::printf("turn %d: error %d with rank %d\n", me.turn, me.failure.error, int(me.failure.peer));
    return close(timer) + close(epoll);
}

int main() {
    const auto address = [](tcp_transport& over) { return "127.0.0.1:" + std::to_string(over.port()); };
    return fork_connected(2, [](rank_t rank) { return tcp_transport(rank, "127.0.0.1:0"); }, address, loop);
}
