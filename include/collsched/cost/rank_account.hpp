#pragma once

#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/metrics.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Resources that a schedule requires of one rank. A transfer is an edge between two ranks: it moves one byte range.
struct metrics_report::rank_account {
    std::int64_t connections = 0;  ///< other ranks that it sends to or receives from
    bytes_t context_memory = 0;    ///< state of the connections (queue pairs): connections * bytes per connection
    std::int64_t messages = 0;     ///< received; all transfers from one rank in one step are one message
    std::int64_t direct = 0;       ///< transfers received whose target is output, combined there or not
    std::int64_t by_scratch = 0;   ///< transfers received whose target is scratch
    std::int64_t copies = 0;       ///< edges within the rank, without combines that are part of a transfer
    bytes_t copied_bytes = 0;      ///< bytes of these edges

    bool operator==(const rank_account&) const = default;
};

/// Default memory of a connection: 41 KiB. With it, a rank with 32,767 connections (all other ranks of 32,768) takes
/// 1311.96 MiB and one with 15 (log2 of 32,768) takes 0.60 MiB; Sun et al. measured 1312.12 MiB and 0.60 MiB.
inline constexpr bytes_t default_connection_bytes = 41 * 1024;

/// Returns the account of one rank. Copies whose source and target are the same memory under `binding` are not counted.
///
/// @param x                 a schedule or an algorithm
/// @param rank              0 .. p-1
/// @param connection_bytes  memory per connection in bytes, 0 or more
/// @param binding           separate buffers, or in_place (as with MPI_IN_PLACE)
/// Failure: a schedule whose check() reports an error (verify() is not called), a wrong rank, a negative
/// connection_bytes, and sums of 2^63 bytes or more throw bad_argument; if exceptions are off, the result is 0.
/// Complexity: O(n log n) time and O(n) memory for n edges of the rank.
template <schedulable X>
metrics_report::rank_account account(const X& x, rank_t rank, bytes_t connection_bytes = default_connection_bytes,
                                     binding binding = binding::separate) {
    const auto& s = lower(x);
    auto edges = program(s, rank);
    if (refuse_if(edges.check_walk())) return {};
    const detail::buffer_alias alias = s.contract().alias(rank, binding);
    metrics_report::rank_account counted;
    std::vector<rank_t> peers;
    checked copied(0);
    edge last;  // received, at first an edge of no message: those of a message follow each other
    for (const edge& e : edges) {
        if (detail::vanishes(alias, e)) continue;
        if (e.is_local()) {
            ++counted.copies;
            copied = copied + e.size;
            continue;
        }
        peers.push_back(e.src == rank ? e.dst : e.src);
        if (e.src == rank) continue;
        ++(e.into == buffer::output ? counted.direct : counted.by_scratch);
        if (e.step != last.step || e.src != last.src || e.dst != last.dst) ++counted.messages;
        last = e;
    }
    detail::sort(peers.data(), static_cast<std::int64_t>(peers.size()), [](rank_t a, rank_t b) { return a < b; });
    for (std::size_t i = 0; i < peers.size(); ++i) counted.connections += i == 0 || peers[i] != peers[i - 1] ? 1 : 0;
    const checked memory = checked(counted.connections) * connection_bytes;
    if (connection_bytes < 0 || !memory.ok())
        if (refuse_if({"connection_bytes", connection_bytes, "0 bytes or more, below 2^63 in all"})) return {};
    if (!copied.ok() && refuse_if({"copies", counted.copies, "copies of fewer than 2^63 bytes in all"})) return {};
    counted.context_memory = memory.value();
    counted.copied_bytes = copied.value();
    return counted;
}

}}  // namespace collsched::COLLSCHED_ABI
