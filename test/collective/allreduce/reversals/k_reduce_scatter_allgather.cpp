#include "collsched/collective/allreduce/reversals.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::k_reduce_scatter_allgather;

namespace {

template <std::int64_t Radix>
constexpr auto by = [](rank_t p, bytes_t bytes, bytes_t element) {
    return k_reduce_scatter_allgather{.ranks = p, .bytes = bytes, .element = element, .of = {.radix = Radix}};
};

}  // namespace

static_assert(support::allreduce_proved_up_to<by<3>, 9> && support::allreduce_proved_up_to<by<4>, 9>);

TEST_CASE("allreduce::k_reduce_scatter_allgather: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<k_reduce_scatter_allgather>, false) == 64);
    CHECK(support::check_allreduce(by<4>, false, 40) == 40);
    CHECK(support::check_allreduce(by<7>, false, 24) == 24);
    CHECK(support::check_allreduce(by<100>, false, 17) == 17);
    support::check_sums(by<2>);
    support::check_sums(by<3>);
}

TEST_CASE(
    "allreduce::k_reduce_scatter_allgather: 2 log_k p or 2 floor(log_k p) + 4 rounds of up to k-1 messages per rank") {
    for (std::int64_t radix = 2; radix <= 16; ++radix)
        for (rank_t p = 1; p <= support::most(100); ++p) {
            CAPTURE(radix);
            const std::int64_t k = p <= 2 ? 2 : std::min(radix, p);
            rank_t n = 1;
            step_t rounds = 0;
            while (n * k <= p) n *= k, rounds += 2;
            const auto make = [&](rank_t ranks, bytes_t bytes, bytes_t element) {
                return k_reduce_scatter_allgather{
                    .ranks = ranks, .bytes = bytes, .element = element, .of = {.radix = radix}};
            };
            if (n == p) support::check_in_parts(make, p, rounds);
            const metrics_report m = support::measured(make(p, 8 * p, 8));
            CHECK(m.rounds == rounds + (n == p ? 0 : 4));
            CHECK(m.max_out_degree == (p > 1 ? k - 1 : 0));
            CHECK(m.max_in_degree == m.max_out_degree);
        }
}
