#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A number with the digits of a text, such as "-1.50e3", which no binary fraction replaces.
class decimal {
  public:
    /// @param text  a number of JSON; another character than those of numbers is the decimal point of a locale
    explicit decimal(std::string text) : text_(std::move(text)) {
        std::replace_if(text_.begin(), text_.end(), [](char c) { return of_number.find(c) == of_number.npos; }, '.');
    }

    /// Returns the digits as they are in the text.
    const std::string& text() const { return text_; }
    /// Returns the nearest double.
    double value() const {
        double nearest = 0;
        std::from_chars(text_.data(), text_.data() + text_.size(), nearest);
        return nearest;
    }
    /// Returns the number * 10^power, if it is whole and fits into 64 bits. O(digits).
    std::optional<std::int64_t> to_integer(int power = 0) const { return scaled(power, false); }
    /// Returns the number * 10^power, rounded to the nearest whole number and away from 0 if two are near, if it fits
    /// into 64 bits. O(digits).
    std::optional<std::int64_t> nearest(int power = 0) const { return scaled(power, true); }

  private:
    static constexpr std::string_view of_number = "0123456789+-.eE";
    static constexpr std::int64_t most_exponent = std::int64_t{1} << 40;  // above every number of digits

    /// Returns the exponent of 10, cut to +-most_exponent.
    static std::int64_t exponent_of(std::string_view digits) {
        if (digits.starts_with('+')) digits.remove_prefix(1);
        std::int64_t exponent = 0;
        const auto code = std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec;
        if (code == std::errc::result_out_of_range) exponent = digits.starts_with('-') ? -most_exponent : most_exponent;
        return std::clamp(exponent, -most_exponent, most_exponent);
    }
    std::optional<std::int64_t> scaled(std::int64_t exponent, bool rounds) const {
        const std::size_t e = std::min(text_.find_first_of("eE"), text_.size());
        if (e < text_.size()) exponent += exponent_of(std::string_view(text_).substr(e + 1));
        const std::size_t point = std::min(text_.find('.'), e);
        std::string digits = text_.substr(0, point);
        if (point < e) digits += text_.substr(point + 1, e - point - 1);
        exponent -= static_cast<std::int64_t>(point < e ? e - point - 1 : 0);
        const bool is_negative = digits.starts_with('-');
        digits.erase(0, std::min(digits.find_first_of("123456789"), digits.size()));
        if (digits.empty()) return 0;

        const auto size = static_cast<std::int64_t>(digits.size());
        if (size + exponent > 19) return std::nullopt;
        std::string_view fraction;  // digits behind the point
        std::string kept = is_negative ? "-0" : "0";
        if (exponent >= 0) kept += digits.append(static_cast<std::size_t>(exponent), '0');
        else if (size + exponent >= 0) {
            fraction = std::string_view(digits).substr(static_cast<std::size_t>(size + exponent));
            kept += digits.substr(0, static_cast<std::size_t>(size + exponent));
        }
        if (!rounds && (size + exponent < 0 || fraction.find_first_not_of('0') != fraction.npos)) return std::nullopt;
        return integer(kept, !fraction.empty() && fraction.front() >= '5');
    }
    static std::optional<std::int64_t> integer(std::string_view digits, bool up) {
        std::int64_t value = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc()) return std::nullopt;
        if (up && __builtin_add_overflow(value, digits.starts_with('-') ? -1 : 1, &value)) return std::nullopt;
        return value;
    }

    std::string text_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
