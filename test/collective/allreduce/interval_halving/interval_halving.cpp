#include "collsched/collective/allreduce/interval_halving.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "collsched/core/bits.hpp"
#include "support/allreduces.hpp"
#include "support/bracketings.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/transfers.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<allreduce::interval_halving>());
static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::interval_halving>, 5>);
static_assert(proved<verify(allreduce::interval_halving_by_dimension{.ranks = 4, .bytes = 6, .of = {.group = 2}})>);
static_assert(proved<verify(allreduce::interval_halving_by_dimension{.ranks = 7, .bytes = 8, .of = {.radix = 4}})>);

namespace {

template <std::int64_t Radix>
constexpr auto of_radix = [](rank_t p, bytes_t bytes, bytes_t element) {
    return allreduce::interval_halving_by_dimension{
        .ranks = p, .bytes = bytes, .element = element, .of = {.group = 3, .radix = Radix}};
};
/// In pieces of four elements.
template <std::int64_t Radix>
constexpr auto pieces_of_radix = [](rank_t p, bytes_t bytes, bytes_t element) {
    auto x = of_radix<Radix>(p, bytes, element);
    x.segment = 4 * element;
    return x;
};
const auto in_pieces = [](rank_t p, bytes_t bytes, bytes_t element) {
    return allreduce::interval_halving{.ranks = p, .bytes = bytes, .element = element, .segment = 3 * element};
};

}  // namespace

TEST_CASE("allreduce::interval_halving: correct for every number of ranks, in order, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::interval_halving>, true) == 64);
    CHECK(support::check_allreduce(in_pieces, true, 24) == 24);
    CHECK(support::check_allreduce(of_radix<3>, true, 24) == 24);
    CHECK(support::check_allreduce(of_radix<4>, true, 64) == 64);
    CHECK(support::check_allreduce(of_radix<8>, true, 40) == 40);
    CHECK(support::check_allreduce(of_radix<64>, true, 40) == 40);
    CHECK(support::check_allreduce(pieces_of_radix<4>, true, 24) == 24);
    CHECK(support::check_allreduce(pieces_of_radix<16>, true, 24) == 24);
    support::check_sums(support::of_bytes<allreduce::interval_halving>);
    support::check_sums(of_radix<4>);
    support::check_sums(pieces_of_radix<8>);
}

TEST_CASE("allreduce::interval_halving: every byte is the canonical tree, whatever the segments and the radix") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const bytes_t bytes : {bytes_t{1}, p, 2 * p + 1}) {
            CAPTURE(p);
            CAPTURE(bytes);
            for (const auto binding : {binding::separate, binding::in_place}) {
                CHECK(support::wrong_tree(allreduce::interval_halving{.ranks = p, .bytes = bytes}, binding) == "");
                CHECK(support::wrong_tree(in_pieces(p, bytes, 1), binding) == "");
                CHECK(support::wrong_tree(of_radix<2>(p, bytes, 1), binding) == "");
                CHECK(support::wrong_tree(of_radix<4>(p, bytes, 1), binding) == "");
                CHECK(support::wrong_tree(of_radix<8>(p, bytes, 1), binding) == "");
                CHECK(support::wrong_tree(of_radix<16>(p, bytes, 1), binding) == "");
                CHECK(support::wrong_tree(pieces_of_radix<4>(p, bytes, 1), binding) == "");
                CHECK(support::wrong_tree(pieces_of_radix<8>(p, bytes, 1), binding) == "");
            }
        }
    for (const rank_t p : {64, 100}) {
        CHECK(support::wrong_tree(allreduce::interval_halving{.ranks = p, .bytes = p}, binding::separate) == "");
        CHECK(support::wrong_tree(of_radix<4>(p, p + 1, 1), binding::separate) == "");
        CHECK(support::wrong_tree(of_radix<8>(p, p + 1, 1), binding::separate) == "");
        CHECK(support::wrong_tree(of_radix<16>(p, p + 1, 1), binding::separate) == "");
    }
}

TEST_CASE("allreduce::interval_halving: 2 ceil(log2 p) rounds and 2 m (p-1)/p bytes sent per rank, for every p") {
    for (rank_t p = 1; p <= support::most(130); ++p) {
        CAPTURE(p);
        const metrics_report m =
            support::measured(allreduce::interval_halving{.ranks = p, .bytes = 24 * p, .element = 8});
        CHECK(m.rounds == 2 * ceil_log2(p));
        for (const rank_t pieces : {2, 5}) {
            const bytes_t bytes = 24 * p * pieces;
            const allreduce::interval_halving x{.ranks = p, .bytes = bytes, .element = 8, .segment = 24 * p};
            CHECK(support::measured(x).rounds == (p == 1 ? 0 : 2 * ceil_log2(p) + pieces));
        }
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 48 * (p - 1));
            CHECK(m.bytes_received[r] <= 24 * (is_power_of_two(p) ? 2 * (p - 1) : 3 * (p - 1)));
        }
    }
}

