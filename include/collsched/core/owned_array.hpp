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
    constexpr owned_array() = default;
    /// Allocates `size` value-initialized elements; none if size <= 0.
    constexpr explicit owned_array(std::int64_t size)
        : data_(size > 0 ? new T[static_cast<std::size_t>(size)]{} : nullptr), size_(size > 0 ? size : 0) {}
    /// Copies `values`.
    constexpr explicit owned_array(std::span<const T> values) : owned_array(static_cast<std::int64_t>(values.size())) {
        for (std::int64_t i = 0; i < size_; ++i) data_[i] = values[static_cast<std::size_t>(i)];
    }
    constexpr owned_array(const owned_array& other) : owned_array(std::span<const T>(other)) {}
    constexpr owned_array(owned_array&& other) noexcept { swap(other); }
    constexpr owned_array& operator=(owned_array other) noexcept {
        swap(other);
        return *this;
    }
    constexpr ~owned_array() { delete[] data_; }

    constexpr std::int64_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T& operator[](std::int64_t i) { return data_[i]; }
    constexpr const T& operator[](std::int64_t i) const { return data_[i]; }
    constexpr T* begin() { return data_; }
    constexpr T* end() { return data_ + size_; }
    constexpr const T* begin() const { return data_; }
    constexpr const T* end() const { return data_ + size_; }

    /// Compares lengths and elements.
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
