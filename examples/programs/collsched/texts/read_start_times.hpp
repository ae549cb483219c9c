#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/format/text.hpp"

namespace collsched::texts {

/// Reads the start times of ranks: one number of microseconds per line, in rank order, 0 to 1e12. `#` begins a comment,
/// and lines without a number are ignored. At most 2^20 ranks. Throws input_error.
/// @param file  the text
/// @return start time of each rank in picoseconds, for simulation::conditions
inline std::vector<picoseconds> read_start_times(const text_file& file) {
    constexpr std::size_t most = std::size_t{1} << 20;
    std::vector<picoseconds> times;
    int line = 0;
    for (std::string_view rest = file.text; !rest.empty();) {
        ++line;
        std::string_view one = take_line(rest);
        one = trimmed(one.substr(0, one.find('#')));
        if (one.empty()) continue;
        double us = -1;
        const auto [end, code] = std::from_chars(one.data(), one.data() + one.size(), us);
        if (code != std::errc() || end != one.data() + one.size() || !(us >= 0 && us <= 1e12))
            file.refuse(line, "start time", json_text(one.substr(0, 100)), "0 to 1e12 us");
        if (times.size() == most) file.refuse(line, "more start times", "at most 2^20");
        times.push_back(ps_of_us(us));
    }
    if (times.empty()) file.refuse(1, "nothing in it", "a start time per rank, in microseconds");
    return times;
}
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file, of at most 2^28 bytes
/// @return start time of each rank in picoseconds
inline std::vector<picoseconds> read_start_times(const std::filesystem::path& path) {
    return read_start_times(read_text_file(path));
}

}  // namespace collsched::texts
