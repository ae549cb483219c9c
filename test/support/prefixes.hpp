#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>

#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/verify.hpp"
#include "support/oracle.hpp"
#include "support/proof_size.hpp"

namespace support {

using namespace collsched;

/// 6 bytes in elements of two; in segments, if a size is given.
template <class Algorithm, bytes_t Segment>
constexpr Algorithm of_elements(rank_t ranks) {
    if constexpr (Segment > 0) return {.ranks = ranks, .bytes = 6, .element = 2, .segment = Segment};
    else return {.ranks = ranks, .bytes = 6, .element = 2};
}

/// Proves a scan or exscan while compiling, bound separately and in place, for 1 .. 17 ranks.
template <class Algorithm, bytes_t Segment = 0,
          class = std::make_integer_sequence<rank_t, std::min<rank_t>(17, most_proved)>>
struct prefixes_up_to_17;
template <class Algorithm, bytes_t Segment, rank_t... I>
struct prefixes_up_to_17<Algorithm, Segment, std::integer_sequence<rank_t, I...>> {
    static constexpr bool value =
        (proved<verify(of_elements<Algorithm, Segment>(I + 1))>::value && ...) &&
        (proved<verify(of_elements<Algorithm, Segment>(I + 1), binding::in_place)>::value && ...);
};

/// Rank r ends with the inputs of the ranks 0 .. r (a scan) or 0 .. r-1, in this order, byte by byte: said here once
/// more, as the definition has it.
template <schedulable X>
bool promises_prefixes(const X& x, bytes_t bytes) {
    const contract promise = lower(x).contract();
    bool good = !promise.commutative;
    for (rank_t r = 0; r < promise.ranks; ++r) {
        const rank_t last = promise.what == collective::scan ? r + 1 : r;
        bytes_t told = 0;
        promise.results(r, [&](const result_range& part) {
            good = good && part.where == byte_range{0, bytes} && part.first == 0 && part.last == last && part.at == 0;
            told += part.where.size;
        });
        good = good && told == (last > 0 ? bytes : 0);
    }
    return good;
}

/// Right in both bindings: by the verifier, and for few bytes and ranks by a replay that shares nothing with it.
template <schedulable X>
void check_prefixes(const X& x, bytes_t bytes) {
    CHECK(promises_prefixes(x, bytes));
    for (const binding how : {binding::separate, binding::in_place}) {
        CHECK(verify(x, how).ok());
        if (lower(x).ranks <= 12 && bytes <= 6) CHECK(byte_oracle(materialise(x), how).right());
    }
}

/// Every number of ranks from 1 to `most`: 5 bytes, in an element and in several; with no bytes there are no edges.
template <class Algorithm>
void check_ranks(rank_t most) {
    for (rank_t p = 1; p <= most; ++p) {
        CAPTURE(p);
        check_prefixes(Algorithm{.ranks = p, .bytes = 5}, 5);
        if (p > 40) continue;
        check_prefixes(Algorithm{.ranks = p, .bytes = 5, .element = 5}, 5);
        check_prefixes(Algorithm{.ranks = p}, 0);
        CHECK(metrics(Algorithm{.ranks = p}).transfers == 0);
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

/// How often rank r combines, local combines and those of messages.
template <schedulable X>
std::int64_t combines(const X& x, rank_t r) {
    std::int64_t count = 0;
    for (const edge& e : program(x, r)) count += e.combines() && e.dst == r ? 1 : 0;
    return count;
}

/// Where in the scratch of a rank some edge reads or writes: up to the end of this many bytes.
template <schedulable X>
bytes_t scratch_used(const X& x, rank_t r) {
    bytes_t most = 0;
    for (const edge& e : program(x, r)) {
        if (e.dst == r && e.into == buffer::scratch) most = std::max(most, e.target().end());
        if (e.src == r && e.from == buffer::scratch) most = std::max(most, e.source().end());
    }
    return most;
}

}  // namespace support
