// Binned sums beside sums of doubles. Arrays: time per number of a binned sum, of a plain sum in the order of the
// numbers, and of a pairwise sum, whose order is fixed and vectorized. Allreduces of two threads: time per run for
// accumulators and for as many doubles. Rivals take turns, and the counters are of the best turn of each, since others
// may use the processors too. `of_plain`, `of_pairwise`, `of_doubles`: how many times the binned one takes.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute.hpp"
#include "examples/programs/reproducible_sum/binned_sum.hpp"

namespace {

using namespace collsched;

std::vector<double> random_numbers(std::size_t count) {
    std::mt19937_64 random(1);
    std::vector<double> all(count);
    for (double& x : all) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    return all;
}

double plain_sum(std::span<const double> all) {
    double sum = 0;
    for (const double x : all) sum += x;
    return sum;
}

/// Halves down to 128 numbers; below, 8 sums of every eighth number.
double pairwise_sum(std::span<const double> all) {
    if (all.size() > 128) {
        const std::size_t half = all.size() / 16 * 8;
        return pairwise_sum(all.first(half)) + pairwise_sum(all.subspan(half));
    }
    using pair_of_doubles [[gnu::vector_size(16)]] = double;
    std::array<pair_of_doubles, 4> sums{};
    std::size_t i = 0;
    for (; i + 8 <= all.size(); i += 8) {
        std::array<pair_of_doubles, 4> x;
        std::memcpy(&x, &all[i], sizeof x);
        sums[0] += x[0], sums[1] += x[1], sums[2] += x[2], sums[3] += x[3];
    }
    const pair_of_doubles both = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return (both[0] + both[1]) + plain_sum(all.subspan(i));
}

template <std::size_t K>
double binned(std::span<const double> all) {
    binned_sum<K> sum;
    sum.deposit(all);
    return sum.value();
}

/// Seconds of the fastest of some turns of `times` sums each.
class stopwatch {
  public:
    double turn(int times, auto sum) {
        const auto before = std::chrono::steady_clock::now();
        for (int i = 0; i < times; ++i) benchmark::DoNotOptimize(sum());
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
        best_ = std::min(best_, seconds / times);
        return seconds;
    }
    double best() const { return best_; }

  private:
    double best_ = 1e9;
};

template <std::size_t K>
void deposit_array(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    const std::vector<double> all = random_numbers(count);
    const int times = static_cast<int>(std::max<std::size_t>(1, 1'000'000 / count));
    stopwatch binned_time, plain_time, pairwise_time;
    for (auto _ : state) {
        state.SetIterationTime(binned_time.turn(times, [&] { return binned<K>(all); }));
        plain_time.turn(times, [&] { return plain_sum(all); });
        pairwise_time.turn(times, [&] { return pairwise_sum(all); });
    }
    const double per_number = 1e9 / static_cast<double>(count);
    state.counters["ns"] = binned_time.best() * per_number;
    state.counters["plain_ns"] = plain_time.best() * per_number;
    state.counters["pairwise_ns"] = pairwise_time.best() * per_number;
    state.counters["of_plain"] = binned_time.best() / plain_time.best();
    state.counters["of_pairwise"] = binned_time.best() / pairwise_time.best();
}
BENCHMARK(deposit_array<2>)->Arg(1000)->Arg(100'000)->Arg(10'000'000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(deposit_array<3>)->Arg(1000)->Arg(100'000)->Arg(10'000'000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(deposit_array<4>)->Arg(1000)->Arg(100'000)->Arg(10'000'000)->UseManualTime()->Unit(benchmark::kMillisecond);

/// Numbers one by one.
void deposit_single(benchmark::State& state) {
    const std::vector<double> all = random_numbers(1000);
    binned_sum<> sum;
    for (auto _ : state)
        for (const double x : all) sum.deposit(x);
    benchmark::DoNotOptimize(sum);
    state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(deposit_single);

void add_accumulators(benchmark::State& state) {
    std::vector<binned_sum<>> into(1000), from(1000);
    const std::vector<double> all = random_numbers(2000);
    for (std::size_t i = 0; i < 1000; ++i) into[i].deposit(all[i]), from[i].deposit(all[1000 + i]);
    for (auto _ : state) {
        for (std::size_t i = 0; i < 1000; ++i) into[i] += from[i];
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(add_accumulators);

void convert(benchmark::State& state) {
    std::vector<binned_sum<>> sums(1000);
    const std::vector<double> all = random_numbers(1000);
    for (std::size_t i = 0; i < 1000; ++i) sums[i].deposit(all[i]);
    for (auto _ : state)
        for (const auto& sum : sums) benchmark::DoNotOptimize(sum.value());
    state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(convert);

/// Seconds per allreduce of two ranks in threads, of `count` elements. Their start is part of it, over many runs.
template <class Schedule, class T>
double allreduce_seconds(std::size_t count, const T& operand, reduction add, int times) {
    const std::vector<T> in(count, operand);
    std::vector<T> out[2] = {in, in};
    const Schedule s{
        .ranks = 2, .bytes = static_cast<bytes_t>(count * sizeof(T)), .element = static_cast<bytes_t>(sizeof(T))};
    std::vector<rank_memory> memory;
    for (auto& of_rank : out)
        memory.push_back({std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(of_rank))});
    const auto before = std::chrono::steady_clock::now();
    const bool done = run_threads(s, memory, binding::separate, add, times).done();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    return done ? seconds / times : -1;
}

template <class Schedule>
void allreduce_of_two(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    const int times = static_cast<int>(std::clamp<std::size_t>(1'000'000 / count, 20, 5000));
    auto add = reduce_with<binned_sum<>>(std::plus<binned_sum<>>{}, true);
    binned_sum<> one;
    one.deposit(0.1);
    double best = 1e9, best_of_doubles = 1e9;
    for (auto _ : state) {
        const double seconds = allreduce_seconds<Schedule>(count, one, add, times);
        const double of_doubles = allreduce_seconds<Schedule>(count, 0.1, reductions::sum<double>(), times);
        if (seconds < 0 || of_doubles < 0) return state.SkipWithError("failed");
        best = std::min(best, seconds), best_of_doubles = std::min(best_of_doubles, of_doubles);
        state.SetIterationTime(seconds * times);
    }
    state.counters["us"] = best * 1e6;
    state.counters["doubles_us"] = best_of_doubles * 1e6;
    state.counters["of_doubles"] = best / best_of_doubles;
}
BENCHMARK(allreduce_of_two<allreduce::recursive_doubling>)
    ->Arg(1)
    ->Arg(1000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(allreduce_of_two<allreduce::ring>)->Arg(100'000)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
