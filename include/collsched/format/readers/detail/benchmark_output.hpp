#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/readers/detail/measured_fields.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Reads the output of the OSU micro-benchmarks and of IMB-MPI1. Lines of other programs, and of benchmarks of other
/// operations, are skipped.
class benchmark_output {
  public:
    /// `ranks` is the number of ranks of OSU's benchmarks; 0: unknown.
    benchmark_output(const text_file& file, std::string algorithm, rank_t ranks)
        : file_(file), algorithm_(std::move(algorithm)), ranks_(ranks) {}

    std::vector<measured_row> read() {
        int line = 0;
        for (std::string_view rest = file_.text; !rest.empty();) {
            ++line;
            const std::vector<std::string_view> words = words_of(rest.substr(0, rest.find('\n')));
            rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
            if (words.empty()) continue;
            if (words[0] == "#" || words[0].starts_with("#bytes")) read_comment(words);
            else if (kind_ && column_ > 0) read_row(line, words);
        }
        if (rows_.empty()) file_.refuse(0, "no time of a collective", "output of OSU or IMB-MPI1 for a collective");
        return std::move(rows_);
    }

  private:
    void read_comment(const std::vector<std::string_view>& words) {
        const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string_view{}; };
        if (word(1) == "OSU") {  // "# OSU MPI Allreduce Latency Test v7.5"
            kind_ = word(4) == "Latency" ? collective_of(word(3)) : std::nullopt;
            if (word(3) == "Broadcast") kind_ = collective::broadcast;
            column_ = 0;
            block_ranks_ = ranks_;
        } else if (word(1) == "Size") {  // "# Size       Avg Latency(us)   Min Latency(us) ..."
            column_ = word(2) == "Avg" && word(3) == "Latency(us)" ? 1 : 0;
        } else if (word(1) == "Benchmarking") {
            kind_ = collective_of(word(2));
            column_ = 0;
            block_ranks_ = 0;
        } else if (word(1) == "#processes" && word(2) == "=") {
            block_ranks_ = whole_of(word(3), 1, most_measured_ranks).value_or(0);
        } else if (word(0).starts_with("#bytes")) {  // "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]"
            column_ = word(3) == "t_max[usec]" ? 3 : 0;
        }
    }

    void read_row(int line, const std::vector<std::string_view>& words) {
        const bytes_t size = read_whole(file_, line, "bytes", words[0], 0, most_measured_bytes);
        if (size == 0) return;
        if (words.size() <= column_)
            file_.refuse(line, fmt::format("{} columns", words.size()), fmt::format("{} or more", column_ + 1));
        if (block_ranks_ == 0)
            file_.refuse(line, "an unknown number of ranks", "option --ranks, or a line '# #processes = P'");
        const bytes_t blocks = counts_one_block(*kind_) ? block_ranks_ : 1;
        if (size > most_measured_bytes / blocks)
            file_.refuse(line, "bytes", shown(words[0]), "2^50 bytes of all ranks at most");
        measured_row row{.collective = name_of(*kind_), .nodes = fmt::format("{}", block_ranks_), .line = line};
        row.time = {.where = {.collective = *kind_, .ranks = block_ranks_, .bytes = size * blocks},
                    .algorithm = algorithm_,
                    .us = read_time(file_, line, "time", words[column_])};
        rows_.push_back(std::move(row));
    }

    const text_file& file_;
    std::string algorithm_;
    rank_t ranks_, block_ranks_ = 0;
    std::optional<collective> kind_{};
    std::size_t column_ = 0;  ///< of the time; 0: none
    std::vector<measured_row> rows_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
