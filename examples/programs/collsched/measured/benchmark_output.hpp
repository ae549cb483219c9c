#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmark_columns.hpp"
#include "benchmark_title.hpp"
#include "measured_fields.hpp"
#include "measured_file.hpp"

namespace collsched::measured {

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
            const std::string_view text = trimmed(take_line(rest));
            const std::vector<std::string_view> words = words_of(text);
            if (is_benchmark_header(words)) columns_ = columns_of(text, words);
            else if (has_misplaced_title(words)) end_title();
            else if (text.starts_with('#')) read_comment(words);
            else if (!text.empty()) read_line(words);
        }
        if (read_.rows.empty())
            file_.refuse(read_.unread.empty() ? 0 : read_.unread.front().first,
                         read_.unread.empty() ? "no time of a collective"
                                              : "no time of a collective, but " + read_.unread.front().reason,
                         "output of OSU or IMB-MPI1 for a collective");
        return std::move(read_);
    }

  private:
    static constexpr auto misplaced = "a title on a line with other text, and the rows below it";

    /// Ends the title above, because the rows below belong to one that is damaged.
    void end_title() {
        title_ = {};
        is_misplaced_ = true;
        leave(misplaced);
    }

    void read_comment(const std::vector<std::string_view>& words) {
        if (is_title(words)) {
            is_osu_ = words[1] == "OSU";
            title_ = is_osu_ ? osu_title(words) : imb_title(words);
            block_ranks_ = is_osu_ ? ranks_ : 0;
            columns_ = {};
            is_misplaced_ = false;
        } else if (const auto count = std::find(words.begin(), words.end(), "#processes"); count != words.end()) {
            const std::size_t at = static_cast<std::size_t>(count - words.begin()) + 2;  // of P in "#processes = P;"
            const std::string_view word = at < words.size() ? words[at] : std::string_view{};
            block_ranks_ = whole_of(word.substr(0, word.find(';')), 1, most_measured_ranks).value_or(0);
        }
    }

    void read_line(const std::vector<std::string_view>& words) {
        if (begins_with_name(words)) return leave("rows that begin with the name of the benchmark");
        if (words[0].find_first_not_of("0123456789.") != std::string_view::npos) return leave("text that is no row");
        if (is_misplaced_) return leave(misplaced);
        if (title_.text.empty()) return leave("rows without the title of a benchmark above");
        if (!title_.kind) return leave("rows of another operation, " + json_text(title_.text.substr(0, 100)));
        if (columns_.text.empty()) return leave("rows without a header of columns");
        if (columns_.time == 0) return leave("rows without a column of times, " + shown(columns_.text));
        if (words.size() > 1 && !is_numeric(words[1])) return leave("sizes without a time, " + shown(words[1]));
        if (words.size() != columns_.count)
            return leave(fmt::format("rows without exactly the {} columns of their header", columns_.count));
        if (columns_.check > 0 && !passes_check(words[columns_.check]))
            return leave("rows whose check of the data failed");
        for (std::size_t i = 0; i < words.size(); ++i)
            if (i != columns_.check && !is_numeric(words[i])) return leave("rows with text in a column of numbers");
        read_row(words);
    }

    /// Returns whether this is a row of the modified IMB whose header begins with "#Benchmarking #procs".
    bool begins_with_name(const std::vector<std::string_view>& words) const {
        return words.size() > 1 && title_.text == "Benchmarking " + std::string(words[0]) && is_numeric(words[1]);
    }

    void read_row(const std::vector<std::string_view>& words) {
        const bytes_t size = read_whole(file_, line_, "bytes", words[0], 0, most_measured_bytes);
        if (size == 0) return leave("messages of 0 bytes");
        if (block_ranks_ == 0)
            file_.refuse(line_, "an unknown number of ranks",
                         is_osu_ ? "option --ranks" : "a line '# #processes = P' below the title");
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
                    .us = read_time(file_, line_, "time", words[columns_.time])};
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
    bool is_osu_ = false, is_misplaced_ = false;  ///< of the title: whether it is of OSU, whether it is damaged
    benchmark_columns columns_{};
    int line_ = 0;
    measured_file read_{};
};

}  // namespace collsched::measured
