#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Sorts elements stably by a member with values 0 .. keys-1. O(elements + keys).
template <class T>
constexpr void order_by(std::vector<T>& elements, std::int64_t T::* key, std::size_t keys) {
    std::vector<std::size_t> next(keys + 1);
    for (const T& element : elements) ++next[static_cast<std::size_t>(element.*key) + 1];
    for (std::size_t k = 1; k <= keys; ++k) next[k] += next[k - 1];
    std::vector<T> ordered(elements.size());
    for (const T& element : elements) ordered[next[static_cast<std::size_t>(element.*key)]++] = element;
    elements = std::move(ordered);
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
