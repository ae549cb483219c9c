#pragma once

#include <string>

#include "options.hpp"

/// The options of the allgather study's timing.
struct timing_options {
    explicit timing_options(CLI::App& command);
    text_option cluster;
};

/// Prints the times of the paper's four algorithms for blocks of its three sizes, fastest first per size. Ranks are in
/// order on the nodes of a cluster, and messages share links.
int study_allgather_timing(const text_option& ranks, const timing_options& options);
