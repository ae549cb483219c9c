#pragma once

#include <cstdint>
#include <type_traits>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Immutable value with a reference count: a copy costs one counter, whatever the size of the value. Copies may be used
/// by different threads. Works during constant evaluation. A default object holds no value.
template <class T>
class shared {
  public:
    constexpr shared() = default;
    constexpr explicit shared(T value) : cell_(new cell{static_cast<T&&>(value)}) {}
    constexpr shared(const shared& other) noexcept : cell_(other.cell_) {
        if (cell_ != nullptr) count(+1);
    }
    constexpr shared(shared&& other) noexcept : cell_(other.cell_) { other.cell_ = nullptr; }
    constexpr shared& operator=(shared other) noexcept {
        cell* previous = cell_;
        cell_ = other.cell_;
        other.cell_ = previous;
        return *this;
    }
    constexpr ~shared() {
        if (cell_ != nullptr && count(-1) == 0) delete cell_;
    }

    constexpr explicit operator bool() const { return cell_ != nullptr; }
    constexpr const T& operator*() const { return cell_->value; }
    constexpr const T* operator->() const { return &cell_->value; }

    /// Returns an address that copies of one object share while one of them lives, or null without a value.
    constexpr const void* identity() const { return cell_; }

    /// Returns whether both hold no value, or equal values.
    constexpr bool operator==(const shared& other) const {
        if (cell_ == other.cell_) return true;
        return cell_ != nullptr && other.cell_ != nullptr && cell_->value == other.cell_->value;
    }

  private:
    struct cell {
        T value;
        std::int64_t holders = 1;
    };

    /// Adds `change` to the reference count and returns the sum. The thread that drops the last reference synchronizes
    /// with all earlier releases.
    constexpr std::int64_t count(std::int64_t change) {
        if (std::is_constant_evaluated()) return cell_->holders += change;
        return __atomic_add_fetch(&cell_->holders, change, __ATOMIC_ACQ_REL);
    }

    cell* cell_ = nullptr;
};

/// A value or none, as constructed: without assignment, for any type that can be copied, also in constant expressions.
/// `<optional>` is 1,400 lines more.
template <class T>
class fixed_optional {
  public:
    constexpr fixed_optional() = default;
    constexpr explicit fixed_optional(const T& value) : full_(true), place_(value) {}
    constexpr fixed_optional(const fixed_optional& other) : full_(other.full_), place_(copy(other)) {}
    fixed_optional& operator=(const fixed_optional&) = delete;
    constexpr ~fixed_optional() {
        if (full_) place_.value.~T();
    }

    constexpr explicit operator bool() const { return full_; }
    constexpr const T& operator*() const { return place_.value; }

  private:
    union place {
        char none;
        T value;

        constexpr place() : none() {}
        constexpr explicit place(const T& v) : value(v) {}
        place(const place&) = delete;
        constexpr ~place() {}
    };
    static constexpr place copy(const fixed_optional& other) {
        if (other.full_) return place(other.place_.value);
        return place();
    }

    bool full_ = false;
    place place_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
