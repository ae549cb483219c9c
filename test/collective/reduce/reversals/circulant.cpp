#include "collsched/collective/reduce/reversals.hpp"

#include <doctest/doctest.h>

#include <utility>

#include "collsched/core/bits.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/oracle.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using reduce::circulant;

static_assert(support::has_parameters<reduce::circulant>());

namespace {

circulant in_pieces(rank_t p, rank_t root, rank_t pieces, bytes_t element = 1) {
    return {.ranks = p,
            .root = root,
            .bytes = (pieces * 5 - (pieces > 1 ? 2 : 0)) * element,
            .element = element,
            .of = {.segment = 5 * element}};
}

template <class>
struct proved_up_to_17;
template <rank_t... I>
struct proved_up_to_17<std::integer_sequence<rank_t, I...>> {
    template <rank_t Ranks>
    static constexpr bool at =
        proved<verify(circulant{.ranks = Ranks, .root = Ranks / 2, .bytes = 9})> &&
        proved<verify(circulant{.ranks = Ranks, .root = Ranks - 1, .bytes = 22, .of = {.segment = 8}})>;
    static constexpr bool value = (at<I + 1> && ...);
};

}  // namespace

static_assert(detail::same_text(circulant::info.name, "circulant") && circulant::info.commutative);
static_assert(proved_up_to_17<std::make_integer_sequence<rank_t, 17>>::value);

TEST_CASE("reduce::circulant: S-1+q rounds, and every rank but the root sends all bytes once, for every p") {
    for (rank_t p = 1; p <= support::most(300); ++p)
        for (const rank_t pieces : {1, 2, 3, 5, 8, 13, 20}) {
            if (p > 64 && (p + pieces) % 11 != 0) continue;
            CAPTURE(p);
            CAPTURE(pieces);
            const circulant x = in_pieces(p, p / 3, pieces);
            const metrics_report m = support::measured(x);
            CHECK(m.rounds == (p == 1 ? 0 : pieces - 1 + ceil_log2(p)));
            CHECK(m.messages == (p - 1) * pieces);
            CHECK(m.max_in_degree <= 1);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == (r == p / 3 ? 0 : x.bytes));
                CHECK(m.scratch[r] == (r == p / 3 ? 0 : x.bytes));
                CHECK(lower(x).staging(r) <= 5);
            }
        }
}

TEST_CASE("reduce::circulant: verified for every p up to 64 and for larger ones, bound separately and in place") {
    for (rank_t p = 1; p <= support::most(300); ++p)
        for (const rank_t pieces : {1, 2, 3, 5, 8, 13, 20}) {
            if (p > 64 && (p + pieces) % 17 != 0) continue;
            CAPTURE(p);
            CAPTURE(pieces);
            CHECK(support::verified(in_pieces(p, 0, pieces)).ok());
            CHECK(support::verified(in_pieces(p, p / 2, pieces), binding::in_place).ok());
        }
}

TEST_CASE("reduce::circulant: verified to every root, and for every p at which an iterative form of the search fails") {
    for (rank_t p = 1; p <= 16; ++p)
        for (rank_t root = 0; root < p; ++root) CHECK(support::verified(in_pieces(p, root, 4)).ok());
    for (const rank_t p : {33, 65, 66, 67, 69, 73, 81, 129, 130, 131, 132, 133, 134, 135, 257}) {
        CAPTURE(p);
        CHECK(support::verified(in_pieces(p, 5, 9)).ok());
    }
}

TEST_CASE("reduce::circulant: correct by the oracle, and no element is split") {
    for (const rank_t p : {1, 2, 3, 5, 6, 9, 17})
        for (const binding how : {binding::separate, binding::in_place})
            CHECK(support::replays(in_pieces(p, p / 2, 4), how));
    for (const edge& e : edges(in_pieces(11, 3, 4, 8))) {
        CHECK(e.size % 8 == 0);
        CHECK(e.into_offset % 8 == 0);
    }
}
