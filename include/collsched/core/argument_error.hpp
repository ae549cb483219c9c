#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"
#if COLLSCHED_EXCEPTIONS
#include <exception>
#endif

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Both none, or the same characters.
constexpr bool same_text(const char* a, const char* b) {
    if (a == nullptr || b == nullptr) return a == nullptr && b == nullptr;
    for (; *a != '\0' && *a == *b; ++a, ++b) {}
    return *a == *b;
}

}  // namespace detail

/// The first thing wrong with the parameters of a schedule: which argument, its value, what would be accepted.
/// A default-made error is none: `if (error e = check(s)) ...`.
struct argument_error {
    const char* argument = nullptr;
    std::int64_t value = 0;
    const char* accepted = nullptr;
    std::int64_t index = -1;  ///< position in a list argument, or -1

    constexpr explicit operator bool() const { return argument != nullptr; }
    /// By their texts: the same literal may stand in several places of a program.
    constexpr bool operator==(const argument_error& other) const {
        return value == other.value && index == other.index && detail::same_text(argument, other.argument) &&
               detail::same_text(accepted, other.accepted);
    }
};

/// One line, "counts[2] = -3 (accepted: 0 bytes or more)", in memory of its own; "no error" of none.
class error_text {
  public:
    explicit constexpr error_text(const argument_error& e) {
        if (!e) {
            put("no error");
            return;
        }
        put(e.argument);
        if (e.index >= 0) {
            put("[");
            put(e.index);
            put("]");
        }
        put(" = ");
        put(e.value);
        put(" (accepted: ");
        put(e.accepted);
        put(")");
    }

    constexpr const char* c_str() const { return text_; }

  private:
    static constexpr int capacity = 255;

    constexpr void put(const char* text) {
        for (; text != nullptr && *text != '\0' && length_ < capacity; ++text) text_[length_++] = *text;
    }

    constexpr void put(std::int64_t value) {
        char digits[21] = {};
        int first = 20;
        auto rest =
            value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        do digits[--first] = static_cast<char>('0' + static_cast<char>(rest % 10));
        while ((rest /= 10) != 0);
        if (value < 0) digits[--first] = '-';
        put(digits + first);
    }

    char text_[capacity + 1] = {};
    int length_ = 0;
};

#if COLLSCHED_EXCEPTIONS
/// What is thrown, where exceptions are on, by everything that is asked to work on wrong parameters.
class bad_argument : public std::exception {
  public:
    explicit bad_argument(const argument_error& e) : error_(e), text_(e) {}
    const argument_error& which() const noexcept { return error_; }
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    argument_error error_;
    error_text text_;
};
#endif

/// Throws bad_argument if e is an error and exceptions are on; else hands e back, for the caller to keep.
constexpr argument_error refuse_if(argument_error e) {
#if COLLSCHED_EXCEPTIONS
    if (e) throw bad_argument(e);
#endif
    return e;
}

}}  // namespace collsched::COLLSCHED_ABI
