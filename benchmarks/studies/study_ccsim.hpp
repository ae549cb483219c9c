#pragma once

#include "examples/programs/collsched/options.hpp"

/// The options of `study ccsim` in addition to its numbers of ranks.
struct ccsim_options {
    explicit ccsim_options(CLI::App& command)
        : clusters(command, option_group::cluster, "--clusters", "N",
                   "ccsim: number of random clusters per number of ranks (default 200)"),
          svg(command, option_group::output, "--svg", "FILE",
              "ccsim, grouped: file for a picture of the short broadcast, or of the times by group size") {}

    text_option clusters, svg;
};

/// Compares all planners on random heterogeneous clusters with the figures of the MGO scheduler; `ranks` is a list.
/// With `json` prints the means only, as JSON Lines.
int study_ccsim(const text_option& ranks, const text_option& seed, const ccsim_options& options, bool json);
