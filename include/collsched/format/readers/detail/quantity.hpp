#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "collsched/core/config.hpp"

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

/// Returns the megabytes (10^6 bytes) per second of a rate such as "125MBps", "1.25GBps", "1Gbps" (bits), "10MiBps".
/// The default unit is bytes per second.
inline std::optional<double> quantity_MBps(std::string_view text) {
    constexpr std::pair<std::string_view, double> prefixes[] = {{"", 1e-6},
                                                                {"k", 1e-3},
                                                                {"M", 1},
                                                                {"G", 1e3},
                                                                {"T", 1e6},
                                                                {"P", 1e9},
                                                                {"E", 1e12},
                                                                {"Z", 1e15},
                                                                {"Y", 1e18},
                                                                {"Ki", 0x1p10 * 1e-6},
                                                                {"Mi", 0x1p20 * 1e-6},
                                                                {"Gi", 0x1p30 * 1e-6},
                                                                {"Ti", 0x1p40 * 1e-6},
                                                                {"Pi", 0x1p50 * 1e-6},
                                                                {"Ei", 0x1p60 * 1e-6},
                                                                {"Zi", 0x1p70 * 1e-6},
                                                                {"Yi", 0x1p80 * 1e-6}};
    const auto parts = detail::split_quantity(text);
    if (!parts) return std::nullopt;
    auto [value, unit] = *parts;
    if (unit.empty()) return value * 1e-6;
    if (unit.ends_with("bps")) value /= 8;
    else if (!unit.ends_with("Bps")) return std::nullopt;
    unit.remove_suffix(3);
    for (const auto& [prefix, factor] : prefixes)
        if (unit == prefix) return value * factor;
    return std::nullopt;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
