#include "options.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "usage_error.hpp"

std::int64_t read_number(std::string_view argument, std::string_view text, std::int64_t least) {
    std::int64_t number = 0;
    const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (trouble == std::errc::result_out_of_range)
        throw usage_error(argument, text, fmt::format("a whole number from {} to 2^63-1", least));
    if (trouble != std::errc() || end != text.data() + text.size())
        throw usage_error(argument, text, fmt::format("a whole number, {} or more", least));
    if (number < least) throw usage_error(argument, text, fmt::format("{} or more", least));
    return number;
}

std::int64_t read_size(std::string_view argument, std::string_view text, std::int64_t least) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view unit = text.substr(digits);
    if (digits == 0 || unit.empty()) return read_number(argument, text, least);
    const std::size_t power = std::string_view("KMGT").find(unit.front());
    if (power == std::string_view::npos || (unit.size() > 1 && unit.substr(1) != "iB"))
        throw usage_error(argument, text, "bytes, or a number with K, M, G or T for powers of 1024");
    const int shift = 10 * (static_cast<int>(power) + 1);
    const std::int64_t number = read_number(argument, text.substr(0, digits), 0);
    if (number > std::numeric_limits<std::int64_t>::max() >> shift)
        throw usage_error(argument, text, fmt::format("a whole number from {} to 2^63-1", least));
    if (number << shift < least) throw usage_error(argument, text, fmt::format("{} or more", least));
    return number << shift;
}

std::vector<std::int64_t> read_list(std::string_view argument, std::string_view text, std::int64_t least,
                                    number_reader read) {
    if (text.empty()) throw usage_error(argument, text, "numbers with commas between them");
    std::vector<std::int64_t> numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        numbers.push_back(
            read(fmt::format("{}[{}]", argument, numbers.size()), text.substr(begin, end - begin), least));
        begin = end + 1;
    }
    return numbers;
}

text_option::text_option(CLI::App& command, option_group group, const std::string& name, const std::string& unit,
                         const std::string& help)
    : name_(name.substr(name.find(',') + 1)),
      option_(command.add_option_function<std::vector<std::string>>(
                         name, [](const auto&) {}, help)
                  ->type_name(unit)
                  ->group(option_groups[static_cast<std::size_t>(group)])
                  ->expected(1)
                  ->allow_extra_args(false)
                  ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)) {}

bool text_option::given() const { return option_->count() > 0; }

std::string text_option::text() const {
    const std::vector<std::string> values = option_->results();
    if (values.size() > 1) throw usage_error(name_, fmt::format("{}", fmt::join(values, " and ")), "one value");
    if (!values.empty() && values.front().starts_with("--"))
        throw usage_error(name_, values.front(), "a value, not an option");
    return values.empty() ? "" : values.front();
}

std::int64_t text_option::number(std::int64_t least, std::int64_t otherwise) const {
    return given() ? read_number(name_, text(), least) : otherwise;
}

std::int64_t text_option::size(std::int64_t least, std::int64_t otherwise) const {
    return given() ? read_size(name_, text(), least) : otherwise;
}

flag_option::flag_option(CLI::App& command, option_group group, const std::string& name, const std::string& help)
    : name_(name), option_(command.add_flag(name, help)->group(option_groups[static_cast<std::size_t>(group)])) {}

bool flag_option::given() const {
    for (const std::string& value : option_->results())
        if (value != "true") throw usage_error(name_, value, "no value");
    return option_->count() > 0;
}

void at_most_one(std::initializer_list<const text_option*> options) {
    std::string names;
    const text_option* last = nullptr;
    int given = 0;
    for (const text_option* one : options) {
        names += (names.empty() ? "" : ", ") + one->name();
        if (!one->given()) continue;
        last = one;
        ++given;
    }
    if (given > 1) throw usage_error(last->name(), last->text(), "one of " + names);
}

std::vector<std::int64_t> read_ascending(const text_option& option, std::int64_t least, std::int64_t most,
                                         number_reader read) {
    const std::vector<std::int64_t> numbers = read_list(option.name(), option.text(), least, read);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] > most || (i > 0 && numbers[i] <= numbers[i - 1]))
            throw usage_error(option.name(), option.text(), fmt::format("ascending numbers, {} to {}", least, most));
    return numbers;
}

rank_range read_rank_range(const text_option& option, std::int64_t first, std::int64_t last) {
    if (!option.given()) return {first, last};
    const std::string text = option.text();
    const std::size_t dots = text.find("..");
    if (dots == text.npos) {
        const std::int64_t p = read_number(option.name(), text, 1);
        return {p, p};
    }
    const char* const expected = "P, or A..B with 1 <= A <= B";
    rank_range range;
    try {
        range = {read_number(option.name(), text.substr(0, dots), 1),
                 read_number(option.name(), text.substr(dots + 2), 1)};
    } catch (const usage_error&) {  // its message would name only one end
        throw usage_error(option.name(), text, expected);
    }
    if (range.first > range.last) throw usage_error(option.name(), text, expected);
    return range;
}
