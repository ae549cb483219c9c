#pragma once

#include <cstdint>

namespace collsched::inline v0_1 {

namespace detail {

template <class T, class Less>
constexpr void sift_down(T* first, std::int64_t root, std::int64_t n, Less less) {
    for (std::int64_t child = 2 * root + 1; child < n; root = child, child = 2 * root + 1) {
        if (child + 1 < n && less(first[child], first[child + 1])) ++child;
        if (!less(first[root], first[child])) return;
        T lower = first[root];
        first[root] = first[child];
        first[child] = lower;
    }
}

}  // namespace detail

/// Sorts first[0 .. n-1] in place, O(n) when already in order, else O(n log n); during constant evaluation too.
/// Not stable: less must order every two elements that differ. (<algorithm> alone would spend the include budget of core.)
template <class T, class Less>
constexpr void sort(T* first, std::int64_t n, Less less) {
    std::int64_t ordered = 1;
    while (ordered < n && !less(first[ordered], first[ordered - 1])) ++ordered;
    if (ordered >= n) return;
    if (n <= 16) {
        for (std::int64_t i = ordered; i < n; ++i) {
            T moving = first[i];
            std::int64_t hole = i;
            for (; hole > 0 && less(moving, first[hole - 1]); --hole) first[hole] = first[hole - 1];
            first[hole] = moving;
        }
        return;
    }
    for (std::int64_t root = n / 2; root-- > 0;) detail::sift_down(first, root, n, less);
    for (std::int64_t end = n; --end > 0;) {
        T largest = first[0];
        first[0] = first[end];
        first[end] = largest;
        detail::sift_down(first, 0, end, less);
    }
}

}  // namespace collsched::inline v0_1
