#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "tune_command.hpp"
#include "machine.hpp"
#include "timed_case.hpp"

// Rank 0 sends one start and then commands; the other ranks follow until the command to stop.

/// The first message of rank 0.
struct start {
    std::int64_t patience = 30;       ///< seconds without progress until a rank ends
    std::vector<std::int64_t> ranks;  ///< numbers of ranks of later cases
};

/// Sends the start and makes the communicators. For rank 0.
void send_start(machine& here, const start& values);
/// Sends a command. For rank 0, which then takes part in it.
void send(const machine& here, const tune_command& wanted);

/// Measures a LogGP model between ranks 0 and 1: each value is the least of up to 50 rounds, the last of which begins
/// before a time. For rank 0.
collsched::loggp_model calibrated(const machine& here, std::chrono::steady_clock::time_point until);
/// Takes part in a measurement, and ends all ranks if it fails.
timed_case measured_by_all(const machine& here, const tune_command& wanted,
                           std::chrono::steady_clock::time_point until);

/// Follows rank 0 until it stops. Returns its exit status.
int follow(machine& here);
