#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/owned_array.hpp"
#include "collsched/core/detail/sort.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Binary heap with the smallest element on top. push, pop and replace_top are O(log size), push amortized. Works
/// during constant evaluation.
template <class T>
class heap {
  public:
    constexpr heap() = default;
    /// Heap of these elements. O(size).
    constexpr explicit heap(owned_array<T> elements) : held_(std::move(elements)), size_(held_.size()) {
        for (std::int64_t root = size_ / 2; root-- > 0;) sink(root);
    }

    constexpr std::int64_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    /// Returns the smallest element.
    /// @pre not empty; also for pop and replace_top
    constexpr const T& top() const { return held_[0]; }

    constexpr void push(const T& element) {
        if (size_ == held_.size()) grow();
        std::int64_t hole = size_++;
        for (; hole > 0 && element < held_[(hole - 1) / 2]; hole = (hole - 1) / 2) held_[hole] = held_[(hole - 1) / 2];
        held_[hole] = element;
    }
    constexpr void pop() {
        held_[0] = held_[--size_];
        sink(0);
    }
    /// pop, then push.
    constexpr void replace_top(const T& element) {
        held_[0] = element;
        sink(0);
    }

  private:
    constexpr void sink(std::int64_t root) {
        detail::sift_down(held_.begin(), root, size_, [](const T& a, const T& b) { return b < a; });
    }
    constexpr void grow() {
        owned_array<T> larger(2 * size_ + 4);
        for (std::int64_t i = 0; i < size_; ++i) larger[i] = held_[i];
        held_ = std::move(larger);
    }

    owned_array<T> held_;  ///< the first size_ of it are the heap
    std::int64_t size_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
