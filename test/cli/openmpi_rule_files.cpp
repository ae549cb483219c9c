#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "examples/programs/collsched/foreign/write_openmpi_rules.hpp"
#include "examples/programs/collsched/foreign/openmpi_algorithms.hpp"

using namespace collsched;
using namespace collsched::foreign;
using namespace collsched::detail;

// openmpi_rule_files DIR: writes rules files for Open MPI 4.1 that together have every number that a file may have (each k-th number of
// all collectives in one file), and the numbers that reorder operands. Prints for each file its kind, its name and its collectives:
// "right" for every program, "promised" for programs of both promises, "wrong" for operators that do not commute.

namespace {

constexpr openmpi_rules::release version = openmpi_rules::release::v4_1;
constexpr openmpi_rules::program_properties both{true, true}, equal_alone{.equal_arguments = true};

struct kind {
    const char* name;
    bool (*has)(const openmpi_algorithm& row, bool segmented);
};

bool right(const openmpi_algorithm& row, bool segmented) { return is_right(row, {}, segmented); }
bool promised(const openmpi_algorithm& row, bool segmented) {
    return is_right(row, both, segmented) && !is_right(row, {}, segmented);
}
bool wrong(const openmpi_algorithm& row, bool segmented) {
    return !segmented && is_right(row, both, false) && !is_right(row, equal_alone, false);
}

}  // namespace

int main(int count, char** values) {
    if (count != 2) return 2;
    for (const kind& one : {kind{"right", right}, kind{"promised", promised}, kind{"wrong", wrong}})
        for (std::size_t k = 0;; ++k) {
            std::vector<openmpi_rules::rule> rules;
            std::string collectives;
            for (const openmpi_collective_info& what : openmpi_collectives) {
                std::vector<openmpi_rules::rule> candidates;
                for (const openmpi_algorithm& row : openmpi_algorithms)
                    for (const bool segmented : {false, true})
                        if (row.collective == what.id && row.holds(version) && one.has(row, segmented))
                            candidates.push_back({.collective = what.id,
                                                  .ranks = 2,
                                                  .number = row.number,
                                                  .segment = segmented ? 1024 : 0});
                if (k >= candidates.size()) continue;
                rules.push_back(candidates[k]);
                collectives += " " + std::string(what.name);
            }
            if (rules.empty()) break;
            const std::string name = std::string(values[1]) + "/" + one.name + std::to_string(k) + ".conf";
            std::string text;
            write_openmpi_rules(std::back_inserter(text), rules, openmpi_heading(version, {}));
            std::ofstream(name) << text;
            std::printf("%s %s%s\n", one.name, name.c_str(), collectives.c_str());
        }
}
