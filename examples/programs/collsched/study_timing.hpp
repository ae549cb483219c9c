#pragma once

#include <string>

#include "options.hpp"

/// Prints the times of the paper's four algorithms for blocks of its three sizes, fastest first per size. Ranks are in
/// order on the nodes of a cluster, and messages share links.
int study_allgather_timing(const text_option& ranks, const text_option& cluster, bool json);
