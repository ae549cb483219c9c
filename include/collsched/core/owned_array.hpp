#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Array of a length that is fixed at construction. It owns its elements, copies deeply and works during constant
/// evaluation, where a vector that grows is expensive: count first, then fill.
template <class T>
class owned_array {
  public:
    /// Array without elements.
    constexpr owned_array() = default;
    /// Allocates `size` value-initialized elements; none if size <= 0.
    /// @param size  number of elements
    constexpr explicit owned_array(std::int64_t size) {
        if (size <= 0) return;
        data_ = new T[static_cast<std::size_t>(size)]{};
        size_ = size;
    }
    /// Copies `values`.
    /// @param values  the elements
    constexpr explicit owned_array(std::span<const T> values) : owned_array(static_cast<std::int64_t>(values.size())) {
        for (std::int64_t i = 0; i < size_; ++i) data_[i] = values[static_cast<std::size_t>(i)];
    }
    /// Copies all elements. O(size).
    /// @param other  another array
    constexpr owned_array(const owned_array& other) : owned_array(std::span<const T>(other)) {}
    /// Takes the elements of other, which is empty afterwards. O(1).
    /// @param other  another array
    constexpr owned_array(owned_array&& other) noexcept { swap(other); }
    /// Replaces the elements by those of other. O(1) for a moved array, else O(size).
    /// @param other  another array, which is copied or moved into the parameter
    /// @return this array
    constexpr owned_array& operator=(owned_array other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~owned_array() { delete[] data_; }

    /// Returns the number of elements.
    /// @return 0 or more
    constexpr std::int64_t size() const { return size_; }
    /// Returns the memory of the elements.
    /// @return bytes
    constexpr std::int64_t footprint() const { return size_ * static_cast<std::int64_t>(sizeof(T)); }
    /// Returns whether the array has no elements.
    /// @return size() == 0
    constexpr bool empty() const { return size_ == 0; }
    /// Returns element i.
    /// @param i  index, 0 .. size() - 1
    /// @return a reference that is valid as long as this array
    constexpr T& operator[](std::int64_t i) { return data_[i]; }
    /// Returns element i.
    /// @param i  index, 0 .. size() - 1
    /// @return a reference that is valid as long as this array
    constexpr const T& operator[](std::int64_t i) const { return data_[i]; }
    /// Returns the begin of the elements.
    /// @return address of the first element; null for an empty array
    constexpr T* begin() { return data_; }
    /// Returns the end of the elements.
    /// @return address behind the last element; null for an empty array
    constexpr T* end() { return data_ + size_; }
    /// Returns the begin of the elements.
    /// @return address of the first element; null for an empty array
    constexpr const T* begin() const { return data_; }
    /// Returns the end of the elements.
    /// @return address behind the last element; null for an empty array
    constexpr const T* end() const { return data_ + size_; }
    /// Returns the elements first .. end-1.
    /// @param first  index, 0 .. end
    /// @param end    index, at most size()
    /// @return elements that are valid as long as this array
    constexpr std::span<const T> slice(std::int64_t first, std::int64_t end) const {
        return {data_ + first, static_cast<std::size_t>(end - first)};
    }

    /// Compares lengths and elements.
    /// @param other  another array
    /// @return true: equal length, and equal elements at every index
    constexpr bool operator==(const owned_array& other) const {
        if (size_ != other.size_) return false;
        for (std::int64_t i = 0; i < size_; ++i)
            if (!(data_[i] == other.data_[i])) return false;
        return true;
    }

  private:
    constexpr void swap(owned_array& other) noexcept {
        T* data = data_;
        std::int64_t size = size_;
        data_ = other.data_;
        size_ = other.size_;
        other.data_ = data;
        other.size_ = size;
    }

    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

}}  // namespace collsched::COLLSCHED_ABI
