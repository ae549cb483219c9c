#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "collsched/core/bits.hpp"
#include "support/bracketings.hpp"
#include "support/oracle.hpp"
#include "support/parameters.hpp"
#include "support/prefixes.hpp"
#include "support/verified.hpp"

namespace support {

/// A butterfly of prefixes is correct for every number of ranks, in both bindings, with operands in order.
template <class Butterfly>
void check_prefixes() {
    static_assert(has_parameters<Butterfly>());
    static_assert(prefixes_up_to_17<Butterfly>::value);
    check_ranks<Butterfly>(300);
    check_elements([](rank_t p, bytes_t bytes, bytes_t element) {
        return Butterfly{.ranks = p, .bytes = bytes, .element = element};
    });
}

/// Every byte of its results is the canonical tree of its prefix.
template <class Butterfly>
void check_prefix_trees() {
    for (rank_t p = 1; p <= 40; ++p)
        for (const auto binding : {binding::separate, binding::in_place}) {
            CAPTURE(p);
            CHECK(wrong_tree(Butterfly{.ranks = p, .bytes = 2}, binding) == "");
        }
    for (const rank_t p : {64, 100}) CHECK(wrong_tree(Butterfly{.ranks = p, .bytes = 1}, binding::separate) == "");
}

/// It has ceil(log2 p) rounds of one message per rank, and scratch for sums that are used.
template <class Butterfly>
void check_prefix_rounds() {
    for (rank_t p = 1; p <= 300; ++p) {
        CAPTURE(p);
        const Butterfly x{.ranks = p, .bytes = 8};
        const metrics_report m = measured(x);
        CHECK(m.rounds == ceil_log2(p));
        CHECK(m.max_in_degree <= 1);
        CHECK(m.max_out_degree <= 1);
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.scratch[r] <= 16);
            CHECK(scratch_used(x, r) == m.scratch[r]);
        }
    }
}

/// No edge can be left out: every sum is used.
template <class Butterfly>
void check_prefix_uses() {
    for (rank_t p = 1; p <= 20; ++p) {
        const stored_schedule s = materialize(Butterfly{.ranks = p, .bytes = 1});
        for (std::size_t i = 0; i < s.edges().size(); ++i) {
            CAPTURE(p);
            CAPTURE(i);
            std::vector<edge> others(s.edges().begin(), s.edges().end());
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            CHECK(!verify(with_edges(s, others)).ok());
        }
    }
}

/// Sizes whose scratch exceeds 64 bits are rejected.
template <class Butterfly>
void check_prefix_sizes() {
    CHECK(check(Butterfly{.ranks = 4, .bytes = bytes_t{1} << 62}).value == bytes_t{1} << 62);
    CHECK(!check(Butterfly{.ranks = 4, .bytes = (bytes_t{1} << 62) - 1}));
}

}  // namespace support
