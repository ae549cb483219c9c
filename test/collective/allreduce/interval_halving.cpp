#include "collsched/collective/allreduce/interval_halving.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/core/bits.hpp"
#include "support/allreduces.hpp"
#include "support/bracketings.hpp"
#include "support/transfers.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::allreduce_proved_up_to<support::of_bytes<allreduce::interval_halving>, 5>);
static_assert(proved<verify(allreduce::interval_halving_by_dimension{.ranks = 4, .bytes = 6, .of = {.group = 2}})>);

namespace {

const auto by_dimension = [](rank_t p, bytes_t bytes, bytes_t element) {
    return allreduce::interval_halving_by_dimension{.ranks = p, .bytes = bytes, .element = element, .of = {.group = 3}};
};
const auto in_pieces = [](rank_t p, bytes_t bytes, bytes_t element) {
    return allreduce::interval_halving{.ranks = p, .bytes = bytes, .element = element, .segment = 3 * element};
};

}  // namespace

TEST_CASE("allreduce::interval_halving: correct for every number of ranks, in order, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::interval_halving>, true) == 64);
    CHECK(support::check_allreduce(by_dimension, true, 24) == 24);
    CHECK(support::check_allreduce(in_pieces, true, 24) == 24);
    support::check_sums(support::of_bytes<allreduce::interval_halving>);
}

TEST_CASE("allreduce::interval_halving: every byte is the canonical tree, whatever the segments and the allgather") {
    for (rank_t p = 1; p <= 64; ++p)
        for (const bytes_t bytes : {bytes_t{1}, p, 2 * p + 1}) {
            CAPTURE(p);
            CAPTURE(bytes);
            for (const auto binding : {binding::separate, binding::in_place}) {
                CHECK(support::wrong_tree(allreduce::interval_halving{.ranks = p, .bytes = bytes}, binding) == "");
                CHECK(support::wrong_tree(in_pieces(p, bytes, 1), binding) == "");
                CHECK(support::wrong_tree(by_dimension(p, bytes, 1), binding) == "");
            }
        }
    CHECK(support::wrong_tree(allreduce::interval_halving{.ranks = 100, .bytes = 100}, binding::separate) == "");
}

TEST_CASE("allreduce::interval_halving: 2 ceil(log2 p) rounds and 2 m (p-1)/p bytes sent per rank, for every p") {
    for (rank_t p = 1; p <= 130; ++p) {
        CAPTURE(p);
        const metrics_report m =
            support::measured(allreduce::interval_halving{.ranks = p, .bytes = 24 * p, .element = 8});
        CHECK(m.rounds == 2 * ceil_log2(p));
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] == 48 * (p - 1));
            CHECK(2 * m.bytes_received[r] <= 24 * (is_power_of_two(p) ? 4 * (p - 1) : 5 * (p - 1)));
        }
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

TEST_CASE("allreduce::interval_halving: pieces start one step apart") {
    const allreduce::interval_halving whole{.ranks = 8, .bytes = 64, .element = 1},
        cut{.ranks = 8, .bytes = 64, .element = 1, .segment = 16};
    CHECK(lower(cut).steps() == lower(whole).steps() + 3);
    CHECK(check(allreduce::interval_halving{.ranks = 1000, .bytes = bytes_t{1} << 62, .segment = 1}).argument ==
          std::string("segment"));
    CHECK(
        check(allreduce::interval_halving{.ranks = (rank_t{1} << 62) - 1, .bytes = INT64_MAX, .segment = 1}).argument ==
        std::string("segment"));
}
