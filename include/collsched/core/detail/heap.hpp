#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/owned_array.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Binary heap with the smallest element on top; equal ones in any order. push and take are O(log size), push amortized.
/// Works during constant evaluation.
///
/// take() leaves a hole for the next push(), so that a pair of calls sifts through the heap once.
template <class T>
class heap {
  public:
    constexpr heap() = default;
    /// Heap of these elements. O(size).
    constexpr explicit heap(owned_array<T> elements) : held_(std::move(elements)), size_(held_.size()) {
        for (std::int64_t root = size_ / 2; root-- > 0;) sink(root, T(held_[root]));
    }

    constexpr std::int64_t size() const { return size_ - (is_open_ ? 1 : 0); }
    constexpr bool empty() const { return size() == 0; }
    /// Returns the smallest element.
    /// @pre not empty; also for take
    constexpr const T& top() {
        close();
        return held_[0];
    }

    constexpr void push(const T& element) {
        if (is_open_) {
            is_open_ = false;
            return sink(0, element);
        }
        if (size_ == held_.size()) grow();
        std::int64_t hole = size_++;
        for (; hole > 0 && element < held_[(hole - 1) / 2]; hole = (hole - 1) / 2) held_[hole] = held_[(hole - 1) / 2];
        held_[hole] = element;
    }
    /// Removes and returns the smallest element.
    constexpr T take() {
        close();
        is_open_ = true;
        return held_[0];
    }

  private:
    constexpr void close() {
        if (!is_open_) return;
        is_open_ = false;
        if (--size_ > 0) sink(0, T(held_[size_]));
    }
    /// Places an element below a hole. The choice of a child is computed rather than a branch, which is hard to predict.
    constexpr void sink(std::int64_t hole, const T& element) {
        T* const elements = held_.begin();
        std::int64_t child = 2 * hole + 1;
        for (; child + 1 < size_; child = 2 * hole + 1) {
            child += static_cast<std::int64_t>(elements[child + 1] < elements[child]);
            if (!(elements[child] < element)) break;
            elements[hole] = elements[child];
            hole = child;
        }
        if (child + 1 == size_ && elements[child] < element) {
            elements[hole] = elements[child];
            hole = child;
        }
        elements[hole] = element;
    }
    constexpr void grow() {
        owned_array<T> larger(2 * size_ + 4);
        for (std::int64_t i = 0; i < size_; ++i) larger[i] = held_[i];
        held_ = std::move(larger);
    }

    owned_array<T> held_;  ///< the first size_ of it are the heap
    std::int64_t size_ = 0;
    bool is_open_ = false;  ///< the root has been taken
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
