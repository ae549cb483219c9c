#include "collsched/execute/reductions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using namespace collsched::reductions;

namespace {

template <class T>
std::vector<T> drawn(std::size_t count, std::uint64_t seed) {
    collsched::detail::splitmix64 random(seed);
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(random.between(-100, 100));
    return values;
}

/// Combines at odd addresses by both functions of the reduction, and compares with f value by value.
template <class T, class F>
void check(const reduction& op, F f) {
    CHECK(op.commutative);
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 8U, 31U, 64U, 100U}) {
        CAPTURE(count);
        const std::vector<T> a = drawn<T>(count, 3 * count), b = drawn<T>(count, 5 * count + 1);
        std::vector<T> wanted(count);
        for (std::size_t i = 0; i < count; ++i) wanted[i] = f(a[i], b[i]);
        const std::size_t size = count * sizeof(T);
        std::vector<std::byte> first(size + 2), second(size + 2), into(size + 2);
        const auto fill = [&] {
            if (size == 0) return;
            std::memcpy(first.data() + 1, a.data(), size);
            std::memcpy(second.data() + 1, b.data(), size);
        };
        const auto equal = [&](const std::vector<std::byte>& bytes) {
            return size == 0 || std::memcmp(bytes.data() + 1, wanted.data(), size) == 0;
        };
        const auto bytes = static_cast<bytes_t>(size);
        fill();
        op.combine_into(op.context, into.data() + 1, first.data() + 1, second.data() + 1, bytes);
        CHECK(equal(into));
        CHECK(into.back() == std::byte{0});
        op.combine(op.context, first.data() + 1, second.data() + 1, bytes, action::combine_after);
        CHECK(equal(first));
        fill();
        op.combine(op.context, second.data() + 1, first.data() + 1, bytes, action::combine_before);
        CHECK(equal(second));
    }
}

template <class T>
void check_numbers() {
    check<T>(sum<T>(), [](T a, T b) { return static_cast<T>(a + b); });
    check<T>(product<T>(), [](T a, T b) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
        else return a * b;
    });
    check<T>(minimum<T>(), [](T a, T b) { return std::min(a, b); });
    check<T>(maximum<T>(), [](T a, T b) { return std::max(a, b); });
}

template <class T>
void check_bits() {
    check<T>(bit_and<T>(), [](T a, T b) { return static_cast<T>(a & b); });
    check<T>(bit_or<T>(), [](T a, T b) { return static_cast<T>(a | b); });
    check<T>(bit_xor<T>(), [](T a, T b) { return static_cast<T>(a ^ b); });
}

}  // namespace

TEST_CASE("reductions: every operator and type, at any address, equals the operator value by value") {
    check_numbers<double>();
    check_numbers<float>();
    check_numbers<std::int8_t>();
    check_numbers<std::uint16_t>();
    check_numbers<std::int32_t>();
    check_numbers<std::uint64_t>();
    check_bits<std::uint8_t>();
    check_bits<std::int32_t>();
    check_bits<std::int64_t>();
}

TEST_CASE("reductions: integers wrap around") {
    std::int32_t largest = std::numeric_limits<std::int32_t>::max();
    const std::int32_t one = 1;
    const reduction op = sum<std::int32_t>();
    op.combine(op.context, reinterpret_cast<std::byte*>(&largest), reinterpret_cast<const std::byte*>(&one), 4,
               action::combine_after);
    CHECK(largest == std::numeric_limits<std::int32_t>::min());
}

TEST_CASE("reductions: of a NaN and a number, minimum and maximum return the operand of the lower rank") {
    const double number = 1, nan = std::nan("");
    for (const reduction& op : {minimum<double>(), maximum<double>()}) {
        double result = 0;
        const auto combine = [&](const double& a, const double& b) {
            op.combine_into(op.context, reinterpret_cast<std::byte*>(&result), reinterpret_cast<const std::byte*>(&a),
                            reinterpret_cast<const std::byte*>(&b), 8);
        };
        combine(number, nan);
        CHECK(result == number);
        combine(nan, number);
        CHECK(std::isnan(result));
    }
}
