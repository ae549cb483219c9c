#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
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

/// Returns the number at the beginning of a text, as C's strtod parses it, and the rest of the text. Returns nothing if
/// there is no finite number.
inline std::optional<std::pair<double, std::string_view>> split_quantity(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    std::chars_format format = std::chars_format::general;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        text.remove_prefix(2);
        format = std::chars_format::hex;
    }
    if (text.starts_with('-')) return std::nullopt;
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [unit, code] = std::from_chars(text.data(), end, value, format);
    if (code != std::errc() || !std::isfinite(value)) return std::nullopt;
    return std::pair(is_negative ? -value : value, text.substr(static_cast<std::size_t>(unit - text.data())));
}

/// Returns the microseconds of a time such as "24us", "50ms", "1e-4s". Units are w, d, h, m (minutes), s, ms, us, ns,
/// ps; the default is seconds. Returns nothing if the text is not a time. Source for this header: SimGrid's platform
/// files.
inline std::optional<double> quantity_us(std::string_view text) {
    constexpr std::pair<std::string_view, double> units[] = {
        {"w", 604800e6}, {"d", 86400e6}, {"h", 3600e6}, {"m", 60e6},  {"s", 1e6},
        {"ms", 1e3},     {"us", 1},      {"ns", 1e-3},  {"ps", 1e-6}, {"", 1e6}};
    const auto parts = detail::split_quantity(text);
    if (!parts) return std::nullopt;
    for (const auto& [unit, us] : units)
        if (parts->second == unit) return parts->first * us;
    return std::nullopt;
}

/// A prefix of a unit of bandwidth: a factor, 10^ten 2^two.
struct bandwidth_prefix {
    std::string_view name;
    double mega;  ///< the factor / 10^6
    int ten = 0, two = 0;
};
inline constexpr bandwidth_prefix bandwidth_prefixes[] = {{"", 1e-6, 0},
                                                          {"k", 1e-3, 3},
                                                          {"M", 1, 6},
                                                          {"G", 1e3, 9},
                                                          {"T", 1e6, 12},
                                                          {"P", 1e9, 15},
                                                          {"E", 1e12, 18},
                                                          {"Z", 1e15, 21},
                                                          {"Y", 1e18, 24},
                                                          {"Ki", 0x1p10 * 1e-6, 0, 10},
                                                          {"Mi", 0x1p20 * 1e-6, 0, 20},
                                                          {"Gi", 0x1p30 * 1e-6, 0, 30},
                                                          {"Ti", 0x1p40 * 1e-6, 0, 40},
                                                          {"Pi", 0x1p50 * 1e-6, 0, 50},
                                                          {"Ei", 0x1p60 * 1e-6, 0, 60},
                                                          {"Zi", 0x1p70 * 1e-6, 0, 70},
                                                          {"Yi", 0x1p80 * 1e-6, 0, 80}};

/// A unit of bandwidth, such as that of "MBps" or "Gbps" (bits). An empty text is bytes per second.
struct bandwidth_unit {
    bandwidth_prefix prefix;
    bool is_bits = false;

    static std::optional<bandwidth_unit> parse(std::string_view unit) {
        if (unit.empty()) return bandwidth_unit{bandwidth_prefixes[0]};
        const bool is_bits = unit.ends_with("bps");
        if (!is_bits && !unit.ends_with("Bps")) return std::nullopt;
        unit.remove_suffix(3);
        for (const bandwidth_prefix& prefix : bandwidth_prefixes)
            if (unit == prefix.name) return bandwidth_unit{prefix, is_bits};
        return std::nullopt;
    }
};

/// Returns the megabytes (10^6 bytes) per second of a rate such as "125MBps", "1.25GBps", "1Gbps" (bits), "10MiBps".
/// The default unit is bytes per second.
inline std::optional<double> quantity_MBps(std::string_view text) {
    const auto parts = detail::split_quantity(text);
    if (!parts) return std::nullopt;
    const auto unit = bandwidth_unit::parse(parts->second);
    if (!unit) return std::nullopt;
    return (unit->is_bits ? parts->first / 8 : parts->first) * unit->prefix.mega;
}

/// Returns the bytes per second of a rate as quantity_MBps() accepts it, exactly. Returns nothing if they are not a
/// whole number below 2^63, or if the number is not decimal.
inline std::optional<std::int64_t> whole_Bps(std::string_view text) {
    const auto parts = detail::split_quantity(text);
    const auto unit = parts ? bandwidth_unit::parse(parts->second) : std::nullopt;
    if (!unit) return std::nullopt;
    std::string_view digits = text.substr(0, text.size() - parts->second.size());
    digits.remove_prefix(std::min(digits.find_first_not_of(" \t\r\n+"), digits.size()));
    if (digits.find_first_of("xX") != digits.npos) return std::nullopt;
    const decimal number{std::string(digits)};
    std::int64_t denominator = 1;
    std::optional<std::int64_t> found = number.to_integer(unit->prefix.ten);
    for (int i = 1; !found && i <= 18; ++i) {
        denominator *= 10;
        found = number.to_integer(unit->prefix.ten + i);
    }
    if (!found) return std::nullopt;
    std::int64_t numerator = *found;
    if (unit->is_bits) denominator *= 8;  // at most 8 * 10^18, below 2^63
    if (numerator == 0) return 0;
    const std::int64_t common = std::gcd(numerator, denominator);
    numerator /= common;
    denominator /= common;
    for (int i = 0; i < unit->prefix.two; ++i) {
        if (denominator % 2 == 0) denominator /= 2;
        else if (__builtin_mul_overflow(numerator, 2, &numerator)) return std::nullopt;
    }
    return denominator == 1 ? std::optional(numerator) : std::nullopt;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
