#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/execute/reduction.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// A reduction by a function object on values of type T: `T f(const T& a, const T& b)` returns a op b, with operand a
/// of the lower rank. Holds f, which may have state; a `reduction` refers to this object, which must live until the
/// last start with it has ended. Values may be at any address: they are copied to aligned ones.
template <class T, class F>
class typed_reduction {
    static_assert(std::is_trivially_copyable_v<T>,
                  "reduce_with<T> needs a trivially copyable T: messages copy its bytes");
    static_assert(std::is_invocable_r_v<T, F&, const T&, const T&>,
                  "reduce_with<T>(f) needs `T f(const T& a, const T& b)`, which returns a op b");

  public:
    explicit typed_reduction(F f, bool commutative) : f_(std::move(f)), commutative_(commutative) {}

    operator reduction() & {  // NOLINT: it represents a reduction
        return {&combine, this, commutative_, &combine_into, static_cast<bytes_t>(sizeof(T))};
    }
    /// A temporary would not live until the start ends.
    operator reduction() && = delete;

    /// The first mistake for a schedule with this contract: elements that are no whole number of values.
    argument_error check(const contract& c) const {
        constexpr auto size = static_cast<bytes_t>(sizeof(T));
        if (c.element % size == 0) return {};
        return {"element", c.element, "a multiple of the size of the type that is reduced"};
    }

  private:
    static void combine(void* context, std::byte* into, const std::byte* incoming, bytes_t size, action action) {
        const bool incoming_first = action == action::combine_before;
        combine_into(context, into, incoming_first ? incoming : into, incoming_first ? into : incoming, size);
    }
    static void combine_into(void* context, std::byte* into, const std::byte* first, const std::byte* second,
                             bytes_t size) {
        constexpr auto step = static_cast<bytes_t>(sizeof(T));
        if (refuse_if(size % step == 0
                          ? argument_error{}
                          : argument_error{"size", size, "a multiple of the size of the type that is reduced"}))
            return;
        F& f = static_cast<typed_reduction*>(context)->f_;
        for (bytes_t at = 0; at < size; at += step) {
            T a, b;
            std::memcpy(&a, first + at, sizeof(T));
            std::memcpy(&b, second + at, sizeof(T));
            const T value = f(std::as_const(a), std::as_const(b));
            std::memcpy(into + at, &value, sizeof(T));
        }
    }

    F f_;
    bool commutative_;
};

}  // namespace detail

/// Returns the reduction of values of type T by f.
/// @tparam T  trivially copyable type
/// @param f            callable: T f(const T& a, const T& b) returns a op b, with operand a of the lower rank
/// @param commutative  f(a, b) equals f(b, a), so that schedules may reorder operands
/// @return object that converts to `reduction`; it must live until the start has ended
template <class T, class F>
detail::typed_reduction<T, F> reduce_with(F f, bool commutative = false) {
    return detail::typed_reduction<T, F>(std::move(f), commutative);
}

}}  // namespace collsched::COLLSCHED_ABI
