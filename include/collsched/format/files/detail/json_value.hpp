#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "collsched/format/files/text_file.hpp"
#include "collsched/format/files/detail/quantity.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

struct json_member;

/// A value of a text in JSON or YAML, and the line on which it begins.
struct json_value {
    using list = std::vector<json_value>;
    using object = std::vector<json_member>;  ///< members in the order of the text, including duplicates

    /// The members take 24 bytes, since a matrix as JSON consists of many small values.
    int line = 1;
    /// Whole numbers in range are std::int64_t. Other numbers are double, or decimal if the parser keeps their digits.
    std::variant<std::nullptr_t, bool, std::int64_t, double, std::unique_ptr<decimal>, std::unique_ptr<std::string>,
                 std::unique_ptr<list>, std::unique_ptr<object>>
        content;

    bool is_null() const { return content.index() == 0; }
    /// Returns the content as a T, or null if it has another type.
    template <class T>
    const T* as() const {
        if constexpr (std::is_arithmetic_v<T>) return std::get_if<T>(&content);
        else if (const auto* held = std::get_if<std::unique_ptr<T>>(&content)) return held->get();
        else return nullptr;
    }
    /// Returns the number, whole or not; nothing if the value is not a number.
    std::optional<double> number() const {
        if (const auto* integer = as<std::int64_t>()) return static_cast<double>(*integer);
        if (const auto* other = as<double>()) return *other;
        if (const auto* digits = as<decimal>()) return digits->value();
        return std::nullopt;
    }
};
/// How a parser keeps numbers that are not whole.
enum class json_numbers { as_double, as_decimal };
struct json_member {
    std::string key;
    int line = 1;
    json_value value;
};

/// An iterator over the characters of a text that counts lines. `line` is the line of the last character passed that is
/// not whitespace. A parser reads one character ahead to find the end of a number; the count still is the number's
/// line.
class counted_text {
  public:
    struct position {
        int current = 1, line = 1;
    };
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    counted_text(const char* at, position* passed) : at_(at), passed_(passed) {}

    reference operator*() const { return *at_; }
    counted_text& operator++() {
        if (*at_ == '\n') ++passed_->current;
        else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r') passed_->line = passed_->current;
        ++at_;
        return *this;
    }
    counted_text operator++(int) {
        counted_text before = *this;
        ++*this;
        return before;
    }
    bool operator==(const counted_text& other) const { return at_ == other.at_; }

  private:
    const char* at_;
    position* passed_;
};

/// Builds values from the events of a parser. The names of its functions are those of nlohmann::json_sax.
class json_builder {
  public:
    json_builder(const text_file& file, const counted_text::position& passed, json_numbers numbers)
        : file_(file), passed_(passed), numbers_(numbers) {}

    json_value take() { return std::move(root_); }

    bool null() { return put(nullptr); }
    bool boolean(bool value) { return put(value); }
    bool number_integer(std::int64_t value) { return put(value); }
    bool number_unsigned(std::uint64_t value) {
        if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
            return number_float(static_cast<double>(value), fmt::format("{}", value));
        return put(static_cast<std::int64_t>(value));
    }
    bool number_float(double value, const std::string& digits) {
        if (numbers_ == json_numbers::as_double) return put(value);
        return put(std::make_unique<decimal>(digits));
    }
    bool string(std::string& value) { return put(std::make_unique<std::string>(std::move(value))); }
    bool binary(nlohmann::json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open<json_value::object>(); }
    bool start_array(std::size_t) { return open<json_value::list>(); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool key(std::string& name) {
        std::get<object>(open_.back()->content)->push_back({std::move(name), passed_.line, {}});
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) {
        if (const std::string_view other = foreign_format(file_.text); !other.empty())
            file_.refuse(passed_.line, fmt::format("text that looks like {}", other), "JSON");
        std::string_view text = error.what();  // "[NUMBER] parse error at POSITION: what"
        text.remove_prefix(std::min(text.find("] ") + 2, text.size()));
        if (text.starts_with("parse error at")) text.remove_prefix(std::min(text.find(": ") + 2, text.size()));
        constexpr std::string_view separator = "; expected ";  // of most errors
        const std::size_t end = std::min(text.find(separator), text.size());
        const std::string_view expected = end < text.size() ? text.substr(end + separator.size()) : "JSON";
        file_.refuse(passed_.line, text.substr(0, std::min<std::size_t>(end, 200)), expected);
    }

  private:
    using list = std::unique_ptr<json_value::list>;
    using object = std::unique_ptr<json_value::object>;
    static constexpr std::size_t deepest = 1000;

    template <class T>
    bool put(T value) {
        place() = {passed_.line, std::move(value)};
        return true;
    }
    template <class T>
    bool open() {
        if (open_.size() == deepest) file_.refuse(passed_.line, "too deep a nest", "at most 1000 levels");
        json_value& container = place();
        container = {passed_.line, std::make_unique<T>()};
        open_.push_back(&container);
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }
    /// Returns the destination of the next value.
    json_value& place() {
        if (open_.empty()) return root_;
        if (auto* items = std::get_if<list>(&open_.back()->content)) return (*items)->emplace_back();
        return std::get<object>(open_.back()->content)->back().value;
    }

    const text_file& file_;
    const counted_text::position& passed_;
    json_numbers numbers_;
    json_value root_;
    std::vector<json_value*> open_;  ///< enclosing values of the next one; only the last list grows
};

/// Parses a part of a file, a JSON text that begins on this line. Throws input_error.
inline json_value parse_json(const text_file& file, std::string_view part, int line,
                             json_numbers numbers = json_numbers::as_double) {
    detail::counted_text::position passed{line, line};
    detail::json_builder builder(file, passed, numbers);
    nlohmann::json::sax_parse(detail::counted_text(part.data(), &passed),
                              detail::counted_text(part.data() + part.size(), &passed), &builder);
    return builder.take();
}

/// Parses a JSON text. Every value has its line. Throws input_error.
inline json_value parse_json(const text_file& file, json_numbers numbers = json_numbers::as_double) {
    file.refuse_zero_bytes("JSON");
    return parse_json(file, file.text, 1, numbers);
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
