#include "fingerprint.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>

#include "collsched/core/config.hpp"
#include "native_mpi.hpp"
#include "own_mpi.hpp"
#include "greeting.hpp"
#include "selection.hpp"

namespace collsched::preload {

namespace {

using properties = std::map<std::string, std::string, std::less<>>;

/// Returns a value of at most 64 characters in one line. A longer value is cut, and its hash added.
std::string in_short(std::string_view value) {
    constexpr std::size_t most = 64;
    std::string text = printable(value.substr(0, most));
    if (text == value) return text;
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (const char c : value) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "... (hash %016llx)", static_cast<unsigned long long>(hash));
    return text + number.data();
}

/// Returns the properties in a text, without lines that have no tabulator.
properties parsed(std::string_view text) {
    properties all;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        const std::size_t tab = line.find('\t');
        if (tab != std::string_view::npos) all.emplace(line.substr(0, tab), line.substr(tab + 1));
    }
    return all;
}

std::string quoted(const properties& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? "not set" : "\"" + printable(found->second) + "\"";
}

}  // namespace

std::string printable(std::string_view text) {
    std::string copy(text);
    std::ranges::replace(copy, '\t', ' ');
    std::ranges::replace_if(copy, [](char c) { return c < ' ' || c > '~'; }, '?');
    return copy;
}

std::string fingerprint() {
    properties all{{"the version of collsched", library_version()}, {"the MPI", in_short(mpi_version())}};
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string_view text = *one, name = text.substr(0, text.find('='));
        if (!text.starts_with("COLLSCHED_") || may_differ(name) || name.size() + 1 >= text.size()) continue;
        all.emplace(name, in_short(text.substr(name.size() + 1)));
    }
    std::string text;
    for (const auto& [name, value] : all) text.append(name).append("\t").append(value).append("\n");
    text.resize(std::min(text.size(), most_of_fingerprint));
    return text;
}

std::string differences(const std::string& mine, std::string_view of_root) {
    if (mine == of_root) return {};
    const properties here = parsed(mine), there = parsed(of_root);
    properties all = here;
    all.insert(there.begin(), there.end());
    std::string text;
    for (const auto& one : all) {
        const std::string& name = one.first;
        const std::string own = quoted(here, name), other = quoted(there, name);
        if (own == other) continue;
        text.append(text.empty() ? "" : "; ").append(printable(name)).append(" is ").append(own);
        text.append(", on rank 0 ").append(other);
    }
    return text.empty() ? "the library is of another version than on rank 0" : text;
}

}  // namespace collsched::preload
