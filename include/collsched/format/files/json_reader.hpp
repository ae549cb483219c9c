#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/text.hpp"
#include <fmt/ranges.h>

#include "collsched/format/files/detail/json_value.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Reads a whole number of at least `least`. `name` is the argument in the error message.
inline std::int64_t whole_number(const text_file& file, const json_value& value, std::string_view name,
                                 std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const auto* integer = value.as<std::int64_t>();
    if (integer != nullptr && *integer >= least && *integer <= most) return *integer;
    const bool bounded = most != std::numeric_limits<std::int64_t>::max();
    const std::string expected =
        fmt::format("a whole number, {} to {}", least, bounded ? fmt::format("{}", most) : "2^63-1");
    if (integer != nullptr) file.refuse(value.line, name, fmt::format("{}", *integer), expected);
    if (const auto other = value.number()) {
        std::string digits = fmt::format("{}", *other);
        if (digits.find_first_not_of("-0123456789") == digits.npos) digits += ".0";
        file.refuse(value.line, name, digits, expected);
    }
    file.refuse(value.line, name, "no number", expected);
}

/// How a number is converted to a whole number: times 10^power, and rounded to the nearest one or not.
struct decimal_scale {
    int power = 0;
    bool rounds = false;  ///< otherwise the product must be whole
};
/// Reads a decimal number whose scaled value is at least `least`, which is not negative, and at most `most`. `name` is
/// the argument in the error message.
inline std::int64_t scaled_number(const text_file& file, const json_value& value, std::string_view name,
                                  decimal_scale scale, std::int64_t least, std::int64_t most,
                                  std::string_view expected) {
    const auto* integer = value.as<std::int64_t>();
    const auto* digits = value.as<decimal>();
    const decimal exact(integer != nullptr ? fmt::format("{}", *integer) : digits != nullptr ? digits->text() : "");
    if (exact.text().empty()) file.refuse(value.line, name, "no number", expected);
    const std::optional<std::int64_t> scaled =
        scale.rounds ? exact.nearest(scale.power) : exact.to_integer(scale.power);
    if (!scaled || *scaled < least || *scaled > most || exact.text().starts_with('-'))
        file.refuse(value.line, name, exact.text().substr(0, 40), expected);
    return *scaled;
}

}  // namespace detail

/// Base of readers of JSON: parses the text, and checks and converts values. Every mistake throws an input_error with its
/// line.
class json_reader {
  public:
    /// A value of the text, and its line.
    using json_value = detail::json_value;
    /// A member of an object: its key, line and value.
    using json_member = detail::json_member;

    /// Reader of a text.
    /// @param file  the text; must outlive the reader
    explicit json_reader(const text_file& file) : file_(file) {}

    /// Returns the value that is the whole text.
    json_value parse() const { return detail::parse_json(file_); }
    /// Returns the value of a text in place of the reader's own.
    /// @param text  JSON with the lines of the reader's text
    json_value parse(std::string_view text) const { return detail::parse_json(file_, text, 1); }

    /// Rejects values that are not objects, and unknown and duplicate keys.
    /// @param value      the object
    /// @param name       argument in errors, as for all functions below
    /// @param keys       permitted keys
    /// @param extension  beginning of other permitted keys; empty: none
    template <class Keys = std::initializer_list<std::string_view>>
    void check_keys(const json_value& value, std::string_view name, const Keys& keys,
                    std::string_view extension = {}) const {
        const auto* members = value.as<json_value::object>();
        const auto expected = [&] { return fmt::format("{}", fmt::join(keys, ", ")); };
        if (members == nullptr) file_.refuse(value.line, name, "no object", "{" + expected() + "}");
        std::vector<std::string_view> read_keys;
        for (const detail::json_member& member : *members) {
            const bool extends = !extension.empty() && member.key.starts_with(extension);
            if (!extends && std::find(keys.begin(), keys.end(), member.key) == keys.end())
                file_.refuse(member.line, fmt::format("unknown key {} in {}", json_text(member.key), name), expected());
            if (std::find(read_keys.begin(), read_keys.end(), member.key) != read_keys.end())
                file_.refuse(member.line, fmt::format("key {} twice in {}", json_text(member.key), name), "once");
            read_keys.push_back(member.key);
        }
    }
    /// Returns the value of a key, or null.
    /// @param value  an object
    /// @param key    the key
    static const json_value* find(const json_value& value, std::string_view key) {
        for (const detail::json_member& member : *value.as<json_value::object>())
            if (member.key == key) return &member.value;
        return nullptr;
    }
    /// Returns the value of a key that the object must have.
    /// @param value  an object
    /// @param key    the key
    const json_value& needed(const json_value& value, std::string_view key) const {
        const json_value* found = find(value, key);
        if (found == nullptr) file_.refuse(value.line, key, "", "a key of this object");
        return *found;
    }
    /// Returns the values of a list.
    /// @param value  the list
    /// @param name   argument in errors
    const json_value::list& list(const json_value& value, std::string_view name) const {
        const auto* items = value.as<json_value::list>();
        if (items == nullptr) file_.refuse(value.line, name, "no list", "[...]");
        return *items;
    }
    /// Returns the characters of a text.
    /// @param value  the text
    /// @param name   argument in errors
    const std::string& text(const json_value& value, std::string_view name) const {
        const auto* content = value.as<std::string>();
        if (content == nullptr) file_.refuse(value.line, name, "no text", "\"...\"");
        return *content;
    }
    /// Returns a whole number.
    /// @param value  the number
    /// @param name   argument in errors
    /// @param least  least valid number
    /// @param most   largest valid number
    std::int64_t integer(const json_value& value, std::string_view name, std::int64_t least,
                         std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
        return detail::whole_number(file_, value, name, least, most);
    }
    /// Returns a value that is true or false.
    /// @param value  the value
    /// @param name   argument in errors
    bool truth(const json_value& value, std::string_view name) const {
        const auto* content = value.as<bool>();
        if (content == nullptr) file_.refuse(value.line, name, "another value", "true or false");
        return *content;
    }

    /// Calls f for the value of every line that is not empty.
    /// @param f  called with a value
    template <class F>
    void for_each_line(F f) const {
        file_.refuse_zero_bytes("JSON Lines");
        int line = 0;
        for (std::string_view unread = file_.text; !unread.empty();) {
            ++line;
            const std::string_view text = take_line(unread);
            if (text.find_first_not_of(" \t\r") != text.npos) f(detail::parse_json(file_, text, line));
        }
    }

  protected:
    const text_file& file_;  ///< the text, for errors of derived readers
};

}}  // namespace collsched::COLLSCHED_ABI
