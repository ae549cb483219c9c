#pragma once

#include "options.hpp"

/// The options of `study grouped` in addition to its number of ranks.
struct grouped_options {
    explicit grouped_options(CLI::App& command)
        : bytes(command, "--bytes", "BYTES", "grouped: mean of what a node has for another (262144)"),
          bandwidth(command, "--bandwidth-MBps", "A", "grouped: of every link (12.5)"),
          latency(command, "--latency-us", "A", "grouped: from the end of sending to the receiver's port (50)"),
          packet(command, "--packet", "BYTES", "grouped: bytes of a packet (1500)"),
          buffer(command, "--buffer", "BYTES", "grouped: receive buffer of a node (65536)"),
          window(command, "--window", "N", "grouped: unacknowledged packets of a message (32)"),
          timeout(command, "--timeout-us", "A", "grouped: until a lost packet is sent again (200000)"),
          master(command, "--master-us", "A", "grouped: of the master, for each sub-round (200)"),
          delay(command, "--delay-us", "A", "grouped: first range of random delays (1000)") {}

    text_option bytes, bandwidth, latency, packet, buffer, window, timeout, master, delay;
};

/// Compares grouped communication with the alternatives of Chen, Na 2005 in the repartition of a parallel join; `svg`
/// names a file or is empty.
int study_grouped(const text_option& ranks, const text_option& seed, const text_option& svg,
                  const grouped_options& options);
