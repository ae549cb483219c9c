#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees::detail {

/// Times of one chunk on a link, in picoseconds.
struct link_time {
    std::int64_t held = 1;   ///< until the link is free again
    std::int64_t total = 1;  ///< until all of the chunk has arrived; `held` or more
};

/// Returns ceil(bytes / bandwidth) in picoseconds.
constexpr checked transmission_time(std::int64_t bytes, std::int64_t bandwidth) {
    constexpr std::int64_t second = 1'000'000'000'000;
    const checked floor = collsched::detail::mul_div(bytes, second, bandwidth);
    if (!floor.ok()) return floor;
    // The difference of the products is less than bandwidth, so that it is right modulo 2^64.
    const auto product = [](std::int64_t a, std::int64_t b) {
        return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
    };
    return floor + (product(bytes, second) == product(floor.value(), bandwidth) ? 0 : 1);
}

/// The times of all links, and an error if they are too long for the sum of the times of `transfers` paths.
struct link_times {
    owned_array<link_time> of;
    argument_error error;

    /// @pre no error in net.check(), and bytes >= 1
    constexpr link_times(const topology::network& net, std::int64_t bytes, bool latency_holds, std::int64_t transfers)
        : of(static_cast<std::int64_t>(net.links().size())) {
        const std::int64_t most = (INT64_MAX >> 1) / (transfers + 1) / (net.switches() + 1);
        std::int64_t next = 0;
        for (const topology::network::link& link : net.links()) {
            const checked sent = transmission_time(bytes, link.bandwidth), total = sent + link.latency;
            if (!total.ok() || total.value() > most) {
                error = {"bytes", bytes, "times of all transfers, with latencies, of less than 2^62 ps together"};
                return;
            }
            of[next++] = {latency_holds ? total.value() : sent.value(), total.value()};
        }
    }
};

/// Returns the number of chunks that a link can bring within a time.
constexpr std::int64_t chunks_within(const link_time& link, std::int64_t time) {
    return time < link.total ? 0 : (time - link.total) / link.held + 1;
}

/// Returns the least time within which the links into each rank can bring `chunks` chunks. No allgather is faster. INT64_MAX
/// if a rank has no links. O(links log time).
/// @pre no error in the times
constexpr std::int64_t ingress_bound(const topology::network& net, const owned_array<link_time>& times,
                                     std::int64_t chunks) {
    owned_array<std::int64_t> lacking(net.ranks());
    const auto suffices = [&](std::int64_t time) {
        for (std::int64_t& count : lacking) count = chunks;
        std::int64_t i = 0;
        for (const topology::network::link& link : net.links()) {
            const std::int64_t brought = chunks_within(times[i++], time);
            if (link.to >= net.ranks()) continue;
            lacking[link.to] = brought < lacking[link.to] ? lacking[link.to] - brought : 0;
        }
        for (const std::int64_t count : lacking)
            if (count > 0) return false;
        return true;
    };
    std::int64_t low = -1, high = INT64_MAX;
    while (high - 1 > low) {
        const std::int64_t middle = low < 0 ? high / 2 : low + (high - low) / 2;
        (suffices(middle) ? high : low) = middle;
    }
    return high;
}

}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