TEST_CASE("allreduce::interval_halving: by dimension each exchange of n parts and each dimension of n has n-1 rounds") {
    const auto counts = [](rank_t p, std::int64_t radix) {
        return support::measured(allreduce::interval_halving_by_dimension{
            .ranks = p, .bytes = 8 * p, .element = 8, .of = {.group = 4, .radix = radix}});
    };
    for (const auto& [p, radix, rounds] : {std::array<rank_t, 3>{16, 2, 1 + 1 + 1 + 1 + 3 + 1 + 1},
                                           {16, 3, 1 + 1 + 1 + 1 + 3 + 3},
                                           {16, 4, 3 + 3 + 3 + 3},
                                           {64, 4, 3 + 3 + 3 + 3 + 3 + 3},
                                           {64, 8, 7 + 7 + 3 + 7 + 1},
                                           {32, 16, 7 + 3 + 3 + 7}}) {
        CAPTURE(p);
        CAPTURE(radix);
        const metrics_report m = counts(p, radix);
        CHECK(m.rounds == rounds);
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 16 * (p - 1));
            CHECK(m.bytes_received[r] == 16 * (p - 1));
        }
    }
    for (rank_t p = 1; p <= support::most(130); ++p)
        for (const std::int64_t radix : {2, 4, 8, 16}) {
            CAPTURE(p);
            CAPTURE(radix);
            const metrics_report m = counts(p, radix);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] <= 8 * 3 * (p - 1));
                CHECK(m.bytes_received[r] <= 8 * 3 * (p - 1));
                CHECK(m.scratch[r] < 8 * (p + radix * radix / 2));
            }
        }
}

TEST_CASE("allreduce::interval_halving: by dimension a message is one transfer, whatever the radix") {
    for (rank_t p = 2; p <= 1024; p = p < 70 ? p + 1 : 2 * p - p % 7)
        for (const std::int64_t radix : {2, 4, 8}) {
            const allreduce::interval_halving_by_dimension x{
                .ranks = p, .bytes = 8 * p, .element = 8, .of = {.radix = radix}};
            CHECK(support::transfers(x) == support::measured(x).messages);
        }
}

TEST_CASE("allreduce::interval_halving: at most 10 transfers for 9 messages, for every p") {
    for (rank_t p = 1; p <= 1024; p = p < 100 ? p + 1 : p + 924) {
        CAPTURE(p);
        const allreduce::interval_halving x{.ranks = p, .bytes = 8 * p, .element = 8};
        CHECK(9 * support::transfers(x) <= 10 * support::measured(x).messages);
    }
}

TEST_CASE("allreduce::interval_halving: most bytes travel between near ranks") {
    for (rank_t p = 2; p <= 64; p *= 2)
        for (const edge& e : edges(allreduce::interval_halving{.ranks = p, .bytes = p}))
            if (!e.is_local()) {
                const rank_t distance = e.src < e.dst ? e.dst - e.src : e.src - e.dst;
                CHECK(distance * e.size <= p);
            }
}

TEST_CASE("allreduce::interval_halving: pieces start one step apart, and pause for a step between their halves") {
    const allreduce::interval_halving whole{.ranks = 8, .bytes = 64, .element = 1},
        cut{.ranks = 8, .bytes = 64, .element = 1, .segment = 16};
    CHECK(lower(cut).steps() == lower(whole).steps() + 1 + 3);
    constexpr std::int64_t limit = std::int64_t{1} << 61;
    CHECK(!check(allreduce::interval_halving{.ranks = 4, .bytes = limit - 1, .segment = 1}));
    CHECK(!check(allreduce::interval_halving{.ranks = limit - 1, .bytes = 8}));
    for (const auto& [ranks, bytes] : {std::array{rank_t{4}, limit}, std::array{limit, bytes_t{8}}})
        CHECK(check(allreduce::interval_halving{.ranks = ranks, .bytes = bytes, .segment = 1}).expected ==
              std::string("fewer than 2^61 segments, and fewer ranks"));
    CHECK(check(allreduce::interval_halving{.ranks = 1000, .bytes = bytes_t{1} << 62, .segment = 1}).argument ==
          std::string("segment"));
    CHECK(
        check(allreduce::interval_halving{.ranks = (rank_t{1} << 62) - 1, .bytes = INT64_MAX, .segment = 1}).argument ==
        std::string("segment"));
    using by_dimension = allreduce::interval_halving_by_dimension;
    CHECK(check(by_dimension{.ranks = 64, .bytes = INT64_MAX - 7, .element = 8, .segment = 8, .of = {.radix = 16}})
              .argument == std::string("bytes"));
    CHECK(std::string(check(by_dimension{.ranks = 4, .bytes = 8, .of = {.radix = 1}}).text().c_str()) ==
          "radix: got 1, expected 2 or more");
}
