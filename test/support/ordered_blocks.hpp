#pragma once

#include <doctest/doctest.h>

#include <vector>

#include "support/layouts.hpp"
#include "support/matrix_products.hpp"
#include "support/oracle.hpp"
#include "support/verified.hpp"

namespace support {

using namespace collsched;

/// A reduce_scatter that keeps the order of operands for every number of ranks: proofs for every layout (more than 32
/// ranks: two of them), separate and in place (one rank only where its block begins at the first byte: else output
/// overlaps it); few ranks also byte by byte.
template <class A>
void check_keeps_order() {
    static_assert(!A::info.commutative);
    for (rank_t p = 1; p <= 64; ++p)
        for (const auto& [name, layout] : layouts(p, p <= 10 ? 2 : 4)) {
            if (p > 32 && name != "equal" && name != "shuffled gaps") continue;
            INFO(name, " p=", p);
            const A x{.ranks = p, .block = layout};
            CHECK(lower(x).contract() ==
                  contract{.collective = collective::reduce_scatter, .ranks = p, .blocks = layout});
            for (const binding binding : {binding::separate, binding::in_place}) {
                if (p == 1 && binding == binding::in_place && layout.displ(0) > 0) continue;
                CHECK(verified(x, binding) == verdict{});
                if (p <= 10 && name != "huge") CHECK(replays(x, binding));
            }
        }
    for (const rank_t p : {127, 128, 129, 200}) {
        CHECK(verified(A{.ranks = p, .block = 5}).ok());
        CHECK(verified(A{.ranks = p, .block = layouts(p).back().blocks}, binding::in_place).ok());
    }
}

/// Checks real products with equal blocks and in an irregular layout with gaps, and that another order is found.
template <class A>
void check_products() {
    for (const rank_t p : {1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 31, 33}) {
        std::vector<bytes_t> counts(static_cast<std::size_t>(p));
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<bytes_t>(i * 2 % 5) * matrix_bytes;
        for (const block_layout& layout : {block_layout(2 * matrix_bytes), shuffled(counts, 3, p == 1 ? 0 : 40)}) {
            CAPTURE(p);
            const A x{.ranks = p, .block = layout};
            CHECK(wrong_product(x, binding::separate) == "");
            CHECK(wrong_product(x, binding::in_place) == "");
            if (p == 1) continue;
            const stored_schedule other = operands_swapped(x);
            CHECK(verified(other).finding == verdict::kind::operand_order);
            CHECK(wrong_product(other, binding::separate).starts_with("a wrong product"));
        }
    }
}

}  // namespace support
