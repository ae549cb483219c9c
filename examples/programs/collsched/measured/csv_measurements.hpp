#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "measured_fields.hpp"

namespace collsched::measured {

/// Reads measurements with a line of column names.
class csv_measurements {
  public:
    csv_measurements(const text_file& file, bool has_times) : file_(file), has_times_(has_times) {}

    /// Returns whether the first line of a file is that of CSV: two names of columns or more, or one word with commas.
    static bool is_header(std::string_view line) {
        const std::vector<std::string_view> fields = fields_of(line);
        const auto known = std::count_if(fields.begin(), fields.end(), [](std::string_view field) {
            return std::find(names.begin(), names.end(), field) != names.end();
        });
        return known >= 2 || (fields.size() > 1 && line.find_first_of(" \t") == line.npos);
    }

    std::vector<measured_row> read() {
        std::vector<measured_row> rows;
        int line = 0;
        for (std::string_view rest = file_.text; !rest.empty();) {
            ++line;
            const std::string_view text = trimmed(take_line(rest));
            if (text.empty() || text.front() == '#' || text == header_) continue;
            if (header_.empty()) read_header(line, text);
            else rows.push_back(row_of(line, text));
        }
        if (header_.empty()) file_.refuse(0, "no column names", expected_columns());
        return rows;
    }

  private:
    enum column : std::size_t { machine, kind, nodes, per_node, gpu, mpi, ranks, bytes, algorithm, us, columns };
    static constexpr std::array<std::string_view, columns> names = {
        "machine", "collective", "nodes", "ranks_per_node", "gpu", "mpi", "ranks", "bytes", "algorithm", "median_us"};
    static constexpr std::size_t absent = static_cast<std::size_t>(-1);

    std::string_view expected_columns() const {
        return has_times_ ? "columns collective, nodes or ranks, bytes, algorithm, median_us"
                          : "columns collective, nodes or ranks, bytes, algorithm";
    }

    static std::vector<std::string_view> fields_of(std::string_view text) {
        std::vector<std::string_view> fields;
        for (;;) {
            const std::size_t end = text.find(',');
            fields.push_back(trimmed(text.substr(0, end)));
            if (end == text.npos) return fields;
            text.remove_prefix(end + 1);
        }
    }

    void read_header(int line, std::string_view text) {
        header_ = text;
        at_.fill(absent);
        const std::vector<std::string_view> fields = fields_of(text);
        fields_ = fields.size();
        for (std::size_t c = 0; c < columns; ++c)
            for (std::size_t f = 0; f < fields.size(); ++f) {
                if (fields[f] != names[c]) continue;
                if (at_[c] != absent) file_.refuse(line, fmt::format("column {} twice", names[c]), "every column once");
                at_[c] = f;
            }
        for (const column needed : {kind, bytes, algorithm, us})
            if (at_[needed] == absent && (needed != us || has_times_))
                file_.refuse(line, fmt::format("no column {}", names[needed]), expected_columns());
        if (at_[nodes] == absent && at_[ranks] == absent)
            file_.refuse(line, "no column nodes and no column ranks", expected_columns());
    }

    measured_row row_of(int line, std::string_view text) const {
        const std::vector<std::string_view> fields = fields_of(text);
        if (fields.size() != fields_)
            file_.refuse(line, fmt::format("{} fields", fields.size()), fmt::format("{} as in the header", fields_));
        for (const std::string_view one : fields)
            if (!is_plain_field(one)) file_.refuse(line, shown(one), "text without quotes and control characters");
        const auto field = [&](column c) { return at_[c] == absent ? std::string_view{} : fields[at_[c]]; };
        measured_row row{.machine = std::string(field(machine)),
                         .collective = std::string(field(kind)),
                         .nodes = std::string(field(at_[nodes] == absent ? ranks : nodes)),
                         .ranks_per_node = std::string(field(per_node)),
                         .gpu = std::string(field(gpu)),
                         .mpi = std::string(field(mpi)),
                         .line = line};
        measured_case& where = row.time.where;
        const auto collective = collective_of(field(kind));
        if (!collective)
            file_.refuse(line, "collective", field(kind).empty() ? "" : shown(field(kind)),
                         "allgather, allreduce, alltoall, bcast, gather, reduce, reduce_scatter or scatter");
        where.collective = *collective;
        where.ranks_per_node = read_each(line, field(per_node));
        where.ranks = read_ranks(line, field(nodes), where.ranks_per_node, field(ranks));
        where.bytes = read_whole(file_, line, "bytes", field(bytes), 1, most_measured_bytes);
        where.setting = row.gpu + "," + row.mpi;
        row.time.algorithm = field(algorithm);
        if (row.time.algorithm.empty()) file_.refuse(line, "algorithm", "", "a name");
        if (has_times_) row.time.us = read_time(file_, line, "median_us", field(us));
        return row;
    }

    rank_t read_each(int line, std::string_view text) const {
        return text.empty() ? 1 : read_whole(file_, line, "ranks_per_node", text, 1, most_measured_ranks);
    }
    /// Returns the number of ranks: that of column ranks if there is one, else nodes times ranks per node.
    rank_t read_ranks(int line, std::string_view node_text, rank_t each, std::string_view text) const {
        if (at_[ranks] != absent) return read_whole(file_, line, "ranks", text, 1, most_measured_ranks);
        const rank_t count = read_nodes(file_, line, node_text);
        if (count > most_measured_ranks / each)
            file_.refuse(line, fmt::format("{} nodes of {} ranks", count, each), "2^30 ranks at most");
        return count * each;
    }

    const text_file& file_;
    bool has_times_;
    std::string_view header_{};
    std::array<std::size_t, columns> at_{};
    std::size_t fields_ = 0;
};

}  // namespace collsched::measured
