// Costs of the engine: time per message, allocations after the first start (counted by replacing operator new), and the
// memory of a plan.

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute/engine.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/execute/rank_memory.hpp"

namespace {

std::atomic<std::int64_t> allocations = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace collsched;

using measured = algorithm_list<allgather::ring, allgather::bruck, alltoall::pairwise, alltoall::linear,
                                allreduce::recursive_doubling, allreduce::circulant, allreduce::rabenseifner,
                                barrier::dissemination, broadcast::over_tree<trees::binomial>,
                                gather::over_tree<trees::binomial, gather::root_receive::chained>>;

void add_bytes(void*, std::byte* into, const std::byte* incoming, bytes_t size, action) {
    for (bytes_t i = 0; i < size; ++i)
        into[i] = static_cast<std::byte>(static_cast<int>(into[i]) + static_cast<int>(incoming[i]));
}

/// Memory, plans and executions of all ranks over one transport that copies in this thread.
struct ranks_in_one_thread {
    template <class Algorithm>
    explicit ranks_in_one_thread(const Algorithm& a) : fabric(a.ranks) {
        for (rank_t r = 0; r < a.ranks; ++r) ends.push_back(fabric.at(r));
        for (rank_t r = 0; r < a.ranks; ++r) {
            const contract contract = lower(a).contract();
            inputs.emplace_back(static_cast<std::size_t>(contract.input_bytes(r)));
            outputs.emplace_back(static_cast<std::size_t>(contract.output_bytes(r)));
            plans.push_back(std::make_unique<bound_plan>(a, r, rank_memory{inputs.back(), outputs.back()}));
            runs.push_back(std::make_unique<execution<mock_network::endpoint>>(plans.back()->plan(),
                                                                               ends[static_cast<std::size_t>(r)]));
            for (const plan::node& n : plans.back()->plan().nodes()) messages += n.kind == plan::kind::send ? 1 : 0;
        }
    }
    bool run() {
        for (std::size_t r = 0; r < runs.size(); ++r) runs[r]->start(plans[r]->buffers(), {add_bytes, nullptr, true});
        for (bool running = true; running;) {
            running = false;
            for (auto& one : runs) running = one->progress().state == run_status::phase::running || running;
        }
        for (auto& one : runs)
            if (!one->state().done()) return false;
        return true;
    }

    mock_network fabric;
    std::vector<mock_network::endpoint> ends;
    std::vector<std::vector<std::byte>> inputs, outputs;
    std::vector<std::unique_ptr<bound_plan>> plans;
    std::vector<std::unique_ptr<execution<mock_network::endpoint>>> runs;
    std::int64_t messages = 0;
};

template <class A>
A small(rank_t ranks) {
    return make<A>({.ranks = ranks, .block = 8, .bytes = 8, .segment = 0});
}

/// All ranks run the plan again and again; the first start is not measured.
template <class A>
void run_again(benchmark::State& state) {
    ranks_in_one_thread all(small<A>(state.range(0)));
    if (!all.run()) return state.SkipWithError("the first start failed");
    const std::int64_t before = allocations;
    std::int64_t starts = 0;
    for (auto _ : state) {
        if (!all.run()) return state.SkipWithError("a start failed");
        ++starts;
    }
    state.counters["allocations"] = static_cast<double>(allocations - before);
    state.counters["messages"] = static_cast<double>(all.messages);
    state.counters["s/message"] = benchmark::Counter(
        static_cast<double>(all.messages), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Making the plan of one rank: what it costs and what it takes.
template <class A>
void make_plan(benchmark::State& state) {
    const A algorithm = small<A>(state.range(0));
    const rank_t rank = state.range(0) / 3;
    bytes_t bytes = 0;
    std::int64_t nodes = 0;
    for (auto _ : state) {
        const plan own(algorithm, rank);
        bytes = own.footprint();
        nodes = std::ssize(own.nodes());
    }
    state.counters["plan_bytes"] = static_cast<double>(bytes);
    state.counters["nodes"] = static_cast<double>(nodes);
}

struct registration {
    template <class A>
    void operator()() const {
        const std::string name = std::string(name_of(A::info.collective)) + "/" + A::info.name;
        benchmark::RegisterBenchmark(("run again/" + name).c_str(), run_again<A>)->Arg(2)->Arg(16);
        benchmark::RegisterBenchmark(("make the plan of a rank/" + name).c_str(), make_plan<A>)
            ->Arg(16)
            ->Arg(1 << 10)
            ->Arg(1 << 15);
    }
};

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    measured::for_each(registration{});
    benchmark::RunSpecifiedBenchmarks();
}
