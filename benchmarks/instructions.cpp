// Starts of an allreduce of 8 bytes on two ranks in one thread: one rank always waits for its message, the other one has it
// when it looks. Without arguments it prints the nanoseconds per rank and start. With arguments it is for callgrind: the
// difference between two numbers of starts, over twice the difference of the numbers, is the instructions per rank and start.
// instructions [engine|fixed threads|processes STARTS]

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/execute/engine.hpp"
#include "collsched/execute/processes.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reductions.hpp"
#include "collsched/execute/thread_fabric.hpp"
#include "fixed_plan.hpp"

namespace {

using namespace collsched;

constexpr auto schedule = [] { return allreduce::recursive_doubling{.ranks = 2, .bytes = 8, .element = 8}; };

/// A transport whose peer acts as soon as this rank waits.
template <class Transport>
struct with_peer {
    Transport* own;
    std::function<void()> peer_acts;

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return own->post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return own->post_recv(key, parts);
    }
    int post_recv_combine(const message::key& key, const message::combined_part& part) {
        return own->post_recv_combine(key, part);
    }
    completion poll() { return own->poll(); }
    completion wait_any(std::chrono::nanoseconds timeout) {
        peer_acts();
        return own->wait_any(timeout);
    }
    void cancel(const void* owner) { own->cancel(owner); }
    void ended(const void* owner) { own->ended(owner); }
    message::buffered_sends buffered() const { return own->buffered(); }
};

/// Input and output of both ranks.
struct numbers {
    double in[2] = {1, 2}, out[2] = {};

    plan::buffers of(int rank) {
        return {reinterpret_cast<const std::byte*>(&in[rank]), reinterpret_cast<std::byte*>(&out[rank]), nullptr,
                nullptr};
    }
    bool are_summed() const { return out[0] == 3 && out[1] == 3; }
};

template <class Transport>
bool by_engine(Transport& zero, Transport& one, int starts) {
    numbers memory;
    const plan plan_0(schedule(), 0), plan_1(schedule(), 1);
    with_peer<Transport> waits{&zero, {}};
    execution<with_peer<Transport>> run_0(plan_0, waits);
    execution<Transport> run_1(plan_1, one);
    const reduction sum = reductions::sum<double>();
    waits.peer_acts = [&] {
        run_1.start(memory.of(1), sum);
        run_1.wait();
    };
    for (int i = 0; i < starts; ++i) {
        run_0.start(memory.of(0), sum);
        if (!run_0.wait().done()) return false;
    }
    return memory.are_summed();
}

template <class Transport>
bool by_fixed_plan(Transport& zero, Transport& one, int starts) {
    numbers memory;
    with_peer<Transport> waits{&zero, {}};
    const reduction sum = reductions::sum<double>();
    fixed_plan::collective<schedule, 0, with_peer<Transport>> run_0(waits, memory.of(0), sum);
    fixed_plan::collective<schedule, 1, Transport> run_1(one, memory.of(1), sum);
    waits.peer_acts = [&] { run_1.run(); };
    for (int i = 0; i < starts; ++i)
        if (!run_0.run()) return false;
    return memory.are_summed();
}

template <class Transport>
bool run(const std::string& by, Transport& zero, Transport& one, int starts) {
    return by == "engine" ? by_engine(zero, one, starts) : by_fixed_plan(zero, one, starts);
}

/// Returns whether all starts were right.
bool run(const std::string& by, const std::string& over, int starts) {
    if (over == "threads") {
        thread_fabric fabric(2);
        auto zero = fabric.at(0), one = fabric.at(1);
        return run(by, zero, one, starts);
    }
    process_group::anonymous_segment room;
    process_group group_0, group_1;
    if (group_0.join(room, 2, 0) || group_1.join(room, 2, 1)) return false;
    process_group::transport zero(group_0), one(group_1);
    return run(by, zero, one, starts);
}

bool print_times() {
    using clock = std::chrono::steady_clock;
    constexpr int starts = 1'000'000;
    for (const std::string by : {"engine", "fixed"})
        for (const std::string over : {"threads", "processes"}) {
            const auto before = clock::now();
            if (!run(by, over, starts)) return false;
            const double ns = std::chrono::duration<double, std::nano>(clock::now() - before).count();
            std::printf("%-6s over %-9s %6.1f ns per rank and start\n", by.c_str(), over.c_str(), ns / starts / 2);
        }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    bool right = false;
    if (argc == 1) {
        right = print_times();
    } else {
        const std::string by = argc == 4 ? argv[1] : "", over = argc == 4 ? argv[2] : "";
        const int starts = argc == 4 ? std::atoi(argv[3]) : 0;
        if ((by != "engine" && by != "fixed") || (over != "threads" && over != "processes") || starts < 1) {
            std::fprintf(stderr, "usage: instructions [engine|fixed threads|processes STARTS]\n");
            return 2;
        }
        right = run(by, over, starts);
    }
    if (!right) std::fprintf(stderr, "a start failed\n");
    return right ? 0 : 1;
}
