#include "binned_sum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include "distributed_sums.hpp"
#include "exact_sum.hpp"

namespace {

using random_bits = std::mt19937_64;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
constexpr double largest = std::numeric_limits<double>::max(), smallest = std::numeric_limits<double>::denorm_min();

static_assert(std::is_trivially_copyable_v<binned_sum<3>> && sizeof(binned_sum<3>) == 56);
static_assert(std::has_unique_object_representations_v<binned_sum<3>>, "equal sums have equal bytes");
static_assert(bin_grid::bin_of(largest) == bin_grid::highest && bin_grid::bin_of(smallest) == 1);
static_assert(bin_grid::bin_of(0x1p1005) == 52 && bin_grid::bin_of(0x1.fffffffffffffp1004) == 51);

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

/// A finite double of any bits: of all exponents, subnormal too.
double any_double(random_bits& random) {
    const std::uint64_t word = random(), exponent = random() % 2047;
    return std::bit_cast<double>((word & ~(std::uint64_t{0x7ff} << 52)) | exponent << 52);
}

/// A finite double with a biased exponent of lowest .. highest.
double double_between(random_bits& random, std::uint64_t lowest, std::uint64_t highest) {
    const std::uint64_t exponent = lowest + random() % (highest - lowest + 1);
    return std::bit_cast<double>((random() & ~(std::uint64_t{0x7ff} << 52)) | exponent << 52);
}

/// Numbers of one of several kinds; some kinds cancel.
doubles any_numbers(random_bits& random, std::size_t count) {
    const std::uint64_t kind = random() % 6, center = 60 + random() % 1900;
    doubles all;
    while (all.size() < count) {
        if (kind == 0) all.push_back(any_double(random));
        else if (kind == 1) all.push_back(double_between(random, 0, 3));
        else if (kind == 2) all.push_back(double_between(random, 2000, 2046));
        else if (kind == 3) all.push_back(double_between(random, 0, 50));
        else all.push_back(double_between(random, center - 50, center + 50));
        if (kind == 5) all.push_back(-all.back() * (1 + 0x1p-30));
    }
    all.resize(count);
    return all;
}

void shuffle(doubles& all, random_bits& random) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
}

template <std::size_t K = 3>
binned_sum<K> sum_of(std::span<const double> all) {
    binned_sum<K> sum;
    sum.deposit(all);
    return sum;
}
binned_sum<3> sum_of(std::initializer_list<double> all) { return sum_of(std::span(all.begin(), all.size())); }

template <std::size_t K>
binned_sum<K> one_by_one(std::span<const double> all) {
    binned_sum<K> sum;
    for (const double x : all) sum.deposit(x);
    return sum;
}

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

TEST_CASE("binned_sum: rounds ties to even, once") {
    CHECK(sum_of({1, 0x1p-53}).value() == 1);
    CHECK(sum_of({-1, -0x1p-53}).value() == -1);
    CHECK(sum_of({1 + 0x1p-52, 0x1p-53}).value() == 1 + 0x1p-51);
    CHECK(sum_of({1, 0x1p-53, 0x1p-80}).value() == 1 + 0x1p-52);
    CHECK(sum_of({1, 0x1p-53, -0x1p-80}).value() == 1);
    CHECK(sum_of({-1, -0x1p-53, -0x1p-80}).value() == -1 - 0x1p-52);
    for (std::size_t k = 0; k < 4; ++k) {  // digits below the head of the sum
        binned_sum<8> sum;
        sum.deposit(1), sum.deposit(0x1p-53), sum.deposit(std::ldexp(1.0, -100 - 40 * static_cast<int>(k)));
        CHECK(sum.value() == 1 + 0x1p-52);
    }
}

TEST_CASE("binned_sum: subnormal numbers are summed exactly") {
    random_bits random(7);
    for (int i = 0; i < 300; ++i) {
        doubles all;
        std::int64_t units = 0;
        for (std::size_t n = 1 + random() % 3000; n > 0; --n) {
            all.push_back(double_between(random, 0, 0));
            units += static_cast<std::int64_t>(all.back() / smallest);
        }
        REQUIRE(sum_of<2>(all).value() == static_cast<double>(units) * smallest);
        REQUIRE(sum_of<3>(all).value() == static_cast<double>(units) * smallest);
    }
    CHECK(sum_of({smallest, smallest, -smallest}).value() == smallest);
    CHECK(sum_of({0x1p-1022, -smallest}).value() == 0x1p-1022 - smallest);
    CHECK(sum_of({-0x1p-1022, 0x1p-1021, -0x1p-1022, -smallest}).value() == -smallest);
}

TEST_CASE("binned_sum: only a sum beyond the range overflows") {
    CHECK(sum_of({largest, largest, -largest}).value() == largest);
    CHECK(sum_of({-largest, -largest, largest, 1}).value() == -largest);
    CHECK(sum_of({largest, largest}).value() == infinity);
    CHECK(sum_of({-largest, -largest}).value() == -infinity);
    CHECK(sum_of({largest, 0x1p970}).value() == infinity);  // a tie, to even
    CHECK(sum_of({largest, 0x1p970, -0x1p930}).value() == largest);
    CHECK(sum_of({largest, 0x1p1000, -largest}).value() == 0x1p1000);
    doubles all(5000, largest);
    all.insert(all.end(), 4999, -largest);
    CHECK(sum_of<3>(all).value() == largest);
}

