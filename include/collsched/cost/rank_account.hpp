#pragma once

#include "collsched/core/checked.hpp"
#include "collsched/schedule/edge_views.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Resources that a schedule requires of one rank, counted on its edges.
struct rank_account {
    std::int64_t connections = 0;  ///< other ranks that it sends to or receives from
    bytes_t context_memory = 0;    ///< connections * bytes per connection
    std::int64_t messages = 0;     ///< messages received
    std::int64_t direct = 0;       ///< transfers received in `output`
    std::int64_t by_scratch = 0;   ///< transfers received in scratch
    std::int64_t copies = 0;       ///< local copies and combines
    bytes_t copied_bytes = 0;

    bool operator==(const rank_account&) const = default;
};

/// Default memory of a connection: 41 KiB. 32,767 connections take 1311.96 MiB and 15 take 0.60 MiB; Sun et al.
/// measured 1312.12 MiB and 0.60 MiB with 32,768 processes.
inline constexpr bytes_t default_connection_bytes = 41 * 1024;

/// Returns the account of one rank, without copies that vanish under `binding`.
///
/// @param rank              0 .. p-1
/// @param connection_bytes  memory per connection in bytes, 0 or more
/// Failure: wrong arguments, and sums of 2^63 bytes and more, throw bad_argument; without exceptions the account is
/// empty. Complexity: O(n log n) for n edges of the rank.
template <schedulable X>
rank_account account(const X& x, rank_t rank, bytes_t connection_bytes = default_connection_bytes,
                     binding binding = binding::separate) {
    const auto& s = lower(x);
    auto edges = program(s, rank);
    if (refuse_if(edges.check_walk())) return {};
    const detail::buffer_alias alias = s.contract().alias(rank, binding);
    rank_account counted;
    std::vector<rank_t> peers;
    checked copied(0);
    step_t step = -1;
    rank_t source = -1;  // the last one in this step: edges come by step, then source
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
        if (e.step != step || e.src != source) ++counted.messages;
        step = e.step;
        source = e.src;
    }
    detail::sort(peers.data(), static_cast<std::int64_t>(peers.size()), [](rank_t a, rank_t b) { return a < b; });
    for (std::size_t i = 0; i < peers.size(); ++i) counted.connections += i == 0 || peers[i] != peers[i - 1] ? 1 : 0;
    const checked memory = checked(counted.connections) * connection_bytes;
    if (connection_bytes < 0 || !memory.ok())
        if (refuse_if({"connection", connection_bytes, "0 bytes or more, below 2^63 in all"})) return {};
    if (!copied.ok() && refuse_if({"copies", counted.copies, "copies of fewer than 2^63 bytes in all"})) return {};
    counted.context_memory = memory.value();
    counted.copied_bytes = copied.value();
    return counted;
}

}}  // namespace collsched::COLLSCHED_ABI
