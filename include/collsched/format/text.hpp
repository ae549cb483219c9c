#pragma once

#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/core/byte_range.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/schedule/concepts.hpp"

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

/// The two parts of a schedule's name. A name without a slash consists of the algorithm only.
struct name_parts {
    std::string_view collective, algorithm;
};

/// Writes formatted pieces one after another to an output iterator of characters. All writers use it.
template <std::output_iterator<char> Out>
class pen {
  public:
    explicit pen(Out out) : out_(std::move(out)) {}

    /// Writes one formatted piece: put(FMT_COMPILE("{} -> {}"), a, b).
    template <class Format, class... Args>
    void operator()(const Format& format, const Args&... args) {
        out_ = fmt::format_to(std::move(out_), format, args...);
    }

    /// Writes a text. fmt 9 passes the null pointer of an empty one to memcpy, which is undefined.
    void text(std::string_view piece) {
        if (!piece.empty()) (*this)(FMT_COMPILE("{}"), piece);
    }

    /// Calls f(item), which writes an item, for each item of a range, and writes `between` before all but the first.
    template <class Items, class F>
    void list(const Items& items, F f, std::string_view between = ",") {
        std::string_view before;
        for (const auto& item : items) {
            text(before);
            f(item);
            before = between;
        }
    }

    /// Returns the output iterator past the last character written.
    Out done() { return std::move(out_); }

  private:
    Out out_;
};

}  // namespace detail

/// Returns the name of a schedule: "allgather/ring", or "allgatherv/ring" for blocks of different sizes.
/// @param info       description of the algorithm
/// @param irregular  whether blocks differ in size
inline std::string schedule_name(const algorithm_info& info, bool irregular = false) {
    std::string name = name_of(info.collective);
    if (irregular) name += 'v';
    return name.append("/").append(info.name);
}

/// Splits the name of a schedule at its slash.
/// @param name  such as "allgather/ring"
/// @return the parts, which refer to `name`
constexpr detail::name_parts split_name(std::string_view name) {
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return {{}, name};
    return {name.substr(0, slash), name.substr(slash + 1)};
}

/// Returns a model in the notation of the command line, without loss of precision: "loggp:L_us=1.500000,...".
/// @param model  a LogGP model
inline std::string model_text(const loggp_model& model) {
    const auto millionths = [](std::int64_t parts) {
        return fmt::format(FMT_COMPILE("{}.{:06}"), parts / 1'000'000, parts % 1'000'000);
    };
    return fmt::format(FMT_COMPILE("loggp:L_us={},o_us={},g_us={},G_ns={},copy_ns={},combine_ns={}"),
                       millionths(model.latency_ps), millionths(model.overhead_ps), millionths(model.gap_ps),
                       millionths(model.byte_fs), millionths(model.copy_fs), millionths(model.combine_fs)) +
           (model.connection_ps == 0 ? "" : ",connection_us=" + millionths(model.connection_ps));
}

}}  // namespace collsched::COLLSCHED_ABI
