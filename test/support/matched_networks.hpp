#pragma once

#include <doctest/doctest.h>

#include <cstdint>

#include "collsched/tree/planned_forest.hpp"
#include "support/layouts.hpp"
#include "support/transfer_oracle.hpp"
#include "support/verified.hpp"

namespace support {

/// Returns the transfers of a network, for chunks of 1000 bytes.
inline trees::planned_transfers matched_on(const topology::network& net, std::int64_t parts) {
    return trees::match_chunks(net, {.bytes = 1000, .parts = parts}).plan;
}
/// Returns the transfers of a ring.
constexpr trees::planned_transfers matched_ring(rank_t ranks, std::int64_t parts) {
    return trees::match_chunks(topology::networks::ring(ranks, {.bandwidth = 1'000'000'000}),
                               {.bytes = 1000, .parts = parts})
        .plan;
}

/// Verifies an algorithm with transfers on networks with and without switches, for every layout, separate and in place.
/// @param plan  plan(net, parts) returns the transfers
template <class Algorithm>
void verify_on_networks(auto plan) {
    for (const auto& [name, net] : transfer_oracle::some_networks())
        for (std::int64_t parts = 1; parts <= 3; ++parts) {
            const trees::planned_transfers transfers = plan(net, parts);
            const rank_t p = net.ranks();
            REQUIRE(!transfers.check(p));
            for (const bytes_t element : {1, 4})
                for (const auto& [layout, blocks] : layouts(p, 5 * element)) {
                    Algorithm x{.ranks = p, .block = blocks, .element = element};
                    if constexpr (requires { x.transfers; }) x.transfers = transfers;
                    else x.of.transfers = transfers;
                    if (check(x)) continue;  // gaps that do not suit the element
                    INFO(name, " ", layout, " ", element, " ", parts);
                    CHECK(verified(x).ok());
                    if (p < 20) CHECK(verified(x, binding::in_place).ok());
                }
        }
}

}  // namespace support
