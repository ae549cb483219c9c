#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/verify/verify.hpp"
#include "support/proof_size.hpp"
#include "support/some_schedule.hpp"
#include "support/verified.hpp"

namespace support {

using namespace collsched;

/// 6 bytes in elements of two; in segments, if a size is given.
template <class Algorithm, bytes_t Segment>
constexpr Algorithm of_elements(rank_t ranks) {
    if constexpr (Segment > 0) return {.ranks = ranks, .bytes = 6, .element = 2, .segment = Segment};
    else return {.ranks = ranks, .bytes = 6, .element = 2};
}

/// Proves a scan or exscan at compile time, bound separately and in place, for 1 .. 17 ranks.
template <class Algorithm, bytes_t Segment = 0,
          class = std::make_integer_sequence<rank_t, std::min<rank_t>(17, most_proved)>>
struct prefixes_up_to_17;
template <class Algorithm, bytes_t Segment, rank_t... I>
struct prefixes_up_to_17<Algorithm, Segment, std::integer_sequence<rank_t, I...>> {
    static constexpr bool value = (proved<verify(of_elements<Algorithm, Segment>(I + 1))> && ...) &&
                                  (proved<verify(of_elements<Algorithm, Segment>(I + 1), binding::in_place)> && ...);
};

/// Checks x in both bindings by the verifier, and for few bytes and ranks by a replay that shares no code with it. Rank r
/// ends with the inputs of the ranks 0 .. r (a scan) or 0 .. r-1, in this order, byte by byte, as in the definition.
void check_prefixes(const some_schedule& x, bytes_t bytes);

/// Checks every number of ranks from 1 to `most`: 5 bytes, in an element and in several; with no bytes there are no edges.
template <class Algorithm>
void check_ranks(rank_t most) {
    for (rank_t p = 1; p <= most; ++p) {
        CAPTURE(p);
        check_prefixes(Algorithm{.ranks = p, .bytes = 5}, 5);
        if (p > 40) continue;
        check_prefixes(Algorithm{.ranks = p, .bytes = 5, .element = 5}, 5);
        check_prefixes(Algorithm{.ranks = p}, 0);
        CHECK(measured(Algorithm{.ranks = p}).transfers == 0);
    }
}

/// Elements of 1 .. 24 bytes, an odd number of them, and never a part of one in an edge.
template <class Make>
void check_elements(const Make& make) {
    for (bytes_t element = 1; element <= 24; ++element)
        for (const rank_t p : {1, 2, 3, 6, 13})
            for (const bytes_t count : {1, 7, 13}) {
                CAPTURE(element);
                CAPTURE(p);
                const auto x = make(p, count * element, element);
                check_prefixes(x, count * element);
                for (const edge& e : edges(x)) {
                    CHECK(e.size % element == 0);
                    CHECK(e.from_offset % element == 0);
                    CHECK(e.into_offset % element == 0);
                }
            }
}

/// The number of combines of rank r, local ones and those of messages.
std::int64_t combines(const some_schedule& x, rank_t r);

/// The number of bytes up to the last one that an edge reads or writes in the scratch of a rank.
bytes_t scratch_used(const some_schedule& x, rank_t r);

}  // namespace support
