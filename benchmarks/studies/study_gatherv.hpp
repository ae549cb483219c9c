#pragma once

#include "examples/programs/collsched/options.hpp"

/// The options of `study gatherv` in addition to its numbers of ranks.
struct gatherv_options {
    explicit gatherv_options(CLI::App& command)
        : model(command, option_group::model, "--model", "MODEL",
                "gatherv: LogGP model (default loggp:L_us=1,o_us=0.5,g_us=0.5,G_ns=0.1,copy_ns=0.1)"),
          connection_bytes(command, option_group::model, "--connection-bytes", "BYTES",
                           "gatherv: memory per connection in bytes (default 41984)"),
          connection_us(command, option_group::model, "--connection-us", "US",
                        "gatherv: cost per connection in microseconds, in the second table (default 100)") {}

    text_option model, connection_bytes, connection_us;
};

/// Simulates linear, binomial and chained gatherv beside the figures of Sun et al.; `ranks` is a list. With `json`
/// prints the rows of both tables only, as JSON Lines.
int study_gatherv(const text_option& ranks, const text_option& seed, const gatherv_options& options, bool json);
