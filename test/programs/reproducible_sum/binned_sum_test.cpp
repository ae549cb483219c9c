#include "examples/programs/reproducible_sum/binned_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "examples/programs/reproducible_sum/distributed_sums.hpp"
#include "exact_sum.hpp"
#include "random_sums.hpp"

namespace {

static_assert(std::is_trivially_copyable_v<binned_sum<3>> && sizeof(binned_sum<3>) == 56);
static_assert(std::has_unique_object_representations_v<binned_sum<3>>, "equal sums have equal bytes");
static_assert(bin_grid::bin_of(largest) == bin_grid::highest && bin_grid::bin_of(smallest) == 1);
static_assert(bin_grid::bin_of(0x1p1005) == 52 && bin_grid::bin_of(0x1.fffffffffffffp1004) == 51);

/// The bound of docs/reproducible_sum.md.
template <std::size_t K>
double bound(const doubles& all, double result) {
    double most = 0;
    for (const double x : all) most = std::max(most, std::abs(x));
    const double slices = std::ldexp(most, -40 * static_cast<int>(K - 1)) * static_cast<double>(all.size());
    return slices + std::max(std::abs(result) * 0x1p-53, 0.0);
}

template <std::size_t K>
void check_error(const doubles& all) {
    const double result = sum_of<K>(all).value();
    exact_sum exact;
    exact.add(all);
    if (std::isinf(result)) {
        CHECK(bits(result) == bits(exact.value()));
        return;
    }
    exact.add(-result);
    CHECK(std::abs(exact.value()) <= bound<K>(all, result) * (1 + 0x1p-40));
}

/// Any order, and any tree of merges of any pieces, of an accumulator of K bins.
template <std::size_t K>
void check_orders(random_bits& random, std::size_t count) {
    doubles all = any_numbers(random, count);
    const binned_sum<K> expected = one_by_one<K>(all);
    for (int repeat = 0; repeat < 4; ++repeat) {
        shuffle(all, random);
        REQUIRE(sum_of<K>(all) == expected);
        REQUIRE(one_by_one<K>(all) == expected);
        std::vector<binned_sum<K>> pieces;
        for (std::span<const double> rest = all; !rest.empty();) {
            const std::size_t size = 1 + random() % rest.size();
            pieces.push_back(sum_of<K>(rest.first(size)));
            rest = rest.subspan(size);
        }
        while (pieces.size() > 1) {
            const std::size_t from = random() % pieces.size(),
                              into = (from + 1 + random() % (pieces.size() - 1)) % pieces.size();
            pieces[into] = random() % 2 == 0 ? pieces[into] + pieces[from] : pieces[from] + pieces[into];
            pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(from));
        }
        REQUIRE(pieces.front() == expected);
        REQUIRE(bits(pieces.front().value()) == bits(expected.value()));
    }
}

TEST_CASE("binned_sum: permutations and trees of merges have the same bytes") {
    random_bits random(1);
    for (int i = 0; i < 400; ++i) {
        const std::size_t count = 1 + random() % (i % 40 == 0 ? 6000 : 40);
        check_orders<2>(random, count);
        check_orders<3>(random, count);
        check_orders<4>(random, count);
        check_orders<8>(random, count);
    }
}

TEST_CASE("binned_sum: an array of any length and alignment equals its numbers one by one") {
    random_bits random(2);
    for (std::size_t count = 0; count < 70; ++count)
        for (std::size_t first = 0; first < 8; ++first) {
            const doubles all = any_numbers(random, first + count);
            const auto part = std::span(all).subspan(first);
            REQUIRE(sum_of<3>(part) == one_by_one<3>(part));
        }
    for (const std::size_t count : {2047U, 2048U, 2049U, 4095U, 4096U, 4097U, 10000U}) {
        const doubles all = any_numbers(random, count);
        REQUIRE(sum_of<3>(all) == one_by_one<3>(all));
    }
}

TEST_CASE("binned_sum: magnitudes at the edges of bins and slices at half a grain") {
    random_bits random(3);
    for (int bin = 0; bin <= 52; ++bin)
        for (const int shift : {-2, -1, 0, 1, 38, 39, 40}) {
            const int exponent = 40 * bin - 1074 + shift;
            if (exponent < -1074 || exponent > 1023) continue;
            const double edge = std::ldexp(1.0, exponent);
            doubles all{edge, std::nextafter(edge, 0), -std::nextafter(edge, infinity), edge * 1.5, -edge * 0.75};
            const binned_sum<3> expected = one_by_one<3>(all);
            for (int i = 0; i < 20; ++i) {
                shuffle(all, random);
                REQUIRE(one_by_one<3>(all) == expected);
                REQUIRE(sum_of<3>(all) == expected);
            }
            check_error<2>(all), check_error<3>(all);
        }
}

TEST_CASE("exact_sum: equals math.fsum of Python") {
    const struct {
        std::size_t count;
        std::uint64_t seed;
        double sum;
    } cases[] = {{1, 1, -0x1.76e90a81125e6p-18},
                 {2, 2, 0x1.3c767afe9c352p+17},
                 {10, 3, -0x1.96e74932df8dfp+12},
                 {1000, 4, 0x1.bf9bf44aae144p+19},
                 {100000, 5, -0x1.498ccdf7dd8f8p+25}};
    for (const auto& [count, seed, sum] : cases) {
        const doubles all = random_numbers(count, seed);
        exact_sum exact;
        exact.add(all);
        CHECK(exact.value() == sum);
        CHECK(sum_of<3>(all).value() == sum);
    }
}

TEST_CASE("binned_sum: the error is within the bound") {
    random_bits random(4);
    for (int i = 0; i < 3000; ++i) {
        const doubles all = any_numbers(random, 1 + random() % 200);
        check_error<2>(all), check_error<3>(all), check_error<4>(all), check_error<8>(all);
    }
}

TEST_CASE("binned_sum: numbers within 79 bits have the exact sum, rounded once") {
    random_bits random(5);
    for (int i = 0; i < 3000; ++i) {
        const std::uint64_t lowest = 1 + random() % 2000;
        doubles all;
        for (std::size_t n = 1 + random() % 50; n > 0; --n)
            all.push_back(double_between(random, lowest, std::min<std::uint64_t>(lowest + 26, 2046)));
        exact_sum exact;
        exact.add(all);
        REQUIRE(bits(sum_of<3>(all).value()) == bits(exact.value()));
    }
}

TEST_CASE("binned_sum: the error is at most the largest one of plain sums in four orders") {
    random_bits random(6);
    for (int i = 0; i < 300; ++i) {
        const std::uint64_t lowest = 1 + random() % 1900;
        doubles all;
        while (all.size() < 1000) all.push_back(double_between(random, lowest, lowest + 60));
        exact_sum exact;
        exact.add(all);
        exact_sum error_of_binned = exact;
        error_of_binned.add(-sum_of<3>(all).value());
        double worst = 0;
        for (int order = 0; order < 4; ++order) {
            shuffle(all, random);
            double plain = 0;
            for (const double x : all) plain += x;
            exact_sum error = exact;
            error.add(-plain);
            worst = std::max(worst, std::abs(error.value()));
        }
        CHECK(std::abs(error_of_binned.value()) <= worst);
    }
}

}  // namespace
