#include "table.hpp"

#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY  // the program need not have the library of fmt
#endif

#include <algorithm>
#include <span>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "collsched/format/readers/read_decisions.hpp"
#include "collsched/select/built_in_rules.hpp"
#include "collsched/select/decide.hpp"
#include "bits.hpp"
#include "given_cluster.hpp"
#include "never_destroyed.hpp"
#include "shared_file.hpp"

namespace collsched::preload {

namespace {

using table_row = ::collsched::decision;

constinit never_destroyed<std::vector<table_row>> table_rows;
bool table_given = false;
constinit never_destroyed<std::string> table_path;

/// Returns the rows of a table. Throws input_error, also for algorithms that are planned for a network, or for a
/// cluster that is not given.
std::vector<table_row> rows_of(const text_file& file) {
    std::vector<table_row> rows = read_decisions(file, compiled::whole_registry());
    if (rows.empty()) file.refuse(0, "rows", "none", "one or more");
    for (const table_row& row : rows) {
        const algorithm_entry& entry =
            *collsched::find_algorithm(compiled::whole_registry(), row.collective, row.algorithm);
        if (entry.takes("forest") || entry.takes("transfers"))
            file.refuse(0, "algorithm", json_text(row.algorithm), "an algorithm that is not planned for a network");
        if (entry.takes("cluster") && !has_cluster())
            file.refuse(0, "algorithm", json_text(row.algorithm),
                        "an algorithm that is not planned for a cluster without COLLSCHED_CLUSTER");
    }
    return rows;
}

/// Returns the call for which a table is searched.
table_row::call call_of(const decision& how, const topology::placement& where) {
    return {.collective = collective_of(how.what),
            .ranks = how.ranks,
            .bytes = bytes_in_tables(how),
            .ranks_per_node = where.ranks_per_node(),
            .commutative = how.commutative,
            .association = wanted_bits(how.what)};
}

/// Selects by the rows of a table.
/// @param origin  the table, for the reason
std::optional<choice> choose_by_rows(std::span<const table_row> table, const std::string& origin, const decision& how,
                                     const selection_input& from, std::string& skipped) {
    for (const table_row* row : fitting_rows(table, call_of(how, from.where))) {
        choice made{find_algorithm(collective_of(how.what), row->algorithm), decided(*row, {}), false, ""};
        std::string against = made.algorithm == nullptr ? "unknown algorithm" : "";
        if (against.empty()) place(made, from);
        if (against.empty()) against = from.against(made);
        if (against.empty()) {
            made.why = skipped + origin + "row " + text_of(*row);
            if (row->origin != table_row::source::stated) made.why.append(", ").append(name_of(row->origin));
            return made;
        }
        const std::string reason = ": " + against + "; ";
        if (skipped.find(reason) == std::string::npos) skipped += "skipped row " + text_of(*row) + reason;
    }
    return {};
}

}  // namespace

bytes_t bytes_in_tables(const decision& how) {
    switch (how.what) {
        case function::scatter:
        case function::gather:
        case function::allgather:
        case function::alltoall: return how.bytes * how.ranks;
        default: return how.bytes;
    }
}

void share_table() {
    const auto parse = [](const text_file& file) {
        *table_path = file.name;
        *table_rows = rows_of(file);
    };
    table_given = share_file(table_variable, "a table", parse);
}

bool has_table() { return table_given; }

std::string table_text() {
    return table_given ? *table_path + " (" + std::to_string(table_rows->size()) + " rows)" : "none";
}

std::optional<choice> choose_by_table(const decision& how, const selection_input& from, std::string& skipped) {
    if (!table_given) return {};
    if (auto made = choose_by_rows(*table_rows, "by COLLSCHED_TABLE, ", how, from, skipped)) return made;
    skipped += skipped.empty() ? "no row of COLLSCHED_TABLE fits; " : "no other row of COLLSCHED_TABLE fits; ";
    return {};
}

std::optional<choice> choose_by_rules(const decision& how, const selection_input& from, std::string& skipped) {
    std::optional<choice> made;
    if (wanted_bits(how.what) >= association_class::position)
        made = choose_by_rows(canonical_rules, "built-in canonical ", how, from, skipped);
    if (!made) made = choose_by_rows(built_in_rules, "built-in ", how, from, skipped);
    if (made && made->why.ends_with(name_of(table_row::source::simulated)))
        made->why.append(" for ").append(built_in_model);
    return made;
}

}  // namespace collsched::preload
