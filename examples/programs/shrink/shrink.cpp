// Failures: five processes sum numbers over and over, and one of them is killed at a random moment. The others revoke
// the communicator, shrink it, and finish their sums. An argument is the number of repetitions.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute.hpp"
#include "collsched/execute/processes.hpp"

using namespace collsched;
constexpr rank_t processes = 5;
constexpr int rounds_after = 50;
using group = resilient_communicator<process_group::transport>;

struct sum {  // an allreduce of the ranks' numbers over a communicator, again and again
    sum(group& members, double value) : mine(value), over(members) {}
    bool compute() {
        run.start(plan.buffers(), reductions::sum<double>());
        return run.wait().done();
    }

    double mine, total = 0;
    group& over;
    allreduce::rabenseifner schedule{.ranks = over.members().ranks(), .bytes = 8, .element = 8};
    bound_plan plan{schedule,
                    over.members().rank(),
                    {std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(&total, 1))}};
    execution<group> run{plan.plan(), over, over.members().open_channel()};
};

// Sums until all members have `rounds` right results in the communicator of the living; whether they are right.
bool run_rank(const process_group::anonymous_segment& room, int ready, rank_t rank, rank_t victim) {
    process_group joined;
    if (joined.join(room, processes, rank) || ::write(ready, "", 1) != 1) return false;
    process_group::transport transport(joined);
    communicator world(transport, processes, rank);
    auto members = std::make_unique<group>(world.dup());
    for (int rounds = 0;;) {
        bool failed = false;
        double expected = 0;
        for (const rank_t r : members->members().members()) expected += static_cast<double>(r + 1);
        {
            sum sums(*members, static_cast<double>(rank + 1));
            while (!failed && (members->members().ranks() == processes || rounds < rounds_after)) {
                failed = !sums.compute();
                if (!failed && sums.total != expected) return false;
                rounds += members->members().ranks() == processes ? 0 : 1;
            }
        }
        if (failed) members->revoke();
        const auto end = members->agree(failed ? 0 : 1);  // whether all have finished
        if (end.error != 0) return false;
        if (end.flags == 1)
            return members->members().rank_of(victim) < 0 && members->members().ranks() == processes - 1;
        members = std::make_unique<group>(members->shrink(end));
        rounds = 0;
    }
}

// Whether one process was killed, and the four others have the right sums.
bool kill_one(rank_t victim, std::chrono::microseconds moment) {
    const process_group::anonymous_segment room;
    int ready[2];  // a pipe: a byte of each process that has joined
    if (::pipe(ready) != 0) return false;
    std::vector<pid_t> children;
    for (rank_t r = 0; r < processes; ++r) {
        const pid_t child = ::fork();
        if (child < 0) return false;
        if (child == 0) {
            ::alarm(60);  // a process that hangs is a fault
            ::_exit(run_rank(room, ready[1], r, victim) ? 0 : 1);
        }
        children.push_back(child);
    }
    ::close(ready[1]);
    char byte = 0;
    for (rank_t r = 0; r < processes; ++r)
        if (::read(ready[0], &byte, 1) != 1) break;
    ::close(ready[0]);
    std::this_thread::sleep_for(moment);
    ::kill(children[static_cast<std::size_t>(victim)], SIGKILL);
    bool right = true;
    for (rank_t r = 0; r < processes; ++r) {
        int status = 0;
        ::waitpid(children[static_cast<std::size_t>(r)], &status, 0);
        right = right && (r == victim ? WIFSIGNALED(status) : WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return right;
}

int main(int argc, char** argv) {
    const int times = argc > 1 ? std::atoi(argv[1]) : 1;
    std::random_device seed;
    std::minstd_rand random(seed());
    int right = 0;
    for (int i = 0; i < times; ++i) {
        const auto moment = std::chrono::microseconds(std::uniform_int_distribution(0, 20'000)(random));
        right += kill_one(i % processes, moment) ? 1 : 0;
    }
    std::printf("%d of %d times: one of 5 processes was killed, and the other 4 have the right sums\n", right, times);
    return right == times ? 0 : 1;
}
