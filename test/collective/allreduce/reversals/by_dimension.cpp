#include "collsched/collective/allreduce/reversals.hpp"

#include <doctest/doctest.h>

#include "support/allreduces.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t Group, std::int64_t Radix>
constexpr auto rows_of = [](rank_t p, bytes_t bytes, bytes_t element) {
    return allreduce::by_dimension{
        .ranks = p, .bytes = bytes, .element = element, .of = {.group = Group, .radix = Radix}};
};

}  // namespace

static_assert(support::allreduce_proved_up_to<rows_of<2, 2>, 9>);

TEST_CASE("allreduce::by_dimension: correct for every number of ranks, with the same bits on all ranks") {
    CHECK(support::check_allreduce(support::of_bytes<allreduce::by_dimension>, false) == 64);
    CHECK(support::check_allreduce(rows_of<2, 2>, false, 40) == 40);
    CHECK(support::check_allreduce(rows_of<3, 2>, false, 24) == 24);
    CHECK(support::check_allreduce(rows_of<100, 8>, false, 17) == 17);
    support::check_sums(rows_of<2, 2>);
    support::check_sums(rows_of<4, 8>);
}

TEST_CASE("allreduce::by_dimension: twice the rounds of the allgather, and 2 m (p-1)/p bytes in equal rows") {
    support::check_in_parts(rows_of<4, 8>, 48, 2 * (3 + 11));
    support::check_in_parts(rows_of<8, 8>, 48, 2 * (7 + 5));
    support::check_in_parts(rows_of<4, 4>, 48, 2 * (3 + 3 + 2));
}
