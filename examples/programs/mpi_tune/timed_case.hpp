#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "collsched/select.hpp"

#include "tune_command.hpp"
#include "machine.hpp"
#include "tuning/median_interval.hpp"

/// The result of a candidate's measurement, on rank 0.
struct measured_candidate {
    enum class outcome { measured, refused, wrong, not_reached };

    outcome end = outcome::not_reached;
    collsched::tuning::median_interval time;  ///< per run, with the barrier after it
    std::int64_t runs = 0;
};

/// The result of a case, on rank 0.
struct timed_case {
    std::vector<measured_candidate> candidates;
    collsched::picoseconds barrier = 0;  ///< lowest time of a barrier
};

/// Measures the candidates of a case; the ranks of its communicator call it at the same time. One run of each candidate
/// is compared with the required bytes. Then candidates take turns. A sample is the mean of one or more runs, so many
/// that they take 50 microseconds. A barrier follows each run, since ranks leave a collective at different times. The
/// time of a sample is that of the rank that takes longest. Results have a meaning on rank 0, whose `until` counts.
timed_case measure_case(const machine& here, const tune_command& wanted, std::chrono::steady_clock::time_point until);
