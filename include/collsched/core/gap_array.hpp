#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/owned_array.hpp"

namespace collsched {

/// A sequence that is inserted into and erased from, most often near the last place: an array with a gap there. An insertion
/// or erasure costs O(elements between its place and the last one's), an appended element O(1) amortised. T is copied about
/// and has a default value.
template <class T>
class gap_array {
  public:
    constexpr std::int64_t size() const { return room_.size() - gap_; }
    constexpr bool empty() const { return size() == 0; }
    constexpr T& operator[](std::int64_t i) { return room_[i < before_ ? i : i + gap_]; }
    constexpr const T& operator[](std::int64_t i) const { return room_[i < before_ ? i : i + gap_]; }

    constexpr void insert(std::int64_t i, T value) {
        if (gap_ == 0) grow();
        move_gap(i);
        room_[before_++] = value;
        --gap_;
    }
    constexpr void push_back(T value) { insert(size(), value); }

    /// The elements first .. last-1 go.
    constexpr void erase(std::int64_t first, std::int64_t last) {
        move_gap(first);
        gap_ += last - first;
    }
    /// Keeps the room.
    constexpr void clear() { before_ = 0, gap_ = room_.size(); }

    /// All elements, one behind another, until the next insertion.
    constexpr std::span<T> joined() {
        move_gap(size());
        return {room_.begin(), static_cast<std::size_t>(before_)};
    }

  private:
    constexpr void move_gap(std::int64_t i) {
        for (; before_ > i; --before_) room_[before_ - 1 + gap_] = room_[before_ - 1];
        for (; before_ < i; ++before_) room_[before_] = room_[before_ + gap_];
    }

    constexpr void grow() {
        owned_array<T> larger(room_.size() < 4 ? 8 : 2 * room_.size());
        for (std::int64_t i = 0; i < room_.size(); ++i) larger[i] = room_[i];
        before_ = room_.size();
        gap_ = larger.size() - room_.size();
        room_ = static_cast<owned_array<T>&&>(larger);
    }

    owned_array<T> room_;
    std::int64_t before_ = 0, gap_ = 0;  // room_ is `before_` elements, the gap, and the other elements
};

}  // namespace collsched
