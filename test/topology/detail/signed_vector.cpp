#include "collsched/topology/detail/signed_vector.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

TEST_CASE("signed_vector: signed indices and length") {
    collsched::topology::detail::signed_vector<int> numbers(2);
    numbers.push_back(7);
    const std::int64_t last = numbers.length() - 1;
    CHECK(last == 2);
    CHECK(numbers[last] == 7);
    numbers[0] = 3;
    CHECK(numbers.front() == 3);
    CHECK(std::as_const(numbers)[last] == 7);
}
