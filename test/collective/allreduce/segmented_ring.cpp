#include "collsched/collective/allreduce/segmented_ring.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::segmented_ring;

namespace {

/// In segments of so many elements.
template <bytes_t Elements>
constexpr auto in_segments = [](rank_t p, bytes_t bytes, bytes_t element) {
    return segmented_ring{.ranks = p, .bytes = bytes, .element = element, .segment = Elements * element};
};

}  // namespace

static_assert(support::has_parameters<allreduce::segmented_ring>());
static_assert(support::allreduce_proved_up_to<in_segments<3>, 5>);
static_assert(support::allreduce_proved_up_to<in_segments<0>, 7>);

TEST_CASE(
    "allreduce::segmented_ring: correct for every number of ranks, in one and several pieces, same bits on all ranks") {
    CHECK(support::check_allreduce(in_segments<0>, false, 24) == 24);
    CHECK(support::check_allreduce(in_segments<1>, false, 9) == 9);
    CHECK(support::check_allreduce(in_segments<20>, false, 64) == 64);
    support::check_sums(in_segments<2>);
}

TEST_CASE(
    "allreduce::segmented_ring: (S+1)(p-1) rounds of 1 or 2 messages per rank, 2 m (p-1)/p bytes up to rounding") {
    for (rank_t p = 2; p <= support::most(40); ++p)
        for (const std::int64_t elements : {3 * p, 5 * p - 1})
            for (const std::int64_t in_one : {p, 2 * p, 6 * p}) {
                CAPTURE(p);
                CAPTURE(elements);
                CAPTURE(in_one);
                const segmented_ring x{.ranks = p, .bytes = 8 * elements, .element = 8, .segment = 8 * in_one};
                const rank_t pieces = (elements + in_one - 1) / in_one;
                bytes_t least = 0, most = 0;
                for (rank_t i = 0; i < pieces; ++i) {
                    const support::parts_moved moved{p, elements / pieces + (i < elements % pieces ? 1 : 0)};
                    least += moved.least(), most += moved.most();
                }
                support::check_traffic(x, (pieces + 1) * (p - 1), least, most);
                CHECK(x.pieces() == pieces);
                const metrics_report m = support::measured(x);
                CHECK(m.max_out_degree == (p > 2 && pieces > 1 ? 2 : 1));
                CHECK(m.max_in_degree == m.max_out_degree);
            }
    support::check_traffic(segmented_ring{.ranks = 7, .bytes = 0, .segment = 4}, 0, 0, 0);
}

TEST_CASE("allreduce::segmented_ring: no piece is longer than a segment") {
    for (const bytes_t segment : {8, 24, 64}) {
        const segmented_ring x{.ranks = 3, .bytes = 8 * 29, .element = 8, .segment = segment};
        for (const edge& e : edges(x)) {
            CHECK(e.size <= segment);
            CHECK(e.size % 8 == 0);
        }
    }
}

TEST_CASE("allreduce::segmented_ring: wrong parameters are reported") {
    CHECK(check(segmented_ring{.ranks = 0, .bytes = 8, .segment = 4}).argument == std::string("ranks"));
    CHECK(check(segmented_ring{.ranks = 3, .bytes = -1, .segment = 4}).argument == std::string("bytes"));
    CHECK(check(segmented_ring{.ranks = 3, .bytes = 8, .segment = -4}).argument == std::string("segment"));
    CHECK(check(segmented_ring{.ranks = 3, .bytes = 8, .element = 4, .segment = 6}).argument == std::string("segment"));
    CHECK(check(segmented_ring{.ranks = 3, .bytes = 8, .element = 3, .segment = 6}).argument == std::string("element"));
    constexpr bytes_t most = ((bytes_t{1} << 62) - 1) / 3 - 2;
    CHECK(!check(segmented_ring{.ranks = 3, .bytes = most, .segment = 1}));
    const argument_error more = check(segmented_ring{.ranks = 3, .bytes = most + 1, .segment = 1});
    CHECK(more.argument == std::string("segment"));
    CHECK(more.expected == std::string("segments so large that p (S+2) is less than 2^62"));
}
