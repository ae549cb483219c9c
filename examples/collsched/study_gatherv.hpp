#pragma once

#include "options.hpp"

/// The options of `study gatherv` in addition to its numbers of ranks.
struct gatherv_options {
    explicit gatherv_options(CLI::App& command)
        : model(command, "--model", "MODEL", "gatherv: loggp:L_us=A,o_us=B,g_us=C,G_ns=D"),
          connection_bytes(command, "--connection-bytes", "BYTES", "gatherv: memory of a connection (41984)"),
          connection_us(command, "--connection-us", "A", "gatherv: cost of a connection in the second table (100)") {}

    text_option model, connection_bytes, connection_us;
};

/// Simulates linear, binomial and chained gatherv beside the figures of Sun et al.; `ranks` is a list.
int study_gatherv(const text_option& ranks, const text_option& seed, const gatherv_options& options);
