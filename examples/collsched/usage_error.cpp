#include "usage_error.hpp"

#include <string_view>

#include <fmt/format.h>

namespace {

/// On one line, whatever was typed.
std::string printable(std::string_view text) {
    constexpr std::size_t most = 400;
    std::string line;
    for (const char c : text.substr(0, most)) {
        const auto code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code != 0x7f) line += c;
        else line += fmt::format("\\x{:02x}", code);
    }
    return text.size() > most ? line + "..." : line;
}

std::string option_of(const collsched::error& wrong) {
    for (const std::string_view of_cluster : {"latency", "overhead", "bandwidth", "computers"})
        if (wrong.argument == of_cluster) return fmt::format("--cluster: {}", wrong.argument);
    for (const std::string_view of_model : {"latency_weighted", "reverse_permille", "eager"})
        if (wrong.argument == of_model) return fmt::format("--model[{}]", wrong.argument);
    for (const std::string_view of_edge : {"from_offset", "into_offset", "size"})
        if (wrong.argument == of_edge) return fmt::format("NAME: {} of an edge", wrong.argument);
    if (std::string_view(wrong.argument) == "time") return "--model: time";
    if (std::string_view(wrong.argument) == "commutative") return "--keep-order";
    return wrong.index < 0 ? fmt::format("--{}", wrong.argument) : fmt::format("--{}[{}]", wrong.argument, wrong.index);
}

}  // namespace

usage_error::usage_error(std::string_view argument, std::string_view value, std::string_view accepted)
    : std::runtime_error(fmt::format("{} = {} (accepted: {})", printable(argument),
                                     value.empty() ? "nothing" : printable(value), printable(accepted))) {}

usage_error::usage_error(std::string_view line) : std::runtime_error(printable(line)) {}

usage_error::usage_error(const collsched::error& wrong)
    : usage_error(option_of(wrong), std::to_string(wrong.value), wrong.accepted) {}
