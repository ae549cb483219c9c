// How far and how fast: one rank's program at up to 2^27 ranks, schedules of up to 10^8 edges stored, proofs, simulated
// runs, texts. Memory is counted by replacing operator new: bytes at the peak, beyond what was held before.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <iterator>
#include <malloc.h>
#include <new>
#include <sstream>
#include <string>

#include "algorithms/algorithms.hpp"
#include "collsched/collective.hpp"
#include "collsched/format.hpp"
#include "collsched/format/schedules/read_json_lines.hpp"
#include "collsched/simulate.hpp"
#include "collsched/verify.hpp"

namespace {

std::atomic<std::int64_t> held = 0, peak = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    const std::int64_t now = held += static_cast<std::int64_t>(malloc_usable_size(memory));
    if (now > peak) peak = now;
    return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    if (memory == nullptr) return;
    held -= static_cast<std::int64_t>(malloc_usable_size(memory));
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace {

using namespace collsched;

void count(benchmark::State& state, const char* what, std::int64_t n) {
    state.counters[what] = static_cast<double>(n);
    state.counters[std::string(what) + "/s"] =
        benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
}

/// Bytes at the peak since it was made.
class meter {
  public:
    meter() : before_(held) { peak = before_; }
    double bytes() const { return static_cast<double>(peak - before_); }

  private:
    std::int64_t before_;
};

any_schedule named(collective what, std::string_view name, rank_t ranks) {
    const algorithm_entry* const entry = compiled::find(what, name);
    if (entry == nullptr) std::abort();
    return entry->make({.ranks = ranks, .block = 8, .bytes = 8 * 1024, .segment = 1024});
}

/// Bytes at the peak with so many ranks.
struct peak_at {
    rank_t ranks = 0;
    double bytes = 0;
};

/// The first edges that one rank sends and receives, in program order, with 8 bytes per rank. Where fewer ranks took
/// much memory, a message has as many pieces, or a table as many entries, as there are ranks.
void one_rank(benchmark::State& state, const algorithm_entry& entry, peak_at& last) {
    const rank_t ranks = state.range(0);
    constexpr std::int64_t most = 10'000;
    if (ranks > last.ranks && last.bytes > 4e6) return state.SkipWithError("memory grows with p");
    std::int64_t seen = 0;
    const meter memory;
    for (auto _ : state) {
        const any_schedule s = entry.make({.ranks = ranks, .block = 8, .bytes = 8 * ranks, .segment = ranks});
        if (s.check()) return state.SkipWithError("not for so many ranks");
        seen = 0;
        for (const edge& e : program(s, ranks / 3)) {
            benchmark::DoNotOptimize(e.size);
            if (++seen == most) break;
        }
    }
    last = {ranks, memory.bytes()};
    count(state, "edges", seen);
    state.counters["peak_bytes"] = last.bytes;
}

template <class Algorithm>
void store(benchmark::State& state) {
    const auto algorithm = make<Algorithm>({.ranks = state.range(0), .block = 8});
    std::int64_t edges = 0;
    const meter memory;
    for (auto _ : state) {
        const stored_schedule s = materialize(algorithm);
        edges = static_cast<std::int64_t>(s.edges().size());
    }
    count(state, "edges", edges);
    state.counters["peak_bytes"] = memory.bytes();
}

void prove(benchmark::State& state, collective what, const char* name) {
    const any_schedule s = named(what, name, state.range(0));
    std::int64_t edges = 0;
    for_each_send(s, [&](const edge&) { ++edges; });
    const meter memory;
    for (auto _ : state)
        if (!verify(s).ok()) state.SkipWithError("the schedule is wrong");
    count(state, "edges", edges);
    state.counters["peak_bytes"] = memory.bytes();
}

constexpr loggp_model loggp{.latency_ps = 2'000'000, .overhead_ps = 500'000, .gap_ps = 100'000, .byte_fs = 100'000};

/// Events: what the ranks do, sends, receives and work on bytes.
template <class Model>
void run(benchmark::State& state, collective what, const char* name, const Model& model) {
    const execution_graph graph(named(what, name, state.range(0)));
    const meter memory;
    for (auto _ : state) benchmark::DoNotOptimize(simulate(graph, model).completion);
    count(state, "events", std::ssize(graph.nodes()));
    state.counters["peak_bytes"] = memory.bytes();
}
void run_loggops(benchmark::State& state, collective what, const char* name) {
    const goal_program program{execution_graph(named(what, name, state.range(0)))};
    const meter memory;
    for (auto _ : state) benchmark::DoNotOptimize(simulate(program, loggops_model{}).completion);
    count(state, "events", program.first(program.ranks()));
    state.counters["peak_bytes"] = memory.bytes();
}
void make_graph(benchmark::State& state, collective what, const char* name) {
    const any_schedule s = named(what, name, state.range(0));
    std::int64_t nodes = 0;
    const meter memory;
    for (auto _ : state) {
        const execution_graph graph(s);
        nodes = std::ssize(graph.nodes());
    }
    count(state, "nodes", nodes);
    state.counters["peak_bytes"] = memory.bytes();
}

std::int64_t lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

void write_json(benchmark::State& state) {
    const stored_schedule s = materialize(named(collective::allgather, "ring", state.range(0)));
    std::string text;
    for (auto _ : state) {
        text.clear();
        write_json_lines(std::back_inserter(text), s, "allgather/ring");
    }
    count(state, "lines", lines_of(text));
}
void write_goal_file(benchmark::State& state) {
    const goal_program program{execution_graph(named(collective::allgather, "ring", state.range(0)))};
    std::string text;
    for (auto _ : state) {
        text.clear();
        write_goal(std::back_inserter(text), program);
    }
    count(state, "lines", lines_of(text));
}

void registered_programs() {
    for (const algorithm_entry& entry : compiled::registry()) {
        if (entry.takes(&shape::neighbors)) continue;
        const std::string name =
            fmt::format("one rank, 10000 edges at most/{}/{}", name_of(entry.info.collective), entry.info.name);
        benchmark::RegisterBenchmark(
            name.c_str(), [&entry, last = peak_at{}](benchmark::State& s) mutable { one_rank(s, entry, last); })
            ->Arg(1 << 10)
            ->Arg(1 << 15)
            ->Arg(1 << 20)
            ->Arg(1 << 27)
            ->MinTime(0.02);
    }
}

}  // namespace

BENCHMARK(store<allgather::ring>)->Arg(1'001)->Arg(3'163)->Arg(10'001)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove, allgather_ring, collective::allgather, "ring")
    ->Arg(128)
    ->Arg(512)
    ->Arg(2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove, alltoall_pairwise, collective::alltoall, "pairwise")
    ->Arg(128)
    ->Arg(512)
    ->Arg(2048)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove, alltoall_bruck, collective::alltoall, "bruck")
    ->Arg(128)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove, broadcast_binomial, collective::broadcast, "binomial")
    ->Arg(1 << 15)
    ->Arg(1 << 18)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove, allreduce_recursive_doubling, collective::allreduce, "recursive-doubling")
    ->Arg(1 << 10)
    ->Arg(1 << 14)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prove, allreduce_rabenseifner, collective::allreduce, "rabenseifner")
    ->Arg(128)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(make_graph, allgather_ring, collective::allgather, "ring")
    ->Arg(128)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, loggp_allgather_ring, collective::allgather, "ring", loggp)
    ->Arg(128)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, loggp_allreduce_recursive_doubling, collective::allreduce, "recursive-doubling", loggp)
    ->Arg(1 << 10)
    ->Arg(1 << 14)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_loggops, allgather_ring, collective::allgather, "ring")
    ->Arg(128)
    ->Arg(512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(write_json)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(write_goal_file)->Arg(512)->Unit(benchmark::kMillisecond);

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    registered_programs();
    benchmark::RunSpecifiedBenchmarks();
}
