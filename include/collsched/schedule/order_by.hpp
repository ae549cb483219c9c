#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace collsched::inline v0_1::detail {

/// Orders elements by a member that is 0 .. keys-1; those of one key stay in order. O(elements + keys).
template <class T>
void order_by(std::vector<T>& elements, std::int64_t T::* key, std::size_t keys) {
    std::vector<std::size_t> next(keys + 1);
    for (const T& one : elements) ++next[static_cast<std::size_t>(one.*key) + 1];
    for (std::size_t k = 1; k <= keys; ++k) next[k] += next[k - 1];
    std::vector<T> ordered(elements.size());
    for (const T& one : elements) ordered[next[static_cast<std::size_t>(one.*key)]++] = one;
    elements = std::move(ordered);
}

}  // namespace collsched::inline v0_1::detail
