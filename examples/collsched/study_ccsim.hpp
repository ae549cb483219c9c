#pragma once

#include "options.hpp"

/// What `study ccsim` takes beside its numbers of ranks.
struct ccsim_options {
    explicit ccsim_options(CLI::App& command)
        : clusters(command, "--clusters", "N", "ccsim: random clusters a number of ranks (200)"),
          svg(command, "--svg", "FILE", "draw to FILE; ccsim: the short broadcast; grouped: time by group size") {}

    text_option clusters, svg;
};

/// All planners on random heterogeneous clusters, beside the figures of the MGO scheduler; `ranks` is a list.
int study_ccsim(const text_option& ranks, const text_option& seed, const ccsim_options& options);
