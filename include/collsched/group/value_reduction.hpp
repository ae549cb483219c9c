#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "collsched/execute/reduce_with.hpp"
#include "collsched/execute/reductions.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Whether f(a, b) equals f(b, a) for values of type T, so that schedules may reorder operands. True for the function
/// objects of the standard library on numbers; specialize it for others.
/// @tparam Operation  function object
/// @tparam T          type of the values
template <class Operation, class T>
inline constexpr bool is_commutative = false;
/// @copydoc is_commutative
template <class U, detail::number T>
inline constexpr bool is_commutative<std::plus<U>, T> = true;
/// @copydoc is_commutative
template <class U, detail::number T>
inline constexpr bool is_commutative<std::multiplies<U>, T> = true;
/// @copydoc is_commutative
template <class U, std::integral T>
inline constexpr bool is_commutative<std::bit_and<U>, T> = true;
/// @copydoc is_commutative
template <class U, std::integral T>
inline constexpr bool is_commutative<std::bit_or<U>, T> = true;
/// @copydoc is_commutative
template <class U, std::integral T>
inline constexpr bool is_commutative<std::bit_xor<U>, T> = true;

namespace detail {

/// Returns a number of the type of values: its size and kind. Types of one size and kind have one number.
template <class T>
constexpr std::uint64_t value_kind() {
    const std::uint64_t kind = std::floating_point<T>      ? 1
                               : std::unsigned_integral<T> ? 2
                               : std::signed_integral<T>   ? 3
                                                           : 4;
    return kind << 56 | sizeof(T);
}

/// The reduction by a function object without state.
template <class T, class Operation>
const reduction& stateless_reduction() {
    static typed_reduction<T, Operation> object{Operation{}, is_commutative<Operation, T>};
    static const reduction result = object;
    return result;
}

template <class Operation, template <class> class Standard, class T>
concept standard_operation = std::same_as<Operation, Standard<void>> || std::same_as<Operation, Standard<T>>;

/// Returns the reduction of values of type T: `op` itself if it is one, or that of a function object.
template <class T, class Operation>
reduction value_reduction(Operation&& op) {
    using plain = std::remove_cvref_t<Operation>;
    if constexpr (std::is_convertible_v<Operation&&, reduction>) {
        return std::forward<Operation>(op);
    } else if constexpr (standard_operation<plain, std::plus, T> && number<T>) {
        return reductions::sum<T>();
    } else if constexpr (standard_operation<plain, std::multiplies, T> && number<T>) {
        return reductions::product<T>();
    } else if constexpr (standard_operation<plain, std::bit_and, T> && number<T> && std::integral<T>) {
        return reductions::bit_and<T>();
    } else if constexpr (standard_operation<plain, std::bit_or, T> && number<T> && std::integral<T>) {
        return reductions::bit_or<T>();
    } else if constexpr (standard_operation<plain, std::bit_xor, T> && number<T> && std::integral<T>) {
        return reductions::bit_xor<T>();
    } else {
        static_assert(std::is_empty_v<plain> && std::is_default_constructible_v<plain>,
                      "an operation with state must live until the end: pass a named object of reduce_with<T>(f)");
        return stateless_reduction<T, plain>();
    }
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
