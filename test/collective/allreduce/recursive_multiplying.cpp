#include "collsched/collective/allreduce/recursive_doubling.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::recursive_multiplying;

namespace {

template <std::int64_t Radix>
constexpr auto by = [](rank_t p, bytes_t bytes, bytes_t element) {
    return recursive_multiplying{.ranks = p, .bytes = bytes, .element = element, .of = {.radix = Radix}};
};

}  // namespace

static_assert(support::allreduce_proved_up_to<by<3>, 7> && support::allreduce_proved_up_to<by<4>, 7>);
static_assert(!recursive_multiplying::info.commutative);

TEST_CASE(
    "allreduce::recursive_multiplying: correct for every number of ranks, operands in order, same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<recursive_multiplying>, true) == 64);
    CHECK(support::check_allreduce(by<4>, true, 40) == 40);
    CHECK(support::check_allreduce(by<7>, true, 24) == 24);
    CHECK(support::check_allreduce(by<100>, true, 17) == 17);
    support::check_sums(by<2>);
    support::check_sums(by<3>);
}

TEST_CASE(
    "allreduce::recursive_multiplying: log_k p, or floor(log_k p) + 2 ceil(log2 g), rounds; k-1 messages per rank") {
    for (std::int64_t radix = 2; radix <= 16; ++radix)
        for (rank_t p = 1; p <= support::most(100); ++p) {
            CAPTURE(radix);
            CAPTURE(p);
            const std::int64_t k = p <= 2 ? 2 : std::min(radix, p);
            rank_t n = 1;
            step_t rounds = 0;
            while (n * k <= p) n *= k, ++rounds;
            const bytes_t exchanged = 8 * (k - 1) * rounds;
            const rank_t largest = std::min(k, p - n + 1);
            const auto x = recursive_multiplying{.ranks = p, .bytes = 8, .element = 8, .of = {.radix = radix}};
            support::check_traffic(x, rounds + 2 * ceil_log2(largest), p == n ? exchanged : 8, exchanged + 8 * (k - 1));
            if (p == n) CHECK(support::measured(x).bytes_sent[p / 2] == exchanged);
            CHECK(support::measured(x).messages == n * (k - 1) * rounds + 2 * (p - n));
        }
}
