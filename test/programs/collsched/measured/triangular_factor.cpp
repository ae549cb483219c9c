#include "examples/programs/collsched/measured/triangular_factor.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched::measured;

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

TEST_CASE("triangular_factor: a pivot that rounding makes 0 or negative is 1e-6") {
    for (const double last : {1.0, 0.5}) {
        const triangular_factor factor(2, {1, 0, 1, last});
        CHECK(factor.forward({0, 1})[1] == doctest::Approx(1e6));
        CHECK(factor.inverse_diagonal()[1] == doctest::Approx(1e12));
    }
    CHECK(triangular_factor().size() == 0);
}

TEST_CASE("triangular_factor: four equations") {
    // L = (1; 2 1; 3 1 2; 1 1 1 1), times its transpose.
    const triangular_factor factor(4, {1, 9, 9, 9, 2, 5, 9, 9, 3, 7, 14, 9, 1, 3, 6, 4});
    const std::vector<double> half = factor.forward({1, 1, 4, 5});
    const double expected[] = {1, -1, 1, 4};
    for (std::size_t i = 0; i < 4; ++i) CHECK(half[i] == doctest::Approx(expected[i]));
    const std::vector<double> x = factor.solve({1 + 4 - 9 + 2, 2 + 10 - 21 + 6, 3 + 14 - 42 + 12, 1 + 6 - 18 + 8});
    const double solution[] = {1, 2, -3, 2};
    for (std::size_t i = 0; i < 4; ++i) CHECK(x[i] == doctest::Approx(solution[i]));
    const std::vector<double> diagonal = factor.inverse_diagonal();
    for (std::size_t i = 0; i < 4; ++i) {
        std::vector<double> unit(4);
        unit[i] = 1;
        CHECK(diagonal[i] == doctest::Approx(factor.solve(unit)[i]));
    }
}
