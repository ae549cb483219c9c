#include "collsched/collective/broadcast/detail/forest_pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collsched/tree/planned_forest.hpp"
#include "support/random_forest.hpp"

using namespace collsched;
using broadcast::detail::forest_cargo;
using broadcast::detail::forest_piece;
using broadcast::detail::pieces_of;
using broadcast::detail::share;

static_assert(schedule<broadcast::detail::forest_pipeline<trees::planned_forest>>);
static_assert(schedule<broadcast::detail::forest_pipeline<trees::planned_transfers>>);

TEST_CASE("forest_pipeline: shares are exact for numbers near 2^63") {
    static_assert(share(10, 1, 3) == 3);
    static_assert(share(INT64_MAX, INT64_MAX, INT64_MAX) == INT64_MAX);
    static_assert(share(INT64_MAX, 1, INT64_MAX) == 1);
    static_assert(share(INT64_MAX, INT64_MAX - 1, INT64_MAX) == INT64_MAX - 1);
    static_assert(share(0, 5, 7) == 0);
}

TEST_CASE("forest_pipeline: the pieces of a root follow each other, in proportion to the weights up to one element") {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{1000}, INT64_MAX}) {
        const trees::forest forest = support::random_forest(static_cast<std::uint64_t>(n), 7, 5);
        const owned_array<forest_piece> pieces = pieces_of(forest, [&](rank_t root) { return root % 3 == 1 ? 0 : n; });
        std::int64_t next = 0;
        for (std::int64_t t = 0; t < pieces.size(); ++t) {
            const trees::forest::tree& one = forest.trees[t];
            if (t > 0 && one.root != forest.trees[t - 1].root) next = 0;
            CHECK(pieces[t].root == one.root);
            CHECK(pieces[t].first == next);
            const std::int64_t exact = share(one.root % 3 == 1 ? 0 : n, one.weight, forest.total);
            CHECK((pieces[t].count == exact || pieces[t].count == exact + 1));
            next += pieces[t].count;
            if (t + 1 == pieces.size() || forest.trees[t + 1].root != one.root)
                CHECK(next == (one.root % 3 == 1 ? 0 : n));
        }
    }
}

TEST_CASE("forest_pipeline: the parts of a block follow each other and differ by one element at most") {
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{2}, std::int64_t{1000}, INT64_MAX}) {
        const trees::transfer_plan plan{.ranks = 3, .parts = 4, .transfers = {}, .hops = {}};
        const owned_array<forest_piece> pieces = pieces_of(plan, [&](rank_t root) { return root == 1 ? 0 : n; });
        REQUIRE(pieces.size() == 12);
        for (std::int64_t c = 0; c < 12; ++c) {
            const std::int64_t all = c / 4 == 1 ? 0 : n;
            const forest_piece& one = pieces[c];
            CHECK(one.root == c / 4);
            CHECK(one.first == (c % 4 == 0 ? 0 : pieces[c - 1].first + pieces[c - 1].count));
            CHECK((one.count == all / 4 || one.count == all / 4 + 1));
            if (c % 4 == 3) CHECK(one.first + one.count == all);
        }
    }
}

TEST_CASE("forest_pipeline: all pieces have as many segments, the first of which is not empty") {
    const trees::forest forest = support::random_forest(5, 6, 5);
    for (const std::int64_t n : {1, 2, 9, 100, 1001})
        for (const std::int64_t most : {0, 1, 3, 50}) {
            const forest_cargo cargo(trees::planned_forest(forest), pieces_of(forest, [&](rank_t) { return n; }), most);
            std::int64_t largest = 0;
            for (const forest_piece& one : cargo.pieces) largest = std::max(largest, one.count);
            CHECK(cargo.segments == (most == 0 ? 1 : (largest + most - 1) / most));
            for (std::int64_t t = 0; t < cargo.pieces.size(); ++t) {
                std::int64_t next = cargo.pieces[t].first;
                for (step_t s = 0; s < cargo.segments; ++s) {
                    const forest_piece one = cargo.segment(t, s);
                    CHECK(one.first == next);
                    if (most > 0) CHECK(one.count <= most);
                    if (s == 0 || cargo.pieces[t].count >= cargo.segments)
                        CHECK((one.count > 0) == (cargo.pieces[t].count > 0));
                    next += one.count;
                }
                CHECK(next == cargo.pieces[t].first + cargo.pieces[t].count);
            }
        }
}

TEST_CASE("forest_pipeline: every rank that sends bytes needs trees, if there is another rank") {
    using broadcast::detail::check_roots;
    for (rank_t p = 1; p <= 4; ++p)
        for (rank_t only = 0; only < p; ++only) {
            const trees::planned_forest forest = support::random_forest(3, p, 4, only);
            for (rank_t sender = 0; sender < p; ++sender) {
                const argument_error error = check_roots(forest, p, [&](rank_t r) { return r == sender; });
                CAPTURE(p);
                if (p == 1 || sender == only) CHECK(!error);
                else CHECK(error.index == sender);
            }
            CHECK(!check_roots(forest, p, [](rank_t) { return false; }));
            CHECK(check_roots(forest, p + 1, [](rank_t) { return false; }));
        }
    const trees::planned_forest none;
    CHECK(!check_roots(none, 1, [](rank_t) { return true; }));
}
