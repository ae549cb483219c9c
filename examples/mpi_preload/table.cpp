#include "table.hpp"

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY  // the program need not have the library of fmt
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "collsched/format/readers/read_decisions.hpp"
#include "collsched/select/decision_table.hpp"

namespace collsched::preload {

namespace {

using table_row = ::collsched::decision;

std::vector<table_row> table_rows;
bool table_given = false;
std::string table_path;

constexpr std::int64_t most_table_bytes = std::int64_t{1} << 26;
constexpr std::int64_t no_table = -1, wrong_table = -2;

/// Returns the rows of a table. Throws input_error, also for algorithms that are planned for a cluster or a network.
std::vector<table_row> rows_of(const text_file& file) {
    std::vector<table_row> rows = read_decisions(file, compiled::whole_registry());
    for (const table_row& row : rows)
        for (const algorithm_entry& entry : compiled::whole_registry()) {
            if (entry.info.collective != row.collective || std::string_view(entry.info.name) != row.algorithm) continue;
            for (const char* plans : {"cluster", "forest", "transfers"})
                if (entry.takes(plans))
                    file.refuse(0, "algorithm", json_text(row.algorithm),
                                "an algorithm that is not planned for a cluster or a network");
        }
    return rows;
}

/// Returns the text of the table; throws input_error.
std::string text_of_table(const std::string& path) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (!error && size > static_cast<std::uintmax_t>(most_table_bytes))
        throw input_error(
            {"size", std::to_string(size), "at most " + std::to_string(most_table_bytes) + " bytes", path});
    if (!error && !std::filesystem::is_regular_file(path, error)) throw input_error({"", "no file", "a table", path});
    const text_file file = read_text_file(std::filesystem::path(path));
    rows_of(file);
    return file.text;
}

/// Reads the table on rank 0. Returns its size, no_table or wrong_table.
std::int64_t read_table(std::string& text) {
    const char* value = std::getenv(table_variable);
    if (value == nullptr || *value == '\0') return no_table;
    table_path = value;
    try {
        text = text_of_table(value);
    } catch (const input_error& mistake) {
        print_line(std::string(table_variable) + ": " + mistake.what());
        return wrong_table;
    }
    return static_cast<std::int64_t>(text.size());
}

/// Returns the total size of a call, as tables have it.
bytes_t bytes_in_tables(const decision& how) {
    switch (how.what) {
        case function::scatter:
        case function::gather:
        case function::allgather:
        case function::alltoall: return how.bytes * how.ranks;
        default: return how.bytes;
    }
}

std::vector<const table_row*> fitting_rows(const decision& how, const topology::placement& where) {
    const table_row::call call{.collective = collective_of(how.what),
                               .ranks = how.ranks,
                               .bytes = bytes_in_tables(how),
                               .ranks_per_node = where.ranks_per_node(),
                               .commutative = how.commutative};
    std::vector<const table_row*> rows;
    for (const table_row& row : table_rows)
        if (row.fits(call)) rows.push_back(&row);
    std::ranges::sort(rows, [](const table_row* a, const table_row* b) {
        if (a == b) return false;
        return a < b ? !b->precedes(*a) : a->precedes(*b);
    });
    return rows;
}

std::string text_of(const table_row& row) {
    std::string text = "from " + std::to_string(row.ranks) + " ranks";
    if (row.ranks_per_node > 1) text += ", " + std::to_string(row.ranks_per_node) + " per node";
    return text + " and " + std::to_string(row.bytes) + " bytes";
}

}  // namespace

void share_table() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string text;
    std::int64_t size = rank == 0 ? read_table(text) : no_table;
    PMPI_Bcast(&size, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (size == wrong_table) end_with_mistake();
    if (size == no_table) return;
    if (size < 0 || size > most_table_bytes)
        refuse(table_variable, std::to_string(size) + " bytes", "0 to " + std::to_string(most_table_bytes) + " bytes");
    text.resize(static_cast<std::size_t>(size));
    PMPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD);
    try {
        table_rows = rows_of({table_path.empty() ? table_variable : table_path, text});
    } catch (const input_error& mistake) {  // another version of this library on this rank
        print_line(std::string(table_variable) + ": " + mistake.what());
        end_with_mistake();
    }
    table_given = true;
}

bool has_table() { return table_given; }

std::string table_text() {
    return table_given ? table_path + " (" + std::to_string(table_rows.size()) + " rows)" : "none";
}

std::optional<choice> choose_by_table(const decision& how, const selection_input& from, std::string& skipped) {
    if (!table_given) return {};
    for (const table_row* row : fitting_rows(how, from.where)) {
        choice made{find_algorithm(collective_of(how.what), row->algorithm), decided(*row, {}), false, ""};
        std::string against = made.algorithm == nullptr ? "unknown algorithm" : "";
        if (against.empty() && made.algorithm->takes("placement")) made.parameters.placement = from.where;
        if (against.empty()) against = from.against(made);
        if (against.empty()) {
            made.why = skipped + "by COLLSCHED_TABLE, row " + text_of(*row);
            return made;
        }
        skipped += "skipped row " + text_of(*row) + ": " + against + "; ";
    }
    skipped += skipped.empty() ? "no row of COLLSCHED_TABLE fits; " : "no other row of COLLSCHED_TABLE fits; ";
    return {};
}

}  // namespace collsched::preload
