// A repeated allreduce of 8 bytes between two ranks: by a group, and by an execution alone. Instructions instead of times:
//   valgrind --tool=callgrind group_calls execution|group|mixed CALLS
// The difference of two runs with different CALLS is that of the calls alone. The transport completes every message at
// once, so its part is small and equal for both. `mixed` takes two calls in turn, so that each plan is found by the hash
// of its key.

#include <benchmark/benchmark.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <system_error>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute.hpp"
#include "collsched/group.hpp"

using namespace collsched;

namespace {

/// A message of 8 bytes is complete when it is posted; the messages of failures never come.
struct immediate_transport {
    int post_send(const message::key&, std::span<const message::send_part>) { return already_complete; }
    int post_recv(const message::key&, std::span<const message::receive_part> parts) {
        if (total_bytes(parts) != 8) return 0;
        if (!parts.empty()) *parts[0].data = std::byte{1};
        return already_complete;
    }
    completion poll() { return {}; }
    completion wait_any(std::chrono::nanoseconds) { return {{}, message::error::would_block}; }
    void cancel(const void*) {}
};

/// Allreduces by a group; with `mixed` two calls in turn.
class group_calls {
  public:
    explicit group_calls(bool mixed) : mixed_(mixed) {}
    bool operator()() {
        const std::span<std::int64_t> one(values_, 1), other(values_ + 1, 1);
        turn_ = !turn_ && mixed_;
        return turn_ ? all_.allreduce(one, other, reductions::sum<std::int64_t>()).ok()
                     : all_.allreduce(one, reductions::sum<std::int64_t>()).ok();
    }

  private:
    immediate_transport transport_;
    group<immediate_transport> all_{transport_, 2, 0, {.policy = policies::named(allreduce::recursive_doubling{})}};
    std::int64_t values_[2] = {1, 1};
    bool mixed_, turn_ = false;
};

/// The same by an execution.
class execution_calls {
  public:
    bool operator()() {
        run_.start(plan_.buffers(), reductions::sum<std::int64_t>());
        return run_.wait().done();
    }

  private:
    immediate_transport transport_;
    std::int64_t value_ = 1;
    bound_plan plan_{allreduce::recursive_doubling{.ranks = 2, .bytes = 8, .element = 8},
                     0,
                     {std::as_bytes(std::span(&value_, 1)), std::as_writable_bytes(std::span(&value_, 1))},
                     binding::in_place};
    execution<immediate_transport> run_{plan_.plan(), transport_};
};

void time_execution(benchmark::State& state) {
    execution_calls calls;
    for (auto _ : state)
        if (!calls()) state.SkipWithError("failed");
}
void time_group(benchmark::State& state) {
    group_calls calls(state.range(0) != 0);
    for (auto _ : state)
        if (!calls()) state.SkipWithError("failed");
}
BENCHMARK(time_execution);
BENCHMARK(time_group)->ArgName("mixed")->Arg(0)->Arg(1);

int repeat(auto&& calls, std::int64_t times) {
    for (std::int64_t i = 0; i < times; ++i)
        if (!calls()) return 1;
    return 0;
}

}  // namespace

/// Runs the benchmarks, or for a kind and a number only so many calls.
int main(int count, char** arguments) {
    const std::string_view kind = count == 3 ? arguments[1] : "", number = count == 3 ? arguments[2] : "";
    std::int64_t times = 0;
    const bool counts = std::from_chars(number.data(), number.data() + number.size(), times).ec == std::errc();
    if (counts && kind == "execution") return repeat(execution_calls(), times);
    if (counts && (kind == "group" || kind == "mixed")) return repeat(group_calls(kind == "mixed"), times);
    benchmark::Initialize(&count, arguments);
    if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
    benchmark::RunSpecifiedBenchmarks();
}
