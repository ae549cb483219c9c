#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark_output.hpp"
#include "csv_measurements.hpp"
#include "measured_file.hpp"

namespace collsched::measured {

/// Properties of measurements that the output of a benchmark program lacks.
struct measurement_defaults {
    std::string algorithm{};  ///< name of the algorithm that ran
    rank_t ranks = 0;         ///< number of ranks of the OSU benchmarks; 0: unknown
};

/// Returns whether a text is output of the OSU micro-benchmarks or of IMB-MPI1. The first line that is neither empty nor
/// a comment is not that of CSV, and a line is a title or a header of a benchmark, or a row of numbers between blanks.
/// @param text  the text
inline bool is_benchmark_output(std::string_view text) {
    bool is_first = true, is_output = false;
    while (!text.empty() && (is_first || !is_output)) {
        const std::string_view line = trimmed(take_line(text));
        if (line.empty()) continue;
        const std::vector<std::string_view> words = words_of(line);
        is_output = is_output || is_title(words) || is_benchmark_header(words) ||
                    (words.size() > 1 && is_numeric(words[0]) && is_numeric(words[1]));
        if (line.front() == '#') continue;
        if (is_first && csv_measurements::is_header(line)) return false;
        is_first = false;
    }
    return is_output;
}

/// Reads times of collectives: CSV with the columns collective, nodes or ranks, bytes, algorithm and median_us, and
/// optionally machine, ranks_per_node, gpu and mpi; or the output of the OSU micro-benchmarks or IMB-MPI1, where the
/// time of IMB is that of the slowest rank. Throws input_error.
/// @param file      the text
/// @param defaults  properties that the output of benchmarks lacks
/// @return rows in the order of the file, and the lines of benchmarks' output that are not read
inline measured_file read_measurements(const text_file& file, const measurement_defaults& defaults = {}) {
    file.refuse_zero_bytes("text");
    if (!is_benchmark_output(file.text)) return {.rows = csv_measurements(file, true).read()};
    if (defaults.algorithm.empty())
        throw input_error({.argument = "--algorithm", .expected = "the algorithm that the benchmark ran"});
    return benchmark_output(file, defaults.algorithm, defaults.ranks).read();
}
/// Reads the file of this path. Throws input_error.
/// @param path      path of the file
/// @param defaults  properties that the output of benchmarks lacks
/// @return rows in the order of the file, and the lines of benchmarks' output that are not read
inline measured_file read_measurements(const std::filesystem::path& path, const measurement_defaults& defaults = {}) {
    return read_measurements(read_text_file(path), defaults);
}

/// Reads cases and the algorithms among which to choose: CSV with the columns of read_measurements(), except that
/// times are neither required nor read. Throws input_error.
/// @param file  the text
/// @return rows in the order of the file, with times of 0
inline std::vector<measured_row> read_cases(const text_file& file) {
    file.refuse_zero_bytes("text");
    return csv_measurements(file, false).read();
}
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file
/// @return rows in the order of the file, with times of 0
inline std::vector<measured_row> read_cases(const std::filesystem::path& path) {
    return read_cases(read_text_file(path));
}

}  // namespace collsched::measured
