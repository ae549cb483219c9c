#pragma once

#include <string>

#include "options.hpp"

/// The options of the allgather study's timing.
struct timing_options {
    explicit timing_options(CLI::App& command);
    text_option cluster;
};

/// How long the paper's four algorithms take in blocks of its three sizes, ranks in order on the nodes of a cluster, where
/// messages share links; the fastest of each size first.
int study_allgather_timing(const text_option& ranks, const timing_options& options);
