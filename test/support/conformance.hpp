#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "support/brief.hpp"
#include "support/samples.hpp"
#include "support/real_bytes.hpp"
#include "support/wait_or_fail.hpp"

namespace support {

using namespace collsched;

/// One run that every transport must get right.
struct conformance_case {
    std::string name;
    any_schedule schedule;
    binding how;
    std::uint64_t number;  ///< another one for every case
    operands kind = operands::exact;
};

/// Calls f for every algorithm, at every p from `least` to `most`, in all its shapes, separate and in place. If `brief`,
/// only for the cases that are hardest for a transport, or for all where `samples` takes one in many.
template <class F>
void for_each_conformance_case(rank_t least, rank_t most, bool brief, F f) {
    const bool hardest = brief && one_of() == 1;
    for (rank_t p = least; p <= most; ++p) {
        std::uint64_t number = static_cast<std::uint64_t>(p) << 32;
        for (const sample& one : samples(p))
            for (const binding how : bindings(one.schedule.contract())) {
                const auto has = [&](const char* text) { return one.name.find(text) != std::string::npos; };
                const collective what = one.schedule.contract().collective;
                const bool one_binding = what == collective::alltoall || has_neighbors(what);
                const bool notable = has("shuffled gaps") || has("hot receiver") || has("huge") ||
                                     has("graph any sizes") || (has("bytes=20") && has("segment=4"));
                const bool first_root = !has("root=") || has("root=0");
                if (hardest && !(notable && (one_binding || !first_root == (how == binding::in_place)))) continue;
                f(conformance_case{one.name + (how == binding::in_place ? " in place" : ""), one.schedule, how,
                                   number++});
            }
    }
}

/// How long a start may take, also beside other work: ranks that wait for each other are named before the watchdog ends them.
inline constexpr std::chrono::minutes longest_start{4};

/// Runs one rank of a case `rounds` times over a transport, with fresh bytes each time. Returns the first fault, that a start took
/// longer than its patience, or "". It is the same for every transport and local executor. Only the caller of each rank differs.
/// Every case has epochs of its own, since cases may follow each other over one transport.
template <transport Transport, local_executor Local>
std::string conform(const conformance_case& one, rank_t rank, Transport& over, Local& local,
                    std::chrono::nanoseconds patience = longest_start, int rounds = 2) {
    real_bytes bytes(one.schedule.contract(), rank, one.how, one.kind);
    bound_plan own(one.schedule, rank, bytes.memory(), one.how);
    execution<Transport, Local> run(own.plan(), over, local,
                                    {.epoch = one.number * static_cast<std::uint64_t>(rounds)});
    for (int round = 0; round < rounds; ++round) {
        bytes.refill(round);
        run.start(own.buffers(), operation(one.schedule.contract(), one.kind));
        const run_status end = support::wait_or_fail(run, patience);
        if (end.failed())
            return one.name + ": error " + std::to_string(end.error) + " in step " + std::to_string(end.step) +
                   " of rank " + std::to_string(end.rank) + " with " + std::to_string(end.peer);
        if (const std::string fault = bytes.wrong(); !fault.empty()) return one.name + ": " + fault;
    }
    return "";
}

template <transport Transport>
std::string conform(const conformance_case& one, rank_t rank, Transport& over,
                    std::chrono::nanoseconds patience = longest_start, int rounds = 2) {
    immediate_executor local;
    return conform(one, rank, over, local, patience, rounds);
}

/// Runs every algorithm over one rank's transport on the first p ranks, for all p, with COLLSCHED_SWEEPS in all shapes. Returns whether
/// every run is correct on this rank. Rank 0 prints the number of runs.
template <transport Transport>
bool conform_all(rank_t rank, rank_t ranks, Transport& over) {
    int runs = 0;
    std::string fault;
    const bool brief = !long_run();
    for_each_conformance_case(1, ranks, brief, [&](const conformance_case& one) {
        if (rank >= one.schedule.ranks || !fault.empty()) return;
        fault = conform(one, rank, over);
        ++runs;
    });
    if (!fault.empty()) std::fprintf(stderr, "%s\n", fault.c_str());
    else if (rank == 0) std::printf("%d schedules right on up to %d ranks\n", runs, static_cast<int>(ranks));
    return fault.empty() && runs > 0;
}

}  // namespace support
