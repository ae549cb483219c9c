#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>

#include "collsched/execute/reduction.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Operators of reductions of numbers, for a number and for a vector of numbers, beside those of the standard library.
struct product_of {
    /// Multiplies integers in unsigned arithmetic: small ones would be promoted to int, whose products may overflow.
    constexpr auto operator()(const auto& a, const auto& b) const {
        if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(a)>>) return 1U * a * b;
        else return a * b;
    }
};
struct minimum_of {
    constexpr auto operator()(const auto& a, const auto& b) const { return b < a ? b : a; }
};
struct maximum_of {
    constexpr auto operator()(const auto& a, const auto& b) const { return a < b ? b : a; }
};

#if defined(__GNUC__)
template <class T>
using simd_vector [[gnu::vector_size(16)]] = T;
#else
template <class T>
using simd_vector = T;
#endif

template <class Value, class Operator>
void reduce_value(std::byte* into, const std::byte* first, const std::byte* second) {
    Value a, b;
    std::memcpy(&a, first, sizeof(Value));
    std::memcpy(&b, second, sizeof(Value));
    const auto result = static_cast<Value>(Operator()(a, b));
    std::memcpy(into, &result, sizeof(Value));
}

/// into := first op second, for values of type T at any address; bytes behind the last whole value are left alone.
template <class T, class Operator>
void reduce_values(void*, std::byte* into, const std::byte* first, const std::byte* second, bytes_t size) {
    using vector = simd_vector<T>;
    constexpr auto step = static_cast<bytes_t>(sizeof(vector)), value_size = static_cast<bytes_t>(sizeof(T));
    bytes_t at = 0;
    for (; size - at >= 4 * step; at += 4 * step)
        for (bytes_t k = at; k < at + 4 * step; k += step)
            reduce_value<vector, Operator>(into + k, first + k, second + k);
    for (; size - at >= value_size; at += value_size) reduce_value<T, Operator>(into + at, first + at, second + at);
}

template <class T, class Operator>
void reduce_in_place(void*, std::byte* into, const std::byte* incoming, bytes_t size, action action) {
    if (action == action::combine_before) reduce_values<T, Operator>(nullptr, into, incoming, into, size);
    else reduce_values<T, Operator>(nullptr, into, into, incoming, size);
}

template <class T, class Operator>
constexpr reduction reduction_of() {
    return {&reduce_in_place<T, Operator>, nullptr, true, &reduce_values<T, Operator>, static_cast<bytes_t>(sizeof(T))};
}

template <class T>
concept number = std::is_arithmetic_v<T> && !std::same_as<T, bool> && !std::same_as<T, long double>;

}  // namespace detail

/// Reductions of arrays of numbers of type T at any address, vectorized: integers other than bool, float, double.
namespace reductions {

namespace detail {

using namespace collsched::detail;

/// Sums and products of integers wrap around, as those of unsigned ones do.
template <class T>
using wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

}  // namespace detail

/// a + b. Sums of integers wrap around.
/// @tparam T  float, double, or an integer type other than bool
/// @return commutative reduction of values of sizeof(T) bytes
template <collsched::detail::number T>
constexpr reduction sum() {
    return detail::reduction_of<detail::wrapping<T>, std::plus<>>();
}
/// a * b. Products of integers wrap around.
/// @tparam T  float, double, or an integer type other than bool
/// @return commutative reduction of values of sizeof(T) bytes
template <collsched::detail::number T>
constexpr reduction product() {
    return detail::reduction_of<detail::wrapping<T>, detail::product_of>();
}
/// The smaller of a and b. If one of them is a NaN, or both are equal, the result is the operand of the lower rank.
/// @tparam T  float, double, or an integer type other than bool
/// @return commutative reduction of values of sizeof(T) bytes
template <collsched::detail::number T>
constexpr reduction minimum() {
    return detail::reduction_of<T, detail::minimum_of>();
}
/// The larger of a and b. If one of them is a NaN, or both are equal, the result is the operand of the lower rank.
/// @tparam T  float, double, or an integer type other than bool
/// @return commutative reduction of values of sizeof(T) bytes
template <collsched::detail::number T>
constexpr reduction maximum() {
    return detail::reduction_of<T, detail::maximum_of>();
}
/// Bitwise a & b.
/// @tparam T  integer type
/// @return commutative reduction of values of sizeof(T) bytes
template <std::integral T>
constexpr reduction bit_and() {
    return detail::reduction_of<T, std::bit_and<>>();
}
/// Bitwise a | b.
/// @tparam T  integer type
/// @return commutative reduction of values of sizeof(T) bytes
template <std::integral T>
constexpr reduction bit_or() {
    return detail::reduction_of<T, std::bit_or<>>();
}
/// Bitwise a ^ b.
/// @tparam T  integer type
/// @return commutative reduction of values of sizeof(T) bytes
template <std::integral T>
constexpr reduction bit_xor() {
    return detail::reduction_of<T, std::bit_xor<>>();
}

}  // namespace reductions

}}  // namespace collsched::COLLSCHED_ABI
