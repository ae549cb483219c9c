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
#include <utility>

#include "collsched/core/config.hpp"
#include "collsched/format/files/detail/decimal.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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
