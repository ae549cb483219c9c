#include "collsched/collective/broadcast/split_binary_tree.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/tree/k_ary.hpp"
#include "support/brief.hpp"
#include "support/busy_steps.hpp"
#include "support/messages.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using broadcast::split_binary_tree;

static_assert(support::has_parameters<split_binary_tree>());
static_assert(support::rooted_proved_up_to<support::of_root<split_binary_tree>, 7>);
static_assert(proved<verify(split_binary_tree{.ranks = 12, .root = 5, .bytes = 60, .element = 4, .segment = 8})>);

TEST_CASE("broadcast::split_binary_tree: correct for every root, number of ranks and of pieces") {
    support::check_rooted(support::of_root<split_binary_tree>, collective::broadcast, 40);
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const bytes_t bytes : {0, 1, 2, 7, 30})
            for (const bytes_t segment : {0, 1, 4, 5}) {
                CAPTURE(p);
                CAPTURE(bytes);
                CAPTURE(segment);
                CHECK(
                    support::verified(split_binary_tree{.ranks = p, .root = p / 2, .bytes = bytes, .segment = segment})
                        .ok());
            }
}

TEST_CASE("broadcast::split_binary_tree: rounds and bytes equal their formulas") {
    for (rank_t p = 2; p <= support::most(130); ++p)
        for (const rank_t pieces : {2, 4, 5, 10}) {
            CAPTURE(p);
            CAPTURE(pieces);
            const split_binary_tree b{.ranks = p, .root = p / 3, .bytes = 80, .segment = pieces == 2 ? 0 : 80 / pieces};
            const metrics_report m = support::measured(b);
            const rank_t tree_size = pieces % 2 == 0 ? (p - 1) / 2 : p / 2;
            CHECK(m.rounds == (p == 2 ? 2 : pieces + 1 + trees::k_ary{2}.steps(tree_size)));
            CHECK(lower(b).steps() == m.rounds);
            const bytes_t longer = pieces % 2 == 0 ? 0 : 80 / pieces,
                          at_root = p % 2 == 0 && p > 2 ? 120 - longer / 2 : 80;
            CHECK(m.max_in_degree <= 1);
            CHECK(m.max_out_degree <= 1);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_received[r] == (r == p / 3 ? 0 : 80));
                CHECK(m.bytes_sent[r] <= 120 + 3 * longer / 2);
            }
            CHECK(m.bytes_sent[p / 3] == at_root);
        }
}

TEST_CASE("broadcast::split_binary_tree: a half goes down each tree, then partners exchange them") {
    for (rank_t p = 3; p <= 40; ++p) {
        std::vector<rank_t> senders(static_cast<std::size_t>(p), -1);
        const split_binary_tree b{.ranks = p, .bytes = 16};
        rank_t exchanged = 0;
        std::vector<edge> messages;
        for (const edge& e : edges(b))
            if (!e.is_local()) messages.push_back(e);
        std::ranges::stable_sort(messages, {}, &edge::step);
        for (const edge& e : messages) {
            CHECK(e.size == 8);
            rank_t& sender = senders[static_cast<std::size_t>(e.dst)];
            const bytes_t own_half = e.dst % 2 == 1 ? 0 : 8;
            if (e.step + 1 < lower(b).steps()) {
                CHECK(sender == -1);
                CHECK(e.into_offset == own_half);
                const rank_t place = (e.dst - 1) / 2;
                CHECK(e.src == (place == 0 ? 0 : (place - 1) / 2 * 2 + (e.dst % 2 == 1 ? 1 : 2)));
                sender = e.src;
            } else {
                CHECK(sender != -1);
                CHECK(e.into_offset == 8 - own_half);
                CHECK(e.src == (p % 2 == 0 && e.dst == p - 1 ? 0 : e.dst % 2 == 1 ? e.dst + 1 : e.dst - 1));
                ++exchanged;
            }
        }
        CHECK(exchanged == p - 1);
    }
}

TEST_CASE("broadcast::split_binary_tree: no piece is longer than a segment, no element is split") {
    const split_binary_tree b{.ranks = 9, .bytes = 72, .element = 8, .segment = 16};
    const step_t last = lower(b).steps() - 1;
    for (const edge& e : edges(b)) {
        CHECK(e.size % 8 == 0);
        if (!e.is_local() && e.step < last) CHECK(e.size <= 16);
    }
}

TEST_CASE("broadcast::split_binary_tree: too many ranks or segments are reported") {
    CHECK(check(split_binary_tree{.ranks = rank_t{1} << 61}).argument == std::string("ranks"));
    CHECK(check(split_binary_tree{.ranks = 3, .bytes = INT64_MAX, .segment = 1}).argument == std::string("segment"));
    CHECK(check(split_binary_tree{.ranks = 3, .root = 3}).argument == std::string("root"));
}

TEST_CASE("broadcast::split_binary_tree: a rank is busy from its first message to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(support::busy_in_used_steps(
                lower(split_binary_tree{.ranks = p, .root = root, .bytes = 24, .segment = 4})));
        }
}
