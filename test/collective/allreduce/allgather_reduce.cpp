#include "collsched/collective/allreduce/allgather_reduce.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/matrix_products.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

using over_circulant = allreduce::allgather_reduce<allgather::circulant>;
using over_bruck = allreduce::allgather_reduce<allgather::bruck>;

}  // namespace

static_assert(support::has_parameters<allreduce::allgather_reduce<allgather::circulant>>());
static_assert(support::allreduce_proved_up_to<support::of_bytes<over_circulant>, 7>);
static_assert(support::allreduce_proved_up_to<support::of_bytes<over_bruck>, 6>);
static_assert(!over_circulant::info.commutative);

TEST_CASE("allreduce::allgather_reduce: correct for every number of ranks, operands in order, same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<over_circulant>, true, 40) == 40);
    CHECK(support::check_allreduce(support::of_bytes<over_bruck>, true, 24) == 24);
    support::check_sums(support::of_bytes<over_circulant>);
    for (const rank_t p : {1, 2, 3, 5, 6, 7, 12})
        CHECK(support::wrong_product(over_circulant{.ranks = p, .bytes = 64, .element = 32}, binding::in_place) == "");
}

TEST_CASE(
    "allreduce::allgather_reduce: rounds of the allgather, (p-1) m bytes sent and combined, p m bytes of scratch") {
    for (rank_t p = 1; p <= support::most(130); ++p) {
        CAPTURE(p);
        const over_circulant x{.ranks = p, .bytes = 24, .element = 8};
        support::check_traffic(x, ceil_log2(p), 24 * (p - 1), 24 * (p - 1));
        support::check_traffic(allreduce::allgather_reduce<allgather::ring>{.ranks = p, .bytes = 24}, p - 1,
                               24 * (p - 1), 24 * (p - 1));
        const metrics_report m = support::measured(x);
        CHECK(m.rounds == m.bounds.rounds);
        CHECK(m.scratch[p / 2] == (p > 1 ? 24 * p : 0));
        bytes_t combined = 0;
        for (const edge& e : program(x, p / 2)) combined += e.combines() ? e.size : 0;
        CHECK(combined == 24 * (p - 1));
    }
}

TEST_CASE("allreduce::allgather_reduce: wrong parameters are reported") {
    CHECK(check(over_bruck{.ranks = 0, .bytes = 8}).argument == std::string("ranks"));
    CHECK(check(over_bruck{.ranks = 3, .bytes = -1}).argument == std::string("bytes"));
    CHECK(check(over_bruck{.ranks = 3, .bytes = 8, .element = 3}).argument == std::string("element"));
    CHECK(check(over_bruck{.ranks = 4, .bytes = bytes_t{1} << 60}).argument == std::string("bytes"));
    CHECK(!check(over_bruck{.ranks = 4, .bytes = (bytes_t{1} << 60) - 1}));
}
