// Coroutines start collective operations and wait for their completion: one per rank, over a network in one thread.

#include <coroutine>
#include <cstdio>
#include <exception>
#include <vector>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reduce_with.hpp"
#include "collsched/execute/run_async.hpp"

using namespace collsched;

struct task {  // begins at once, destroys itself at its end
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};
using run_type = execution<mock_network::endpoint>;

task work(run_type& run, plan::buffers buffers, reduction sum, double* input, const double* output, rank_t rank) {
    for (int turn = 0; turn < 2; ++turn) {
        const run_status end = co_await run_async(run, buffers, sum);
        if (!end.done()) co_return void(std::printf("rank %d: error %d\n", int(rank), end.error));
        if (rank == 0) std::printf("sum of turn %d: %g\n", turn, *output);
        *input = *output;
    }
}

int main() {
    constexpr rank_t ranks = 4;
    const allreduce::recursive_doubling s{.ranks = ranks, .bytes = sizeof(double), .element = sizeof(double)};
    auto sum = reduce_with<double>([](double a, double b) { return a + b; }, true);
    mock_network network(ranks);
    double in[ranks], out[ranks] = {};
    std::vector<bound_plan> plans;
    std::vector<mock_network::endpoint> endpoints;
    std::vector<run_type> runs;
    for (rank_t r = 0; r < ranks; ++r) {
        in[r] = static_cast<double>(r + 1);
        plans.emplace_back(
            s, r, rank_memory{std::as_bytes(std::span(&in[r], 1)), std::as_writable_bytes(std::span(&out[r], 1))});
        endpoints.push_back(network.at(r));
    }
    for (std::size_t r = 0; r < ranks; ++r) runs.emplace_back(plans[r].plan(), endpoints[r]);
    for (std::size_t r = 0; r < ranks; ++r)
        work(runs[r], plans[r].buffers(), sum, &in[r], &out[r], static_cast<rank_t>(r));
    for (bool running = true; running;) {  // the program's own loop
        running = false;
        for (run_type& run : runs) running = run.progress().running() || running;
    }
}
