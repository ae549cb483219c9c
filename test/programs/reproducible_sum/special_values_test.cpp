#include "examples/programs/reproducible_sum/binned_sum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>

#include "examples/programs/reproducible_sum/distributed_sums.hpp"
#include "random_sums.hpp"

namespace {

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
    CHECK(bits(sum_of({infinity, -infinity}).value()) == bits(quiet_nan));
    CHECK(bits(sum_of({-quiet_nan, infinity}).value()) == bits(quiet_nan));
    for (std::size_t at = 0; at < 2100; at += 7) {
        doubles all(2100, 1.5);
        all[at] = quiet_nan;
        CHECK(bits(sum_of<3>(all).value()) == bits(quiet_nan));
        all[at] = -infinity;
        CHECK(sum_of<3>(all).value() == -infinity);
        all[2099 - at] = infinity;
        CHECK(bits(sum_of<3>(all).value()) == bits(2099 - at == at ? infinity : quiet_nan));
    }
    random_bits random(8);
    for (int i = 0; i < 300; ++i) {
        doubles all = any_numbers(random, 1 + random() % 40);
        for (const double special : {quiet_nan, -quiet_nan, infinity, -infinity, 0.0, -0.0})
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
        for (const double special : {quiet_nan, infinity, -infinity, -0.0})
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
