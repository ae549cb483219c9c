#include "collsched/collective/broadcast/circulant.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>

#include "collsched/core/bits.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/oracle.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using broadcast::circulant;

namespace {

/// A broadcast in `pieces` pieces of up to `segment` bytes, the last ones a little shorter.
circulant in_pieces(rank_t p, rank_t root, rank_t pieces, bytes_t segment = 5) {
    return {.ranks = p, .root = root, .bytes = pieces * segment - (pieces > 1 ? 2 : 0), .segment = segment};
}

template <class>
struct proved_up_to_17;
template <rank_t... I>
struct proved_up_to_17<std::integer_sequence<rank_t, I...>> {
    template <rank_t Ranks>
    static constexpr bool at =
        proved<verify(circulant{.ranks = Ranks, .bytes = 9})> &&
        proved<verify(circulant{.ranks = Ranks, .root = Ranks - 1, .bytes = 22, .segment = 8})> &&
        proved<verify(circulant{.ranks = Ranks, .root = Ranks / 2, .bytes = 16, .element = 2, .segment = 4},
                      binding::in_place)>;
    static constexpr bool value = (at<I + 1> && ...);
};

}  // namespace

static_assert(support::has_parameters<broadcast::circulant>());
static_assert(proved_up_to_17<std::make_integer_sequence<rank_t, 17>>::value);

TEST_CASE("broadcast::circulant: the caller chooses the window, which changes no edge") {
    const circulant x = in_pieces(11, 2, 6);
    circulant paced = x;
    paced.window = 3;
    CHECK(lower(x).pacing() == pacing{0});
    CHECK(lower(paced).pacing() == pacing{3});
    const metrics_report free = support::measured(x), limited = support::measured(paced);  // verified too
    CHECK(limited.messages == free.messages);
    CHECK(limited.rounds == free.rounds);
    paced.window = -1;
    CHECK(std::string(check(paced).argument) == "window");
}

TEST_CASE("broadcast::circulant: S-1+q rounds, S messages to every rank but the root and all bytes once, for every p") {
    for (rank_t p = 1; p <= support::most(300); ++p)
        for (const rank_t pieces : {1, 2, 3, 5, 8, 13, 20}) {
            if (p > 64 && (p + pieces) % 7 != 0) continue;
            CAPTURE(p);
            CAPTURE(pieces);
            const circulant x = in_pieces(p, p / 3, pieces);
            const metrics_report m = support::measured(x);
            CHECK(x.pieces() == pieces);
            CHECK(m.rounds == (p == 1 ? 0 : pieces - 1 + ceil_log2(p)));
            CHECK(m.messages == (p - 1) * pieces);
            CHECK(m.max_in_degree <= 1);
            CHECK(m.max_out_degree <= 1);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_received[r] == (r == p / 3 ? 0 : x.bytes));
                CHECK(m.connections[r] <= 2 * ceil_log2(p));
            }
        }
}

TEST_CASE("broadcast::circulant: verified for every p up to 64 and for larger ones, bound separately and in place") {
    for (rank_t p = 1; p <= support::most(300); ++p)
        for (const rank_t pieces : {1, 2, 3, 5, 8, 13, 20}) {
            if (p > 64 && (p + pieces) % 11 != 0) continue;
            CAPTURE(p);
            CAPTURE(pieces);
            CHECK(support::verified(in_pieces(p, 0, pieces)).ok());
            CHECK(support::verified(in_pieces(p, p - 1, pieces), binding::in_place).ok());
        }
}

TEST_CASE("broadcast::circulant: verified from every root") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root)
            for (const rank_t pieces : {1, 4, 7}) {
                CAPTURE(p);
                CAPTURE(root);
                CHECK(support::verified(in_pieces(p, root, pieces)).ok());
            }
}

TEST_CASE("broadcast::circulant: verified for every p at which an iterative form of the search fails") {
    for (const rank_t p : {33,  65,  66,  67,  69,  73,  81,  129, 130, 131, 132, 133, 134, 135, 137,
                           138, 139, 141, 145, 146, 147, 149, 153, 161, 162, 163, 165, 169, 177, 257})
        for (const rank_t pieces : {1, 9, 10}) {
            CAPTURE(p);
            CHECK(support::verified(in_pieces(p, 5, pieces)).ok());
        }
}

TEST_CASE("broadcast::circulant: correct by the oracle") {
    for (const rank_t p : {1, 2, 3, 5, 6, 9, 17, 20})
        for (const rank_t pieces : {1, 3, 6})
            for (const binding how : {binding::separate, binding::in_place})
                CHECK(support::replays(in_pieces(p, p / 2, pieces, 2), how));
}

TEST_CASE("broadcast::circulant: no element is split, no piece exceeds a segment, and no message is empty") {
    for (const edge& e : edges(circulant{.ranks = 7, .bytes = 88, .element = 8, .segment = 24})) {
        CHECK(e.size % 8 == 0);
        CHECK(e.from_offset % 8 == 0);
        if (!e.is_local()) CHECK(e.size <= 24);
    }
    CHECK(support::measured(circulant{.ranks = 7, .segment = 24}).messages == 0);
    CHECK(support::verified(circulant{.ranks = 7, .segment = 24}).ok());
    CHECK(support::verified(circulant{.ranks = 9, .bytes = 3, .segment = 1}).ok());
    CHECK(check(circulant{.ranks = 7, .bytes = 88, .element = 8, .segment = 12}).value == 12);
    CHECK(check(circulant{.ranks = 7, .bytes = INT64_MAX, .segment = 1}).value == 1);
    CHECK(check(circulant{.ranks = 7, .root = 7}).value == 7);
}

TEST_CASE("broadcast::circulant: one rank of very many gets every piece once, at no cost of O(p)") {
    for (const rank_t p : {(rank_t{1} << 20) + 1, (rank_t{1} << 40) - 3, (rank_t{1} << 61) + 12345})
        for (const rank_t r : {rank_t{1}, p / 7, p - 1}) {
            CAPTURE(p);
            CAPTURE(r);
            const circulant x{.ranks = p, .bytes = 1000, .segment = 1};
            std::set<bytes_t> held;
            bool once = true, holds = true;
            step_t last = -1;
            for (const edge& e : program(x, r)) {
                if (e.dst == r) once = held.insert(e.into_offset).second && last < e.step && once;
                else holds = holds && held.contains(e.from_offset);
                if (e.dst == r) last = e.step;
                CHECK(e.size == 1);
            }
            CHECK(once);
            CHECK(holds);
            CHECK(held.size() == 1000);
            CHECK(lower(x).steps() == 999 + ceil_log2(p));
        }
}
