#include "table.hpp"

#include <vector>

#include "algorithms/algorithms.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/group/table_policies.hpp"
#include "given_cluster.hpp"
#include "never_destroyed.hpp"
#include "shared_file.hpp"

namespace collsched::preload {

namespace {

/// The table of COLLSCHED_TABLE.
struct table_in_use {
    choice_policy policy;  // empty: none
    std::string path;
    std::size_t rows = 0;
};
constinit never_destroyed<table_in_use> used_table;

/// Returns the rows of a table. Throws input_error, also for algorithms that are planned for a network, or for a
/// cluster that is not given.
std::vector<decision> rows_of(const text_file& file) {
    std::vector<decision> rows = read_decisions(file, compiled::whole_registry());
    if (rows.empty()) file.refuse(0, "rows", "none", "one or more");
    for (const decision& row : rows) {
        const algorithm_entry& entry = *find_algorithm(compiled::whole_registry(), row.collective, row.algorithm);
        if (entry.takes(&shape::forest) || entry.takes(&shape::transfers))
            file.refuse(0, "algorithm", json_text(row.algorithm), "an algorithm that is not planned for a network");
        if (entry.takes(&shape::cluster) && !has_cluster())
            file.refuse(0, "algorithm", json_text(row.algorithm),
                        "an algorithm that is not planned for a cluster without COLLSCHED_CLUSTER");
    }
    return rows;
}

}  // namespace

void share_table() {
    const auto parse = [](const text_file& file) {
        std::vector<decision> rows = rows_of(file);
        used_table->path = file.name;
        used_table->rows = rows.size();
        used_table->policy = policies::table(std::move(rows), compiled::whole_registry(), table_variable);
    };
    share_file(table_variable, "a table", parse);
}

bool has_table() { return static_cast<bool>(used_table->policy); }

std::string table_text() {
    return has_table() ? used_table->path + " (" + std::to_string(used_table->rows) + " rows)" : "none";
}

const choice_policy& by_table() { return used_table->policy; }

}  // namespace collsched::preload
