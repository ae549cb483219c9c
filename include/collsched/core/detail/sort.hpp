#pragma once

#include <cstdint>

#include "collsched/core/bits.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns the first of the numbers low .. high-1 for which a condition holds, or high. O(log(high - low)) calls.
/// @pre the condition holds for every number after one for which it holds
template <class Condition>
constexpr std::int64_t first_where(std::int64_t low, std::int64_t high, Condition holds) {
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (holds(middle)) high = middle;
        else low = middle + 1;
    }
    return low;
}

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

template <class T, class Less>
constexpr void heap_sort(T* first, std::int64_t n, Less less) {
    for (std::int64_t root = n / 2; root-- > 0;) sift_down(first, root, n, less);
    for (std::int64_t end = n; --end > 0;) {
        T largest = first[0];
        first[0] = first[end];
        first[end] = largest;
        sift_down(first, 0, end, less);
    }
}

/// Sorts first[0 .. n-1], of which first[0 .. ordered-1] is in order.
template <class T, class Less>
constexpr void insertion_sort(T* first, std::int64_t ordered, std::int64_t n, Less less) {
    for (std::int64_t i = ordered; i < n; ++i) {
        T moving = first[i];
        std::int64_t hole = i;
        for (; hole > 0 && less(moving, first[hole - 1]); --hole) first[hole] = first[hole - 1];
        first[hole] = moving;
    }
}

/// Partitions first[0 .. n-1] around the median of three elements and returns the length of the front part. Neither
/// part is empty.
/// @pre n > 3
template <class T, class Less>
constexpr std::int64_t split(T* first, std::int64_t n, Less less) {
    const T &front = first[0], &middle = first[n / 2], &back = first[n - 1];
    const T pivot = less(front, middle) ? (less(middle, back)  ? middle
                                           : less(front, back) ? back
                                                               : front)
                                        : (less(front, back)    ? front
                                           : less(middle, back) ? back
                                                                : middle);
    for (std::int64_t low = 0, high = n - 1;; ++low, --high) {
        while (less(first[low], pivot)) ++low;
        while (less(pivot, first[high])) --high;
        if (low >= high) return high + 1;
        T moving = first[low];
        first[low] = first[high];
        first[high] = moving;
    }
}

/// Quicksort that passes parts to heap sort after `depth` nested partitions.
template <class T, class Less>
constexpr void quick_sort(T* first, std::int64_t n, Less less, int depth) {
    while (n > 16) {
        if (depth-- == 0) return heap_sort(first, n, less);
        const std::int64_t front = split(first, n, less);
        quick_sort(first + front, n - front, less, depth);
        n = front;
    }
    insertion_sort(first, 1, n, less);
}

/// Sorts first[0 .. n-1] in place. Not stable: `less` must order any two elements that differ. Works during constant
/// evaluation. O(n) if in order, else O(n log n). Replaces <algorithm>, which exceeds the include budget of core.
template <class T, class Less>
constexpr void sort(T* first, std::int64_t n, Less less) {
    std::int64_t ordered = 1;
    while (ordered < n && !less(first[ordered], first[ordered - 1])) ++ordered;
    if (ordered >= n) return;
    if (n <= 16) return insertion_sort(first, ordered, n, less);
    quick_sort(first, n, less, 2 * ceil_log2(n));
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
