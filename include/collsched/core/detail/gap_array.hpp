#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Sequence with insertion and erasure in the middle: an array with a gap at the last position used. An insertion or
/// erasure is O(elements between its position and the last one), an append O(1) amortized. T is copyable and has a
/// default value. It manages its memory itself, since every function call costs in constant evaluation.
template <class T>
class gap_array {
  public:
    constexpr gap_array() = default;
    gap_array(const gap_array&) = delete;
    gap_array& operator=(const gap_array&) = delete;
    constexpr ~gap_array() { delete[] room_; }

    constexpr std::int64_t size() const { return capacity_ - gap_; }
    constexpr bool empty() const { return capacity_ == gap_; }
    constexpr T& operator[](std::int64_t i) { return room_[i < before_ ? i : i + gap_]; }
    constexpr const T& operator[](std::int64_t i) const { return room_[i < before_ ? i : i + gap_]; }

    constexpr void insert(std::int64_t i, T value) {
        if (gap_ == 0) grow();
        if (i != before_) move_gap(i);
        room_[before_++] = value;
        --gap_;
    }
    constexpr void push_back(T value) { insert(capacity_ - gap_, value); }

    /// Removes the elements first .. last-1.
    constexpr void erase(std::int64_t first, std::int64_t last) {
        move_gap(first);
        gap_ += last - first;
    }
    /// Removes all elements and keeps the memory.
    constexpr void clear() { before_ = 0, gap_ = capacity_; }

    /// Returns all elements as one span, valid until the next insertion.
    constexpr std::span<T> joined() {
        move_gap(capacity_ - gap_);
        return {room_, static_cast<std::size_t>(before_)};
    }

  private:
    constexpr void move_gap(std::int64_t i) {
        for (; before_ > i; --before_) room_[before_ - 1 + gap_] = room_[before_ - 1];
        for (; before_ < i; ++before_) room_[before_] = room_[before_ + gap_];
    }

    /// Enlarges the memory.
    /// @pre there is no gap
    constexpr void grow() {
        const std::int64_t capacity = 2 * capacity_ + 8;
        T* const room = new T[static_cast<std::size_t>(capacity)]{};
        for (std::int64_t i = 0; i < capacity_; ++i) room[i] = room_[i];
        delete[] room_;
        room_ = room;
        before_ = capacity_;
        gap_ = capacity - capacity_;
        capacity_ = capacity;
    }

    T* room_ = nullptr;
    std::int64_t capacity_ = 0;
    std::int64_t before_ = 0, gap_ = 0;  // room_ is `before_` elements, the gap, and the other elements
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
