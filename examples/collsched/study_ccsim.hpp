#pragma once

#include "options.hpp"

/// The options of `study ccsim` in addition to its numbers of ranks.
struct ccsim_options {
    explicit ccsim_options(CLI::App& command)
        : clusters(command, "--clusters", "N", "ccsim: random clusters a number of ranks (200)"),
          svg(command, "--svg", "FILE", "draw to FILE; ccsim: the short broadcast; grouped: time by group size") {}

    text_option clusters, svg;
};

/// Compares all planners on random heterogeneous clusters with the figures of the MGO scheduler; `ranks` is a list.
int study_ccsim(const text_option& ranks, const text_option& seed, const ccsim_options& options);
