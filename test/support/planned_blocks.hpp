#pragma once

#include <doctest/doctest.h>

#include <string>

#include "support/clusters.hpp"
#include "support/layouts.hpp"
#include "support/verified.hpp"

namespace support {

/// Checks make(ranks, root, layout, cluster) on every cluster, for every layout, separate and in place.
template <class Make>
void check_planned_blocks(Make make) {
    for (const rank_t p : {1, 2, 3, 8, 13})
        for (const lob_model& cluster : clusters(p))
            for (const auto& [name, layout] : layouts(p))
                for (const rank_t root : {rank_t{0}, p - 1}) {
                    INFO(p, " ", name, " ", root);
                    const some_schedule planned = make(p, root, layout, cluster);
                    CHECK(verified(planned).ok());
                    CHECK(verified(planned, binding::in_place).ok());
                }
}

/// Checks that a cluster of another size, and wrong parameters, are rejected by name.
template <class Make>
void check_planned_refusals(Make make) {
    const lob_model cluster = clusters(4)[0];
    const auto error_of = [&](rank_t ranks, rank_t root, bytes_t block) {
        const argument_error error = check(make(ranks, root, block_layout(block), cluster));
        return std::string(error ? error.argument : "");
    };
    CHECK(error_of(4, 1, 8) == "");
    CHECK(error_of(3, 1, 8) == "cluster");
    CHECK(error_of(0, 0, 8) == "ranks");
    CHECK(error_of(4, 4, 8) == "root");
    CHECK(error_of(4, 1, -8) == "block");
}

}  // namespace support
