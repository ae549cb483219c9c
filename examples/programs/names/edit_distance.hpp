#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

/// Returns the least number of characters to insert, remove or replace that make one name of another, where letters of
/// either case are equal. O(nm) for names of n and m characters.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
    const auto equal = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced =
                diagonal + (equal(static_cast<unsigned char>(from[i]), static_cast<unsigned char>(to[j])) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}
