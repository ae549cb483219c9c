#include "collsched/combine/sequence.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/verify.hpp"
#include "support/composed.hpp"

using namespace collsched;
using support::all_edges;
using support::moves;
using support::as_it_is;
using support::gathered_and_sent;
using support::scattered_and_gathered;
using support::reduced_and_sent;
using support::reduced_in_parts;

TEST_CASE("collectives made of two") {
    for (rank_t p = 1; p <= 24; ++p)
        for (const rank_t root : {rank_t{0}, p / 2, p - 1}) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(verify(gathered_and_sent(p, root, 5)).ok());
            CHECK(verify(gathered_and_sent(p, root, block_layout::partition(2 * p + 1, p))).ok());
            CHECK(verify(gathered_and_sent(p, root, 5), binding::in_place).ok());
            for (const bytes_t bytes : {0, 1, 7, 100}) {
                CHECK(verify(scattered_and_gathered<allgather::ring>(p, root, bytes)).ok());
                CHECK(verify(scattered_and_gathered<allgather::bruck>(p, root, bytes)).ok());
                CHECK(verify(scattered_and_gathered<allgather::recursive_doubling>(p, root, bytes)).ok());
                CHECK(verify(reduced_and_sent(p, bytes)).ok());
                CHECK(verify(reduced_in_parts(p, bytes)).ok());
            }
        }
}

TEST_CASE("what does not fit together is found") {
    const auto both = gathered_and_sent(4, 1, 3);
    CHECK(!check(both));
    const contract one{.what = collective::broadcast, .ranks = 4, .bytes = 5}, other{.ranks = 4};
    const broadcast::over_tree<trees::chain> b{.ranks = 4, .bytes = 5};
    CHECK(std::string(check(then(place(b, as_it_is, one), place(b, as_it_is, other))).argument) == "contract");
    const contract fewer{.what = collective::broadcast, .ranks = 3, .bytes = 5};
    CHECK(check(place(b, as_it_is, fewer)).value == 3);
}

TEST_CASE("rounds, messages and bytes are the sums") {
    const auto whole = metrics(reduced_in_parts(7, 70));
    CHECK(whole.rounds == 12);
    CHECK(whole.messages == 2 * 7 * 6);
    for (rank_t r = 0; r < 7; ++r) CHECK(whole.bytes_sent[r] == 2 * 60);
}

TEST_CASE("it does not matter how three are grouped") {
    for (const rank_t p : {1, 2, 7, 12}) {
        const contract whole{.what = collective::broadcast, .ranks = p, .bytes = 12};
        const auto a = place(broadcast::over_tree<trees::chain>{.ranks = p, .bytes = 12}, as_it_is, whole);
        const auto b = place(broadcast::over_tree<trees::k_ary>{.ranks = p, .bytes = 12}, as_it_is, whole);
        const auto c = place(allgather::bruck{.ranks = p, .block = 1}, as_it_is, whole);
        CHECK(all_edges(then(then(a, b), c)) == all_edges(then(a, then(b, c))));
        CHECK(then(then(a, b), c).scratch(0) == then(a, then(b, c)).scratch(0));
        const step_t steps = a.steps() + b.steps() + c.steps();
        CHECK(then(a, then(b, c)).steps() == steps);
        for (rank_t r = 0; r < p; ++r)
            for (step_t k = 0; k < steps; ++k) CHECK(then(then(a, b), c).next(r, k) == then(a, then(b, c)).next(r, k));
    }
}

TEST_CASE("then and reverse: backwards, the second comes first") {
    for (const rank_t p : {1, 2, 5, 16}) {
        const contract whole{.what = collective::scatter, .ranks = p, .root = p / 3, .blocks = 4};
        const scatter::linear l{{.ranks = p, .root = p / 3, .block = 4}};
        const scatter::over_tree<trees::binomial> t{{.ranks = p, .root = p / 3, .block = 4}};
        const auto a = place(l, as_it_is, whole);
        const auto b = place(t, as_it_is, whole);
        CHECK(moves(reverse(then(a, b))) == moves(then(reverse(b), reverse(a))));
    }
}
