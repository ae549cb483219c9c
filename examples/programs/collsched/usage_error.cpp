#include "usage_error.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "printable.hpp"

using namespace collsched;

namespace {

/// Largest lengths of a value and of a line, so that a long value does not hide the expected range.
constexpr std::size_t value_limit = 400, line_limit = 4000;

/// The origin of an argument of the library that is not an option of the same name.
constexpr std::pair<std::string_view, std::string_view> origins[] = {
    {"latency", "--cluster: latency"},
    {"overhead", "--cluster: overhead"},
    {"bandwidth", "--cluster: bandwidth"},
    {"nodes", "--cluster: nodes"},
    {"latency_weighted", "--model[latency_weighted]"},
    {"reverse_permille", "--model[reverse_permille]"},
    {"synchronous_free", "--model[synchronous_free]"},
    {"envelope_bytes", "--model[envelope]"},
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

/// Returns the range with p-1 in place of "ranks-1"; ranks is 0 if p is unknown.
std::string with_figures(std::string expected, rank_t ranks) {
    constexpr std::string_view last = "ranks-1";
    if (const std::size_t at = expected.find(last); at != expected.npos && ranks > 0)
        expected.replace(at, last.size(), std::to_string(ranks - 1));
    return expected;
}

std::string option_of(const argument_error& error) {
    for (const auto& [argument, origin] : origins)
        if (error.argument == argument) return std::string(origin);
    return error.index < 0 ? fmt::format("--{}", error.argument) : fmt::format("--{}[{}]", error.argument, error.index);
}

/// Returns the option that sets this field of the library, "--switch-name" for "switch_name".
std::string option_of(std::string field) {
    std::ranges::replace(field, '_', '-');
    return "--" + field;
}

std::string line_of(std::string_view option, input_error::mistake mistake) {
    for (std::string* part : {&mistake.argument, &mistake.value, &mistake.file}) *part = printable(*part, value_limit);
    if (!mistake.file.empty() || mistake.argument.empty()) return fmt::format("{}: {}", option, mistake.text());
    mistake.argument = option_of(mistake.argument);
    return mistake.text();
}

}  // namespace

usage_error::usage_error(std::string_view argument, std::string_view value, std::string_view expected)
    : usage_error(input_error::mistake{.argument = printable(argument, value_limit),
                                       .value = printable(value, value_limit),
                                       .expected = printable(expected, line_limit)}
                      .text()) {}

usage_error::usage_error(const argument_error& error, rank_t ranks)
    : usage_error(option_of(error), std::to_string(error.value), with_figures(error.expected, ranks)) {}

usage_error::usage_error(std::string_view option, const input_error::mistake& mistake)
    : usage_error(line_of(option, mistake)) {}

usage_error::usage_error(std::string_view line) : std::runtime_error(printable(line, line_limit)) {}

usage_error usage_error::missing(std::string_view argument, std::string_view expected) {
    return usage_error(
        input_error::mistake{.argument = std::string(argument), .value = {}, .expected = std::string(expected)}.text());
}

usage_error usage_error::conflict(std::string_view option, std::string_view other) {
    return usage_error(fmt::format("{} does not go with {}", option, other));
}

usage_error usage_error::alone(std::string_view option, std::string_view other) {
    return usage_error(fmt::format("{} requires {}", option, other));
}
