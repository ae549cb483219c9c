#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/readers/detail/benchmark_title.hpp"
#include "collsched/format/readers/detail/measured_fields.hpp"
#include "collsched/format/readers/measured_file.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Reads the output of the OSU micro-benchmarks and of IMB-MPI1. Each line is a comment, a row of a collective, or
/// unread.
class benchmark_output {
  public:
    /// `ranks` is the number of ranks of OSU's benchmarks; 0: unknown.
    benchmark_output(const text_file& file, std::string algorithm, rank_t ranks)
        : file_(file), algorithm_(std::move(algorithm)), ranks_(ranks) {}

    measured_file read() {
        for (std::string_view rest = file_.text; !rest.empty();) {
            ++line_;
            const std::string_view text = trimmed(rest.substr(0, rest.find('\n')));
            rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
            if (text.starts_with('#')) read_comment(text);
            else if (!text.empty()) read_line(words_of(text));
        }
        if (read_.rows.empty())
            file_.refuse(read_.unread.empty() ? 0 : read_.unread.front().first,
                         read_.unread.empty() ? "no time of a collective"
                                              : "no time of a collective, but " + read_.unread.front().reason,
                         "output of OSU or IMB-MPI1 for a collective");
        return std::move(read_);
    }

  private:
    void read_comment(std::string_view text) {
        const std::vector<std::string_view> words = words_of(text);
        const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string_view{}; };
        if (word(1) == "OSU" || word(1) == "Benchmarking") {
            title_ = word(1) == "OSU" ? osu_title(words) : imb_title(words);
            block_ranks_ = word(1) == "OSU" ? ranks_ : 0;
            header_ = {};
            column_ = 0;
        } else if (const auto count = std::find(words.begin(), words.end(), "#processes"); count != words.end()) {
            const std::size_t at = static_cast<std::size_t>(count - words.begin()) + 2;  // of P in "#processes = P;"
            block_ranks_ = whole_of(word(at).substr(0, word(at).find(';')), 1, most_measured_ranks).value_or(0);
        } else if (word(1) == "Size" || word(0).starts_with("#bytes") || word(0).starts_with("#repetitions")) {
            header_ = text;
            column_ = time_column(words);
        }
    }

    /// Returns the column of the times below a header, or 0. OSU 3.1 prints "# Size  Latency (us)", later versions
    /// "# Size  Avg Latency(us)" and further columns, IMB "#bytes #repetitions t_min[usec] t_max[usec] t_avg[usec]".
    static std::size_t time_column(const std::vector<std::string_view>& words) {
        if (words[0] != "#") {
            const auto last = std::find(words.begin(), words.end(), "t_max[usec]");
            return words[0] == "#bytes" && last != words.end() ? static_cast<std::size_t>(last - words.begin()) : 0;
        }
        if (words.size() < 4) return 0;
        const bool is_time =
            (words[2] == "Avg" && words[3] == "Latency(us)") || (words[2] == "Latency" && words[3] == "(us)");
        return is_time ? 1 : 0;
    }

    void read_line(const std::vector<std::string_view>& words) {
        if (words[0].find_first_not_of("0123456789.") != std::string_view::npos) return leave("text that is no row");
        if (title_.text.empty()) return leave("rows above the title of a benchmark");
        if (!title_.kind) return leave("rows of another operation, " + json_text(title_.text.substr(0, 100)));
        if (header_.empty()) return leave("rows without a header of columns");
        if (column_ == 0) return leave("rows without a column of times, " + shown(header_));
        if (words.size() > 1 && words[1].find_first_not_of("0123456789.+-") != std::string_view::npos)
            return leave("sizes without a time, " + shown(words[1]));
        read_row(words);
    }

    void read_row(const std::vector<std::string_view>& words) {
        const bytes_t size = read_whole(file_, line_, "bytes", words[0], 0, most_measured_bytes);
        if (size == 0) return leave("messages of 0 bytes");
        if (words.size() <= column_)
            file_.refuse(line_, fmt::format("{} columns", words.size()), fmt::format("{} or more", column_ + 1));
        if (block_ranks_ == 0)
            file_.refuse(line_, "an unknown number of ranks", "option --ranks, or a line '# #processes = P'");
        const bytes_t blocks = title_.counts_one_block ? block_ranks_ : 1;
        if (size > most_measured_bytes / blocks)
            file_.refuse(line_, "bytes", shown(words[0]), "2^50 bytes of all ranks at most");
        measured_row row{.collective = name_of(*title_.kind),
                         .nodes = fmt::format("{}", block_ranks_),
                         .gpu = title_.gpu,
                         .line = line_};
        row.time = {.where = {.collective = *title_.kind,
                              .ranks = block_ranks_,
                              .bytes = size * blocks,
                              .setting = title_.gpu.empty() ? "" : title_.gpu + ","},
                    .algorithm = algorithm_,
                    .us = read_time(file_, line_, "time", words[column_])};
        read_.rows.push_back(std::move(row));
    }

    /// Counts this line among those that are not read for a reason.
    void leave(std::string reason) {
        const auto same = std::find_if(read_.unread.begin(), read_.unread.end(),
                                       [&](const measured_file::unread_lines& one) { return one.reason == reason; });
        if (same != read_.unread.end()) ++same->count;
        else read_.unread.push_back({.first = line_, .count = 1, .reason = std::move(reason)});
    }

    const text_file& file_;
    std::string algorithm_;
    rank_t ranks_, block_ranks_ = 0;
    benchmark_title title_{};
    std::string_view header_{};
    std::size_t column_ = 0;  ///< of the time; 0: none
    int line_ = 0;
    measured_file read_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
