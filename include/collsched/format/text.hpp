#pragma once

#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/core/byte_range.hpp"
#include "collsched/cost/picoseconds.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns a time in microseconds with six decimals, which is exact: "530.500000".
/// @param time  picoseconds, 0 or more
inline std::string microseconds(picoseconds time) {
    return fmt::format(FMT_COMPILE("{}.{:06}"), time / 1'000'000, time % 1'000'000);
}

/// Returns a text as a JSON string, in quotes.
/// @param text  any text in UTF-8
inline std::string json_text(std::string_view text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (const auto code = static_cast<unsigned char>(c); code >= 0x20) quoted += c;
        else fmt::format_to(std::back_inserter(quoted), FMT_COMPILE("\\u{:04x}"), code);
    }
    return quoted += '"';
}

/// Returns a text escaped for XML elements and for attributes in double quotes.
/// @param text  any text in UTF-8
inline std::string xml_text(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&') escaped += "&amp;";
        else if (c == '<') escaped += "&lt;";
        else if (c == '>') escaped += "&gt;";
        else if (c == '"') escaped += "&quot;";
        else escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return escaped;
}

/// Returns a size in bytes: "1 byte", "12 bytes".
/// @param bytes  0 or more
inline std::string bytes_text(bytes_t bytes) {
    return fmt::format(FMT_COMPILE("{} byte{}"), bytes, bytes == 1 ? "" : "s");
}

namespace detail {

/// Returns a size with at most four digits and a unit: "960 B", "80 KB", "1.5 GB". 1 KB = 1024 bytes.
/// @param bytes  0 or more
inline std::string short_bytes_text(bytes_t bytes) {
    constexpr const char* units[] = {"B", "KB", "MB", "GB", "TB", "PB", "EB"};
    auto amount = static_cast<double>(bytes);
    int unit = 0;
    for (; amount >= 1023.95 && unit < 6; ++unit) amount /= 1024;
    return fmt::format(FMT_COMPILE("{:.4g} {}"), amount, units[unit]);
}

}  // namespace detail

}}  // namespace collsched::COLLSCHED_ABI
