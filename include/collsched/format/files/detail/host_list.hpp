#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Largest number of nodes in a description.
inline constexpr std::int64_t most_nodes = std::int64_t{1} << 20;

/// The location of a list, for error messages.
struct list_place {
    const text_file& file;
    int line;

    [[noreturn]] void refuse(std::string_view problem, std::string_view expected) const {
        file.refuse(line, problem, expected);
    }
};

/// Returns the parts of a text between commas outside brackets.
inline std::vector<std::string_view> split_list(std::string_view text) {
    std::vector<std::string_view> pieces;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        if (at < text.size() && text[at] == '[') ++depth;
        if (at < text.size() && text[at] == ']') --depth;
        if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
        pieces.push_back(text.substr(begin, at - begin));
        begin = at + 1;
    }
    return pieces;
}

/// Calls f(number, digits of the range's first number) for every number of a list such as "0-3,7,010-012", in order.
template <class F>
void for_each_number(std::string_view text, const list_place& place, F f) {
    constexpr std::string_view expected = "numbers below 2^31 and ranges of them such as 0-3,7";
    const auto number = [&](std::string_view digits) {
        const std::optional<std::int64_t> value = integer_of(digits);
        if (!value || digits.size() > 10 || digits.front() == '-' || *value >> 31 != 0)
            place.refuse(json_text(text), expected);
        return *value;
    };
    std::int64_t all = 0;
    for (const std::string_view piece : split_list(text)) {
        const std::size_t dash = piece.find('-');
        const std::string_view first = piece.substr(0, dash);
        const std::int64_t from = number(first), to = dash == piece.npos ? from : number(piece.substr(dash + 1));
        if (to < from) place.refuse(json_text(text), expected);
        all += to - from + 1;
        if (all > most_nodes) place.refuse(json_text(text), "at most 2^20 names");
        for (std::int64_t value = from; value <= to; ++value) f(value, first.size());
    }
}

/// Returns all names of a host list such as "rack[0-1]n[01-10],m5". The last brackets vary fastest. Numbers have at
/// least as many digits as the first number of their range.
inline std::vector<std::string> expand_host_list(std::string_view text, const list_place& place) {
    std::vector<std::string> names;
    for (std::string_view unread : split_list(text)) {
        std::vector<std::string> prefixes{""};
        if (std::ranges::count(unread, '[') > 8)
            place.refuse(json_text(unread.substr(0, 100)), "at most 8 brackets in a name");
        while (!unread.empty()) {
            const std::size_t open = unread.find('['), close = unread.find(']');
            for (std::string& name : prefixes) name += unread.substr(0, open);
            if (prefixes.front().size() > 256) place.refuse("a long name", "at most 256 characters");
            if (open == unread.npos && close == unread.npos) break;
            if (open == unread.npos || close == unread.npos || close < open)
                place.refuse(json_text(text), "names with brackets in pairs");
            std::vector<std::string> longer;
            for_each_number(
                unread.substr(open + 1, close - open - 1), place,
                [&](std::int64_t value, std::size_t width) { longer.push_back(fmt::format("{:0{}}", value, width)); });
            if (prefixes.size() * longer.size() > most_nodes) place.refuse(json_text(text), "at most 2^20 names");
            std::vector<std::string> product;
            for (const std::string& name : prefixes)
                for (const std::string& number : longer) product.push_back(name + number);
            prefixes = std::move(product);
            unread = unread.substr(close + 1);
        }
        if (prefixes.front().empty()) place.refuse(json_text(text), "names");
        names.insert(names.end(), prefixes.begin(), prefixes.end());
        if (names.size() > most_nodes) place.refuse(json_text(text), "at most 2^20 names");
    }
    return names;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
