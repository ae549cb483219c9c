#include "usage_error.hpp"

#include <string_view>
#include <utility>

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

/// Where an argument of the library comes from, if not from an option of its name.
constexpr std::pair<std::string_view, std::string_view> origins[] = {
    {"latency", "--cluster: latency"},
    {"overhead", "--cluster: overhead"},
    {"bandwidth", "--cluster: bandwidth"},
    {"nodes", "--cluster: nodes"},
    {"latency_weighted", "--model[latency_weighted]"},
    {"reverse_permille", "--model[reverse_permille]"},
    {"eager", "--model[eager]"},
    {"time", "--model: time"},
    {"commutative", "--keep-order"},
    {"from_offset", "NAME: from_offset of an edge"},
    {"into_offset", "NAME: into_offset of an edge"},
    {"size", "NAME: size of an edge"},
    {"into", "NAME: into of an edge"},
    {"staging", "NAME: staging"},
    {"step", "NAME: step of an edge"},
};

std::string option_of(const collsched::argument_error& wrong) {
    for (const auto& [argument, origin] : origins)
        if (wrong.argument == argument) return std::string(origin);
    return wrong.index < 0 ? fmt::format("--{}", wrong.argument) : fmt::format("--{}[{}]", wrong.argument, wrong.index);
}

}  // namespace

usage_error::usage_error(std::string_view argument, std::string_view value, std::string_view accepted)
    : std::runtime_error(fmt::format("{} = {} (accepted: {})", printable(argument),
                                     value.empty() ? "nothing" : printable(value), printable(accepted))) {}

usage_error::usage_error(std::string_view line) : std::runtime_error(printable(line)) {}

usage_error::usage_error(const collsched::argument_error& wrong)
    : usage_error(option_of(wrong), std::to_string(wrong.value), wrong.accepted) {}
