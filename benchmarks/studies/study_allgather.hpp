#pragma once

#include "examples/programs/collsched/options.hpp"

/// Counts rounds, messages and distances of four algorithms beside the closed forms of Chen, Zhang, Zhang, Yuan 2006.
/// With `json` prints the comparisons only, as JSON Lines.
int study_allgather(const text_option& ranks, bool json);

/// Prints the times of the paper's four algorithms for blocks of its three sizes, fastest first per size. Ranks are in
/// order on the nodes of a cluster, and messages share links.
int study_allgather_timing(const text_option& ranks, const text_option& cluster, bool json);
