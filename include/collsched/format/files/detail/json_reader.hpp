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
#include "collsched/format/files/detail/json_value.hpp"
#include "collsched/format/files/detail/text_lines.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Reads a whole number of at least `least`. `name` is the argument in the error message.
inline std::int64_t whole_number(const text_file& file, const json_value& value, std::string_view name,
                                 std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const auto* whole = value.as<std::int64_t>();
    if (whole != nullptr && *whole >= least && *whole <= most) return *whole;
    const bool bounded = most != std::numeric_limits<std::int64_t>::max();
    const std::string expected =
        fmt::format("a whole number, {} to {}", least, bounded ? fmt::format("{}", most) : "2^63-1");
    if (whole != nullptr) file.refuse(value.line, name, fmt::format("{}", *whole), expected);
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
    const std::optional<std::int64_t> scaled = scale.rounds ? exact.nearest(scale.power) : exact.whole(scale.power);
    if (!scaled || *scaled < least || *scaled > most || exact.text().starts_with('-'))
        file.refuse(value.line, name, exact.text().substr(0, 40), expected);
    return *scaled;
}

/// Checks and converts JSON values for readers. Every mistake throws an input_error with its line.
class json_reader {
  public:
    explicit json_reader(const text_file& file) : file_(file) {}

    /// Returns the text of the file as a value.
    json_value parse() const {
        file_.refuse_zero_bytes("JSON");
        return parse_json(file_, file_.text, 1);
    }
    /// Returns a whole number of at least `least`. `name` is the argument in the error message.
    std::int64_t whole(const json_value& value, std::string_view name, std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
        return whole_number(file_, value, name, least, most);
    }

    /// Rejects values that are not objects, and unknown and duplicate keys. Unknown keys are permitted that begin with
    /// `extension`, unless it is empty.
    template <class Keys = std::initializer_list<std::string_view>>
    void check_keys(const json_value& value, std::string_view name, const Keys& keys,
                    std::string_view extension = {}) const {
        const auto* members = value.as<json_value::object>();
        const auto expected = [&] {
            std::string all;
            for (const std::string_view key : keys) (all += all.empty() ? "" : ", ") += key;
            return all;
        };
        if (members == nullptr) file_.refuse(value.line, name, "no object", "{" + expected() + "}");
        std::vector<std::string_view> seen;
        for (const json_member& member : *members) {
            const bool extends = !extension.empty() && member.key.starts_with(extension);
            if (!extends && std::find(keys.begin(), keys.end(), member.key) == keys.end())
                file_.refuse(member.line, fmt::format("unknown key {} in {}", json_text(member.key), name), expected());
            if (std::find(seen.begin(), seen.end(), member.key) != seen.end())
                file_.refuse(member.line, fmt::format("key {} twice in {}", json_text(member.key), name), "once");
            seen.push_back(member.key);
        }
    }
    static const json_value* find(const json_value& value, std::string_view key) {
        for (const json_member& member : *value.as<json_value::object>())
            if (member.key == key) return &member.value;
        return nullptr;
    }
    const json_value& needed(const json_value& value, std::string_view key) const {
        const json_value* found = find(value, key);
        if (found == nullptr) file_.refuse(value.line, key, "", "a key of this object");
        return *found;
    }
    const json_value::list& list(const json_value& value, std::string_view name) const {
        const auto* items = value.as<json_value::list>();
        if (items == nullptr) file_.refuse(value.line, name, "no list", "[...]");
        return *items;
    }
    const std::string& text(const json_value& value, std::string_view name) const {
        const auto* content = value.as<std::string>();
        if (content == nullptr) file_.refuse(value.line, name, "no text", "\"...\"");
        return *content;
    }
    bool truth(const json_value& value, std::string_view name) const {
        const auto* content = value.as<bool>();
        if (content == nullptr) file_.refuse(value.line, name, "another value", "true or false");
        return *content;
    }

    /// Calls f for the value of every line that is not empty.
    template <class F>
    void for_each_line(F f) const {
        file_.refuse_zero_bytes("JSON Lines");
        int line = 0;
        for (std::string_view rest = file_.text; !rest.empty();) {
            ++line;
            const std::string_view text = take_line(rest);
            if (text.find_first_not_of(" \t\r") != text.npos) f(parse_json(file_, text, line));
        }
    }

  protected:
    const text_file& file_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
