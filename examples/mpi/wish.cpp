#include "wish.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "algorithms/algorithms.hpp"
#include "collsched/select/choice.hpp"
#include "given_cluster.hpp"
#include "native_mpi.hpp"

namespace collsched::preload {

collective collective_of(function f) {
    switch (f) {
        case function::barrier: return collective::barrier;
        case function::bcast: return collective::broadcast;
        case function::scatter:
        case function::scatterv: return collective::scatter;
        case function::gather:
        case function::gatherv: return collective::gather;
        case function::allgather:
        case function::allgatherv: return collective::allgather;
        case function::reduce: return collective::reduce;
        case function::allreduce: return collective::allreduce;
        case function::reduce_scatter:
        case function::reduce_scatter_block: return collective::reduce_scatter;
        case function::scan: return collective::scan;
        case function::exscan: return collective::exscan;
        case function::alltoall:
        case function::alltoallv:
        case function::alltoallw: return collective::alltoall;
    }
    return collective::barrier;
}

const algorithm_entry* known_algorithm(collective what, std::string_view name) {
    const std::string before = std::string(name_of(what)) + "/";
    if (name.starts_with(before)) name.remove_prefix(before.size());
    if (const algorithm_entry* found = compiled::find(what, name)) return found;
    return find_algorithm(planned_algorithms(), what, name);
}

void print_line(std::string line) {
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
    std::ranges::replace_if(line, is_control, ' ');
    std::fprintf(stderr, "collsched: %s\n", line.c_str());
    std::fflush(stderr);
}

void end_with_mistake() {
    usleep(200'000);  // MPICH's launcher may discard a line that it has not read before it receives the abort
    PMPI_Abort(MPI_COMM_WORLD, 2);
    std::exit(2);
}

namespace {

/// Rank 0 prints at once. The others print if rank 0 has not ended the program meanwhile because of the same value.
void let_rank_0_print() {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) usleep(1'500'000);
}

}  // namespace

void refuse(const std::string& argument, const std::string& value, const std::string& expected) {
    let_rank_0_print();
    print_line(argument + ": got " + value + ", expected " + expected);
    end_with_mistake();
}

std::string valid_wishes(function f) {
    std::string expected = "native";
    if (knows_own_counts_alone(f)) return expected + ", linear";
    for (const auto& list : {compiled::registry(), planned_algorithms()})
        for (const algorithm_entry& entry : list)
            if (entry.info.collective == collective_of(f)) expected.append(", ").append(entry.info.name);
    expected += "; behind those that have them";
    for (const decision::free_parameter& one : free_parameters) expected.append(" :").append(one.name).append("=N");
    return expected;
}

namespace {

/// Reads parameters such as ":segment=4096:radix=3" into a row. Each may occur once and must be a parameter of the
/// algorithm.
bool read_parameters(std::string_view text, const algorithm_entry* algorithm, decision& row) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(':', 1), text.size());
        const std::string_view one = text.substr(1, end - 1);
        const std::size_t equals = one.find('=');
        if (equals == std::string_view::npos) return false;
        const std::string_view name = one.substr(0, equals), number = one.substr(equals + 1);
        std::int64_t value = 0;
        if (!is_number(number, value)) return false;
        const auto same_name = [&](const decision::free_parameter& which) { return name == which.name; };
        const auto which = std::ranges::find_if(free_parameters, same_name);
        if (which == free_parameters.end() || algorithm == nullptr || !algorithm->takes(which->value)) return false;
        if (value < (name == "radix" ? 2 : 1) || row.*which->row != shape::as_it_is) return false;
        row.*which->row = value;
        text.remove_prefix(end);
    }
    return true;
}

}  // namespace

bool read_wish(function f, std::string_view text, wish& parsed) {
    parsed = {};
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view name = text.substr(0, end);
    parsed.given = true;
    parsed.native = name == "native";
    const bool direct = knows_own_counts_alone(f);
    const algorithm_entry* const algorithm =
        parsed.native || direct ? nullptr : known_algorithm(collective_of(f), name);
    parsed.row.collective = collective_of(f);
    if (algorithm != nullptr) parsed.row.algorithm = algorithm->info.name;
    const bool known = parsed.native || (direct ? name == "linear" : algorithm != nullptr);
    return known && read_parameters(text.substr(end), algorithm, parsed.row);
}

}  // namespace collsched::preload