TEST_CASE("binned_sum: zeros have the sign that IEEE 754 additions give") {
    CHECK(bits(binned_sum<>{}.value()) == bits(0.0));
    CHECK(bits(sum_of({0.0}).value()) == bits(0.0));
    CHECK(bits(sum_of({-0.0}).value()) == bits(-0.0));
    CHECK(bits(sum_of({-0.0, -0.0}).value()) == bits(-0.0));
    CHECK(bits(sum_of({-0.0, 0.0}).value()) == bits(0.0));
    CHECK(bits((sum_of({-0.0}) + sum_of({0.0})).value()) == bits(0.0));
    CHECK(bits((binned_sum<>{} + sum_of({-0.0})).value()) == bits(-0.0));
    CHECK(bits(sum_of({1, -1}).value()) == bits(0.0));
    CHECK(bits(sum_of({-0.0, 1, -1}).value()) == bits(0.0));
    CHECK(sum_of({-0.0, 5}).value() == 5);
    CHECK(bits(sum_of<3>(doubles(5000, -0.0)).value()) == bits(-0.0));
    doubles zeros(5000, -0.0);
    zeros[4321] = 0.0;
    CHECK(bits(sum_of<3>(zeros).value()) == bits(0.0));
}

TEST_CASE("binned_sum: infinities and NaNs, alone and at each place of an array") {
    CHECK(sum_of({infinity, 1}).value() == infinity);
    CHECK(sum_of({-infinity, largest, largest}).value() == -infinity);
    CHECK(bits(sum_of({infinity, -infinity}).value()) == bits(nan));
    CHECK(bits(sum_of({-nan, infinity}).value()) == bits(nan));
    for (std::size_t at = 0; at < 2100; at += 7) {
        doubles all(2100, 1.5);
        all[at] = nan;
        CHECK(bits(sum_of<3>(all).value()) == bits(nan));
        all[at] = -infinity;
        CHECK(sum_of<3>(all).value() == -infinity);
        all[2099 - at] = infinity;
        CHECK(bits(sum_of<3>(all).value()) == bits(2099 - at == at ? infinity : nan));
    }
    random_bits random(8);
    for (int i = 0; i < 300; ++i) {
        doubles all = any_numbers(random, 1 + random() % 40);
        for (const double special : {nan, -nan, infinity, -infinity, 0.0, -0.0})
            if (random() % 3 == 0) all.push_back(special);
        const binned_sum<3> expected = sum_of<3>(all);
        shuffle(all, random);
        REQUIRE(one_by_one<3>(all) == expected);
        REQUIRE(sum_of<3>(std::span(all).first(all.size() / 2)) + sum_of<3>(std::span(all).subspan(all.size() / 2)) ==
                expected);
    }
}

TEST_CASE("binned_sum: addition is associative and commutative over random accumulators") {
    random_bits random(9);
    const auto any_sum = [&] {
        binned_sum<3> sum = sum_of<3>(any_numbers(random, random() % 5));
        for (std::uint64_t doublings = random() % 60; doublings > 0; --doublings) sum = sum + sum;
        for (const double special : {nan, infinity, -infinity, -0.0})
            if (random() % 8 == 0) sum.deposit(special);
        return sum;
    };
    for (int i = 0; i < 20000; ++i) {
        const auto a = any_sum(), b = any_sum(), c = any_sum();
        REQUIRE(a + b == b + a);
        REQUIRE((a + b) + c == a + (b + c));
        REQUIRE(a + binned_sum<3>{} == a);
    }
}

TEST_CASE("binned_sum: 2^87 numbers") {
    for (const double x :
         {1.0, -1.0, 0x1.fffffffffffffp-1, -0x1.abcdef0123457p+38, smallest, -0x1.fffffffffffffp-900}) {
        binned_sum<3> sum;
        sum.deposit(x);
        for (int doublings = 1; doublings <= 87; ++doublings) {
            sum = sum + sum;
            REQUIRE(sum.value() == std::ldexp(x, doublings));
        }
    }
    binned_sum<3> sum;  // slices of the largest magnitude, far more than a double could add exactly
    const double x = 0x1.ffffffffcp38 + 0x1p-2;
    const doubles all(1 << 21, x);
    sum.deposit(all);
    CHECK(sum.value() == 0x1p21 * x);
}

TEST_CASE("binned_sum: any bytes have a value, and bytes of no sum are a NaN") {
    random_bits random(10);
    for (int i = 0; i < 20000; ++i) {
        std::uint64_t words[7];
        for (std::uint64_t& word : words)
            word = random() % 4 == 0 ? 0 : random() % 4 == 0 ? ~std::uint64_t{} : random();
        if (random() % 2 == 0) words[0] = random() % 60 | random() % 32 << 32;
        binned_sum<3> received;
        std::memcpy(&received, words, sizeof received);
        const std::uint64_t top = words[0] & 0xffffffff;
        REQUIRE(received.valid() == (2 <= top && top <= 52));
        const bool valid = received.valid();
        if (!valid) CHECK(std::isnan(received.value()));
        auto more = sum_of({1.0, 1e300}) + received;
        received += sum_of({1.0});
        received.deposit(2.0);
        received.deposit(doubles(100, 3.0));
        if (!valid) CHECK((std::isnan(received.value()) && std::isnan(more.value())));
        else received.value(), more.value();
    }
}

}  // namespace
