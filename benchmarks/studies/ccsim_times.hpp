#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "collsched/core/rank.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/cost/concepts.hpp"
#include "benchmarks/studies/random_cluster.hpp"

/// The simulations of `study ccsim`.
namespace ccsim_study {

using collsched::bytes_t, collsched::picoseconds, collsched::rank_t, collsched::lob_model;

constexpr picoseconds ms = 1'000'000'000;

/// One set for all tables, found once by a search over ranges for the means of the printed table. docs/ccsim.md
/// describes the search.
constexpr collsched::studies::cluster_distribution drawn{.overhead_ps = {100 * ms, 350 * ms},
                                                         .own_latency_ps = {0, 50 * ms},
                                                         .own_kB_s = {175, 3150},
                                                         .wide_latency_ps = {50 * ms, 70 * ms},
                                                         .wide_kB_s = {300, 1350},
                                                         .local_latency_ps = {30 * ms, 30 * ms},
                                                         .local_kB_s = {280, 900},
                                                         .fanout = {2, 3},
                                                         .leaf = 5,
                                                         .levels = 5};

constexpr std::array planners_studied{"ft",         "bt",       "fef", "fcef",    "la",     "fef-blind",
                                      "fcef-blind", "la-blind", "mgo", "refined", "optimal"};
constexpr std::size_t planner_count = planners_studied.size();
constexpr std::size_t mgo_column = 8;

enum class use { broadcast, scatter, gather, allgather };
struct study_case {
    use what;
    const char* name;
    bytes_t bytes;
};
constexpr std::array cases{
    study_case{use::broadcast, "broadcast", 1'000}, study_case{use::broadcast, "broadcast", 100'000},
    study_case{use::scatter, "scatter", 1'000},     study_case{use::scatter, "scatter", 100'000},
    study_case{use::gather, "gather", 1'000},       study_case{use::gather, "gather", 100'000},
    study_case{use::allgather, "allgather", 1'000}, study_case{use::allgather, "allgather", 100'000}};

/// Calls f(i) for i = 0 .. n-1 on all processors. Rethrows the first exception.
template <class F>
void in_parallel(std::int64_t n, F f) {
    std::atomic<std::int64_t> next = 0;
    std::exception_ptr thrown;
    std::once_flag first;
    const auto work = [&] {
        try {
            for (std::int64_t i = next++; i < n; i = next++) f(i);
        } catch (...) {
            next = n;
            std::call_once(first, [&] { thrown = std::current_exception(); });
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (unsigned t = 1; t < std::max(1U, std::thread::hardware_concurrency()); ++t) helpers.emplace_back(work);
        work();
    }
    if (thrown) std::rethrow_exception(thrown);
}

/// Mean times in ms.
struct mean_row {
    rank_t ranks;
    std::array<std::array<double, planner_count>, cases.size()> ms;
};

/// Returns the means over random clusters. All simulations are determined by the seed.
mean_row study_ranks(rank_t ranks, std::int64_t clusters, std::uint64_t seed);

}  // namespace ccsim_study
