// Small files: matrices of sizes, neighborhoods, decision tables, hosts, start times, states of a tuning. The first byte selects the
// kind. Exchanges with an accepted file are correct, and a table is the same after writing and reading.

#include <iterator>
#include <string>
#include <vector>

#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/neighbor_linear.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/format/clusters/read_hosts.hpp"
#include "collsched/format/rules/write_decisions.hpp"
#include "examples/programs/collsched/texts/read_matrix.hpp"
#include "examples/programs/collsched/texts/read_neighbors.hpp"
#include "examples/programs/collsched/texts/read_start_times.hpp"
#include "examples/programs/mpi_tune/tuning/tuning_file.hpp"
#include "collsched/verify.hpp"
#include "input.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

constexpr rank_t few = 20;

void try_matrix(const text_file& file) {
    const block_matrix read = texts::read_matrix(file);
    fuzz::expect(!read.check(read.ranks()), "a matrix that its own check refuses");
    if (read.ranks() > few) return;
    const alltoall::pairwise exchange{.ranks = read.ranks(), .block = read};
    fuzz::expect(!check(exchange) && verify(exchange).ok(), "a matrix that nobody can exchange");
}

void try_neighbors(const text_file& file) {
    const neighborhood read = texts::read_neighbors(file);
    fuzz::expect(!read.check(read.ranks()), "a neighborhood that its own check refuses");
    if (read.ranks() > few) return;
    const neighbor_alltoall::linear exchange{.ranks = read.ranks(), .neighbors = read, .block = 2};
    fuzz::expect(!check(exchange) && verify(exchange).ok(), "neighbors that cannot exchange");
}

void try_decisions(const text_file& file) {
    const std::vector<decision> read = read_decisions(file, compiled::registry());
    for (const decision& one : read) fuzz::expect(one.ranks >= 1 && one.bytes >= 0, "a decision for no ranks");
    std::string text;
    write_decisions(std::back_inserter(text), read, file.name);
    fuzz::expect(read_decisions({"written", text}, compiled::registry()) == read, "another table after writing");
}

void try_hosts(const text_file& file) {
    const cluster::rank_hosts read = read_hosts(file);
    const rank_t ranks = read.ranks();
    fuzz::expect(ranks >= 1 && ranks <= rank_t{1} << 20, "hosts of a wrong number of ranks");
    const topology::placement where = read.on_hosts(ranks);
    fuzz::expect(!where.check() && where.ranks() == ranks, "hosts without a placement");
}

void try_start_times(const text_file& file) {
    for (const picoseconds time : texts::read_start_times(file)) fuzz::expect(time >= 0, "a negative start time");
}

void try_tuning(const text_file& file) {
    const tuning::tuning_file read = tuning::read_tuning(file, compiled::registry());
    fuzz::expect(read.run || read.rows.empty(), "rows of no run");
    if (!read.run) return;
    std::string text;
    tuning::write_tuning_run(std::back_inserter(text), *read.run);
    for (const decision& row : read.rows) tuning::write_tuning_row(std::back_inserter(text), row);
    const tuning::tuning_file again = tuning::read_tuning({"written", text}, compiled::registry());
    fuzz::expect(again.run == read.run && again.rows == read.rows, "other measurements after writing");
}

/// Reads a file that names its format as that of a tuning, others as a decision table.
void try_rows(const text_file& file) {
    if (file.text.find("collsched tuning") != file.text.npos) try_tuning(file);
    else try_decisions(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const text_file file = fuzz::text_of({data + 1, size - 1});
    fuzz::try_to([&] {
        if (data[0] == 'h') return try_hosts(file);
        if (data[0] == 's') return try_start_times(file);
        switch (data[0] % 3) {
            case 0: return try_matrix(file);
            case 1: return try_neighbors(file);
            default: return try_rows(file);
        }
    });
    return 0;
}
