#pragma once

#include "examples/programs/collsched/options.hpp"

/// The options of `study grouped` in addition to its number of ranks.
struct grouped_options {
    explicit grouped_options(CLI::App& command)
        : bytes(command, option_group::shape, "--bytes", "BYTES",
                "grouped: mean size in bytes of the data from one node to another (default 262144)"),
          bandwidth(command, option_group::model, "--bandwidth-MBps", "RATE",
                    "grouped: bandwidth of every link in MB/s (default 12.5)"),
          latency(command, option_group::model, "--latency-us", "US",
                  "grouped: latency from the end of sending to the receiver's port in microseconds (default 50)"),
          packet(command, option_group::model, "--packet", "BYTES", "grouped: packet size in bytes (default 1500)"),
          buffer(command, option_group::model, "--buffer", "BYTES",
                 "grouped: receive buffer of a node in bytes (default 65536)"),
          window(command, option_group::model, "--window", "N",
                 "grouped: largest number of unacknowledged packets of a message (default 32)"),
          timeout(command, option_group::model, "--timeout-us", "US",
                  "grouped: time until a lost packet is sent again in microseconds (default 200000)"),
          master(command, option_group::model, "--master-us", "US",
                 "grouped: time of the master per sub-round in microseconds (default 200)"),
          delay(command, option_group::model, "--delay-us", "US",
                "grouped: first range of random delays in microseconds (default 1000)") {}

    text_option bytes, bandwidth, latency, packet, buffer, window, timeout, master, delay;
};

/// Compares grouped communication with the alternatives of Chen, Na 2005 in the repartition of a parallel join; `svg`
/// names a file or is empty. With `json` prints the times of all policies only, as JSON Lines.
int study_grouped(const text_option& ranks, const text_option& seed, const text_option& svg,
                  const grouped_options& options, bool json);
