#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "collsched/core/block_matrix.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched::texts {

/// The rows of a matrix, each with as many sizes as the first.
class matrix_rows {
  public:
    explicit matrix_rows(const text_file& file) : file_(file) {}

    void add(int line, bytes_t size) {
        if (++in_row_ > most) file_.refuse(line, "too many sizes", fmt::format("at most {} per row", most));
        sizes_.push_back(size);
    }
    void end_row(int line) {
        if (in_row_ == 0) file_.refuse(line, "an empty row", "p rows of p sizes");
        lines_.push_back(line);
        if (rows_++ == 0) wide_ = in_row_;
        if (in_row_ != wide_)
            file_.refuse(line, fmt::format("{} sizes", in_row_), fmt::format("{} sizes as in the first row", wide_));
        if (rows_ > wide_) file_.refuse(line, fmt::format("row {}", rows_), fmt::format("{} rows of {}", wide_, wide_));
        in_row_ = 0;
    }
    block_matrix finish(int line) const {
        if (rows_ == 0) file_.refuse(line, "no sizes", "p rows of p sizes");
        if (rows_ != wide_)
            file_.refuse(line, fmt::format("{} rows", rows_), fmt::format("{} rows of {}", wide_, wide_));
        block_matrix made(sizes_);
        if (const argument_error error = made.check(static_cast<rank_t>(wide_))) {
            const auto at = static_cast<std::size_t>(error.index);
            file_.refuse(lines_[at / wide_],
                         fmt::format("size {} in row {}, column {}", error.value, at / wide_ + 1, at % wide_ + 1),
                         error.expected);
        }
        return made;
    }
    rank_t ranks() const { return static_cast<rank_t>(wide_); }

  private:
    static constexpr std::size_t most = 16'384;

    const text_file& file_;
    std::vector<bytes_t> sizes_;
    std::vector<int> lines_;  // lines of the rows
    std::size_t rows_ = 0, wide_ = 0, in_row_ = 0;
};

inline void read_json_rows(const text_file& file, matrix_rows& rows) {
    const json_reader reader(file);
    const json_reader::json_value all = reader.parse();
    const auto* list = all.as<json_reader::json_value::list>();
    if (list == nullptr) file.refuse(all.line, "no list", "a list of rows");
    for (const json_reader::json_value& row : *list) {
        const auto* sizes = row.as<json_reader::json_value::list>();
        if (sizes == nullptr) file.refuse(row.line, "a row that is no list", "a list of sizes");
        for (const json_reader::json_value& size : *sizes) rows.add(size.line, reader.integer(size, "size", 0));
        rows.end_row(row.line);
    }
}

inline void read_plain_rows(const text_file& file, matrix_rows& rows) {
    constexpr std::string_view between = " \t\r,;";
    int line = 0;
    for (std::string_view rest = file.text; !rest.empty();) {
        ++line;
        std::string_view row = take_line(rest);
        row = row.substr(0, row.find('#'));
        bool any = false;
        for (std::size_t at = row.find_first_not_of(between); at != row.npos; at = row.find_first_not_of(between, at)) {
            const std::string_view word = row.substr(at, row.find_first_of(between, at) - at);
            bytes_t size = -1;
            const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
            if (error != std::errc{} || end != word.data() + word.size() || size < 0) {
                const std::string_view other = foreign_format(file.text);
                if (!other.empty())
                    file.refuse(line, fmt::format("text that looks like {}", other), "p rows of p sizes");
                file.refuse(line, fmt::format("size {}", json_text(word.substr(0, 40))), "a whole number, 0 to 2^63-1");
            }
            rows.add(line, size);
            any = true;
            at += word.size();
        }
        if (any) rows.end_row(line);
    }
}

/// Reads the block sizes of a complete exchange, in bytes: entry j of row i is the size of the block from rank i to
/// rank j. The text has p lines of p numbers, separated by blanks or commas, and # begins a comment. The JSON form is
/// [[0,1],[2,3]]. Throws input_error.
/// @param file  the text
/// @return the matrix, for p ranks
inline block_matrix read_matrix(const text_file& file) {
    matrix_rows rows(file);
    const std::size_t first = file.text.find_first_not_of(" \t\r\n");
    if (first != file.text.npos && file.text[first] == '[') read_json_rows(file, rows);
    else read_plain_rows(file, rows);
    const auto lines = 1 + std::count(file.text.begin(), file.text.end(), '\n');
    return rows.finish(static_cast<int>(lines));
}
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file
/// @return the matrix, for p ranks
inline block_matrix read_matrix(const std::filesystem::path& path) { return read_matrix(read_text_file(path)); }

}  // namespace collsched::texts
