#include "collsched/select/detail/triangular_factor.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched::detail;

TEST_CASE("triangular_factor: the product of the factor and its transpose is the matrix") {
    const triangular_factor factor(3, {4, 0, 0, 2, 5, 0, 2, 3, 6});
    // L = (2; 1 2; 1 1 2)
    const std::vector<double> half = factor.forward({2, 5, 9});
    CHECK(half[0] == doctest::Approx(1));
    CHECK(half[1] == doctest::Approx(2));
    CHECK(half[2] == doctest::Approx(3));
    CHECK(factor.size() == 3);
}

TEST_CASE("triangular_factor: solve() inverts the matrix") {
    const triangular_factor factor(3, {4, 0, 0, 2, 5, 0, 2, 3, 6});
    const std::vector<double> x = factor.solve({4 + 4 - 2, 2 + 10 - 3, 2 + 6 - 6});  // times (1, 2, -1)
    CHECK(x[0] == doctest::Approx(1));
    CHECK(x[1] == doctest::Approx(2));
    CHECK(x[2] == doctest::Approx(-1));
}

TEST_CASE("triangular_factor: inverse_diagonal() is the diagonal of the inverse") {
    const triangular_factor factor(3, {4, 0, 0, 2, 5, 0, 2, 3, 6});
    const std::vector<double> diagonal = factor.inverse_diagonal();
    REQUIRE(diagonal.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        std::vector<double> unit(3);
        unit[i] = 1;
        CHECK(diagonal[i] == doctest::Approx(factor.solve(unit)[i]));
    }
}

TEST_CASE("triangular_factor: an empty matrix has an empty solution") {
    CHECK(triangular_factor().solve({}).empty());
    CHECK(triangular_factor(0, {}).forward({}).empty());
}

TEST_CASE("triangular_factor: a singular matrix has finite solutions") {
    const triangular_factor factor(2, {1, 0, 1, 1});
    for (const double x : factor.solve({1, 1})) CHECK(x * x < 1e30);
}
