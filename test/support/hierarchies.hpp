#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "support/messages.hpp"
#include "support/placements.hpp"

namespace support {

using namespace collsched;

/// The tested roots on a placement of p ranks: all for few ranks, else first, middle and last.
template <class F>
void for_each_root_and_placement(rank_t most, F f) {
    for_each_placement(most, [&](rank_t p, const named_placement& on) {
        INFO(on.name, " p=", p);
        for (const rank_t root : roots_of(p)) f(p, root, on.where);
    });
}

/// A broadcast or reduce, make(p, root, bytes, element, placement): right on any placement, from any root. A reduce
/// keeps the order of operands where the root is 0 and every node holds neighbors.
template <class Make>
void check_rooted_on_placements(const Make& make, collective kind, rank_t most) {
    for_each_root_and_placement(most, [&](rank_t p, rank_t root, const topology::placement& where) {
        const bool in_order = root == 0 && crowd(where, p).neighbors();
        for (const auto& [bytes, element] : {message_size{0, 1}, {9, 3}, {7 * p, 1}})
            check_proved(make(p, root, bytes, element, where),
                         {.collective = kind,
                          .ranks = p,
                          .root = root,
                          .bytes = bytes,
                          .element = element,
                          .commutative = kind == collective::reduce && !in_order});
    });
}

inline constexpr auto never = [](rank_t, const topology::placement&) { return false; };

/// A collective of blocks, make(p, root, layout, placement): right on any placement, from any root; every layout for
/// few ranks, at each turn others for more. reorders(p, placement) returns whether operands are combined in any order.
template <class Make, class Reorders = decltype(never)>
void check_blocks_on_placements(const Make& make, collective kind, rank_t most, const Reorders& reorders = never) {
    std::size_t turn = 0;
    const auto check_at = [&](rank_t p, rank_t root, const topology::placement& where) {
        const std::vector<named_layout> all = layouts(p, 2);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (p > 4 && (i + turn) % 5 != 0) continue;
            const auto& [name, layout] = all[i];
            CAPTURE(name);
            // Input and output would overlap.
            if (p == 1 && kind == collective::reduce_scatter && layout.displ(0) > 0) continue;
            check_proved(
                make(p, root, layout, where),
                {.collective = kind, .ranks = p, .root = root, .blocks = layout, .commutative = reorders(p, where)});
        }
        ++turn;
    };
    if (is_rooted(kind)) return for_each_root_and_placement(most, check_at);
    for_each_placement(most, [&](rank_t p, const named_placement& on) {
        INFO(on.name, " p=", p);
        check_at(p, 0, on.where);
    });
}

/// A placement for proofs: one node with two runs of ranks, one without ranks, and one with one rank.
template <rank_t Ranks>
constexpr topology::placement awkward_placement() {
    std::array<rank_t, static_cast<std::size_t>(Ranks)> seats{};
    for (std::size_t r = 0; r < seats.size(); ++r) seats[r] = r == 1 ? 4 : r % 5 < 3 ? 2 : 0;
    return topology::placement::list(seats, 5);
}

/// Checks the errors that a hierarchical algorithm reports for its placement. Its other parameters must be valid for 4 ranks.
template <class Algorithm>
void check_placement_errors(Algorithm right) {
    right.ranks = 4;
    right.placement = placed_as("ABBA");
    CHECK(!check(right));
    Algorithm other = right;
    other.placement = placed_as("ABAB");
    CHECK(fingerprint(right) != fingerprint(other));
    Algorithm wrong = right;
    wrong.ranks = 3;
    CHECK(check(wrong).argument == std::string("placement"));
    wrong.ranks = 0;
    CHECK(check(wrong).argument == std::string("ranks"));
    wrong = right;
    wrong.placement = topology::placement::block(4, 0);
    CHECK(check(wrong).argument == std::string("nodes"));
    wrong.placement = topology::placement::cyclic(5, 2);
    CHECK(check(wrong).value == 5);
}

}  // namespace support
