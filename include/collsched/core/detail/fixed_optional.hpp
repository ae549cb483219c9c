#pragma once

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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
