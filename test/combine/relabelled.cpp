#include "collsched/combine/relabelled.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/composed.hpp"
#include "support/samples.hpp"

using namespace collsched;
using support::all_edges;

TEST_CASE("by a permutation and back nothing changes, and what was right stays right") {
    for (const rank_t p : {1, 2, 5, 8, 9}) {
        std::vector<rank_t> to(static_cast<std::size_t>(p));
        for (std::size_t v = 0; v < to.size(); ++v) to[v] = (p - 1 - static_cast<rank_t>(v) + p / 3) % p;
        const permutation order{to};
        REQUIRE(!order.check(p));
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto renamed = relabel(s, order);
            CHECK(all_edges(relabel(renamed, order.inverse())) == all_edges(s));
            for (const binding how : {binding::separate, binding::in_place})
                CHECK(verify(renamed, how).ok() == verify(s, how).ok());
            for (rank_t r = 0; r < p; ++r) {
                CHECK(renamed.scratch(order.rank(r)) == s.scratch(r));
                CHECK(renamed.contract().input_bytes(order.rank(r)) == s.contract().input_bytes(r));
                CHECK(order.virtual_rank(order.rank(r)) == r);
            }
        }
    }
}

TEST_CASE("once by two permutations is twice, and wrong permutations are told") {
    const std::vector<rank_t> a{1, 2, 3, 4, 0}, b{4, 3, 0, 1, 2}, both{3, 0, 1, 2, 4};
    for (const auto& [name, s] : support::samples(5)) {
        INFO(name);
        CHECK(all_edges(relabel(relabel(s, permutation(a)), permutation(b))) ==
              all_edges(relabel(s, permutation(both))));
    }
    const allgather::ring ring{.ranks = 3, .block = 1};
    CHECK(check(relabel(ring, permutation(a))).value == 5);
    const std::vector<rank_t> twice{0, 1, 1}, beyond{0, 3, 1};
    CHECK(check(relabel(ring, permutation(twice))).index == 2);
    CHECK(check(relabel(ring, permutation(beyond))).value == 3);
}

TEST_CASE("a contract for another number of ranks is refused") {
    const std::vector<rank_t> order{1, 0};
    const contract three{.what = collective::allgather, .ranks = 3, .blocks = 1};
    CHECK(check(relabel(allgather::ring{.ranks = 2, .block = 1}, permutation(order), three)).value == 3);
}
