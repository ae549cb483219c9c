#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"
#if COLLSCHED_EXCEPTIONS
#include <exception>
#endif

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// True if both are null, or both hold the same characters.
constexpr bool same_text(const char* a, const char* b) {
    if (a == nullptr || b == nullptr) return a == nullptr && b == nullptr;
    for (; *a != '\0' && *a == *b; ++a, ++b) {}
    return *a == *b;
}

constexpr bool is_missing(const char* value) { return *value == '\0'; }
constexpr bool is_missing(std::int64_t) { return false; }

/// Writes the first part of an error: `ARGUMENT[INDEX]: got VALUE` or `ARGUMENT is required`.
template <class Put, class Value>
constexpr void write_got(Put put, const char* argument, std::int64_t index, Value value) {
    put(argument);
    if (index >= 0) {
        put("[");
        put(index);
        put("]");
    }
    if (is_missing(value)) return put(" is required");
    put(*argument == '\0' ? "got " : ": got ");
    put(value);
}

/// Writes the text of every error of the library, piece by piece, by calls of put(text) and put(number).
/// - `ARGUMENT[INDEX]: got VALUE, expected RANGE`, without `[INDEX]` if index is negative
/// - `got VALUE, expected RANGE` if argument is empty
/// - `ARGUMENT is required: RANGE` if value is an empty text
template <class Put, class Value>
constexpr void write_error(Put put, const char* argument, std::int64_t index, Value value, const char* expected) {
    write_got(put, argument, index, value);
    put(is_missing(value) ? ": " : ", expected ");
    put(expected);
}

/// The text of an error as one line, in an array of its own; a longer line is cut after 255 characters.
class error_text {
  public:
    constexpr void put(const char* text) {
        for (; text != nullptr && *text != '\0' && length_ < capacity; ++text) text_[length_++] = *text;
    }

    constexpr void put(std::int64_t value) {
        char digits[21] = {};
        int first = 20;
        auto magnitude =
            value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        do digits[--first] = static_cast<char>('0' + static_cast<char>(magnitude % 10));
        while ((magnitude /= 10) != 0);
        if (value < 0) digits[--first] = '-';
        put(digits + first);
    }

    constexpr const char* c_str() const { return text_; }

  private:
    static constexpr int capacity = 255;

    char text_[capacity + 1] = {};
    int length_ = 0;
};

}  // namespace detail

/// The first wrong parameter of a schedule: its name, its value and the expected range. A default-constructed
/// argument_error is no error: `if (argument_error error = check(s)) ...`.
struct argument_error {
    const char* argument = nullptr;  ///< name of the parameter; null: no error
    std::int64_t value = 0;          ///< value of the parameter
    const char* expected = nullptr;  ///< range of valid values, as text
    std::int64_t index = -1;         ///< position in a list argument, or -1

    /// Returns whether this is an error.
    constexpr explicit operator bool() const { return argument != nullptr; }

    /// Returns the error as one line such as "counts[2]: got -3, expected 0 bytes or more", or "no error". c_str() of
    /// the result is its text; a longer line is cut after 255 characters.
    /// @return text of at most 255 characters, owned by the result
    constexpr detail::error_text text() const {
        detail::error_text line;
        if (*this) detail::write_error([&](auto piece) { line.put(piece); }, argument, index, value, expected);
        else line.put("no error");
        return line;
    }

    /// Compares texts by their characters, since a program may hold several copies of a literal.
    /// @param other  another error, or no error
    /// @return whether all members are equal
    constexpr bool operator==(const argument_error& other) const {
        return value == other.value && index == other.index && detail::same_text(argument, other.argument) &&
               detail::same_text(expected, other.expected);
    }
};

#if COLLSCHED_EXCEPTIONS
/// Thrown, where exceptions are on, by functions that receive wrong parameters.
class bad_argument : public std::exception {
  public:
    /// Exception for error e.
    /// @param e  the error; its texts must be literals, or outlive the exception
    explicit bad_argument(const argument_error& e) : error_(e), text_(e.text()) {}
    /// Returns the error.
    /// @return reference to a member of this exception
    const argument_error& error() const noexcept { return error_; }
    /// Returns the text of the error, as argument_error::text().
    /// @return null-terminated text, valid as long as this exception
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    argument_error error_;
    detail::error_text text_;
};
#endif

/// Throws bad_argument if e is an error and exceptions are on; otherwise returns e for the caller to keep.
/// @param e  an error, or no error
/// @return e
constexpr argument_error refuse_if(argument_error e) {
#if COLLSCHED_EXCEPTIONS
    if (e) throw bad_argument(e);
#endif
    return e;
}

}}  // namespace collsched::COLLSCHED_ABI
