#pragma once

#include <cstddef>
#include <type_traits>

#include "collsched/core/edge.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// A plain function that combines `size` bytes. `context` points to its state.
struct combine_function {
    using pointer = void (*)(void* context, std::byte* into, const std::byte* incoming, bytes_t size, action action);

    constexpr combine_function() = default;
    constexpr combine_function(pointer function) : function_(function) {}
    template <class F>
    constexpr combine_function(const F& f) : function_(nullptr) {
        static_assert(
            std::is_convertible_v<F, pointer>,
            "reduction::combine is `void(void* context, std::byte* into, const std::byte* incoming, bytes_t size, "
            "action)`, as a function or a lambda without captures; state goes into reduction::context");
        if constexpr (std::is_convertible_v<F, pointer>) function_ = f;
    }

    constexpr explicit operator bool() const { return function_ != nullptr; }
    void operator()(void* context, std::byte* into, const std::byte* incoming, bytes_t size, action action) const {
        function_(context, into, incoming, size, action);
    }
    constexpr bool operator==(const combine_function&) const = default;

  private:
    pointer function_ = nullptr;
};

}  // namespace detail

/// Operation of a reduction. combine_before: into := incoming op into. combine_after: into := into op incoming. A
/// schedule that reorders operands fails with not_commutative unless `commutative` is true.
struct reduction {
    /// `void combine(void* context, std::byte* into, const std::byte* incoming, bytes_t size, action)`: applies the
    /// operation to `size` bytes, at any address. `into` and `incoming` do not overlap.
    detail::combine_function combine{};
    void* context = nullptr;   ///< first argument of both functions
    bool commutative = false;  ///< a op b equals b op a
    /// Optional: into := first op second, over `size` bytes. `into` is first, second, or overlaps neither. Transports
    /// that combine as they receive use it; without it they copy an operand and call `combine`.
    void (*combine_into)(void* context, std::byte* into, const std::byte* first, const std::byte* second,
                         bytes_t size) = nullptr;
    /// Size of a value in bytes, 0 or more; 0: unknown. If it is known, start() fails with element_mismatch for a
    /// schedule whose `element` is no multiple of it, which may divide messages within a value; and a transport that
    /// combines as it receives needs no room for the whole message.
    bytes_t element = 0;
};

}}  // namespace collsched::COLLSCHED_ABI
