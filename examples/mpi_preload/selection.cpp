#include "selection.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "algorithms/algorithms.hpp"

namespace collsched::preload {

namespace {

constexpr collective collective_of(function f) {
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

enum class operators : std::uint8_t { any, commutative };

constexpr bytes_t no_end = std::numeric_limits<bytes_t>::max();
constexpr bytes_t kib = 1024;

/// A rule. The first rule that matches is used.
struct rule {
    function what;
    rank_t ranks;   ///< at most
    bytes_t bytes;  ///< at most
    operators op;
    const char* algorithm;
    bytes_t segment = 0;
};
constexpr rank_t any_number = std::numeric_limits<rank_t>::max();

constexpr rule rules[] = {
    {function::barrier, any_number, no_end, operators::any, "dissemination"},
    {function::bcast, 2, no_end, operators::any, "binomial"},
    {function::bcast, any_number, 32 * kib, operators::any, "binomial"},
    {function::bcast, any_number, 512 * kib, operators::any, "scatter-circulant"},
    {function::bcast, any_number, no_end, operators::any, "scatter-ring"},
    {function::scatter, any_number, no_end, operators::any, "binomial"},
    {function::gather, any_number, no_end, operators::any, "binomial"},
    {function::allgather, any_number, 2 * kib, operators::any, "bruck"},
    {function::allgather, any_number, 64 * kib, operators::any, "circulant"},
    {function::allgather, any_number, no_end, operators::any, "ring"},
    {function::allgatherv, any_number, 64 * kib, operators::any, "circulant"},
    {function::allgatherv, any_number, no_end, operators::any, "ring"},
    {function::reduce, 2, no_end, operators::any, "linear"},
    {function::reduce, any_number, 64 * kib, operators::commutative, "binomial"},
    {function::reduce, any_number, no_end, operators::commutative, "rabenseifner"},
    {function::reduce, any_number, no_end, operators::any, "linear"},
    {function::allreduce, any_number, 8 * kib, operators::any, "recursive-doubling"},
    {function::allreduce, any_number, 512 * kib, operators::commutative, "rabenseifner"},
    {function::allreduce, any_number, no_end, operators::commutative, "ring"},
    {function::allreduce, any_number, no_end, operators::any, "recursive-doubling"},
    {function::reduce_scatter, any_number, 512 * kib, operators::commutative, "recursive-halving"},
    {function::reduce_scatter, any_number, no_end, operators::commutative, "pairwise"},
    {function::reduce_scatter, any_number, no_end, operators::any, "butterfly"},
    {function::reduce_scatter_block, any_number, 512 * kib, operators::commutative, "recursive-halving"},
    {function::reduce_scatter_block, any_number, no_end, operators::commutative, "pairwise"},
    {function::reduce_scatter_block, any_number, no_end, operators::any, "butterfly"},
    {function::alltoall, 4, no_end, operators::any, "linear"},
    {function::alltoall, any_number, 256, operators::any, "bruck"},
    {function::alltoall, any_number, 32 * kib, operators::any, "linear"},
    {function::alltoall, any_number, no_end, operators::any, "pairwise"},
    {function::scan, any_number, no_end, operators::any, "recursive-doubling"},
    {function::exscan, any_number, no_end, operators::any, "recursive-doubling"},
};

/// The content of a variable.
struct wish {
    bool given = false, native = false;
    const algorithm_entry* algorithm = nullptr;
    shape parameters{};
};
std::array<wish, functions> wishes;
/// Variables that are numbers.
std::int64_t wished_ranks_per_node = 0, wished_init_seconds = 0;

bool shared_memory = true;

constexpr const char *ranks_per_node_variable = "COLLSCHED_RANKS_PER_NODE",
                     *init_seconds_variable = "COLLSCHED_INIT_SECONDS", *verbose_variable = "COLLSCHED_VERBOSE",
                     *shared_memory_variable = "COLLSCHED_SHARED_MEMORY";

std::string variable_of(function f) {
    std::string name = "COLLSCHED_";
    for (const char* c = name_of(f); *c != '\0'; ++c) name += static_cast<char>(std::toupper(*c));
    return name;
}

/// Returns the algorithm of this name, or null. The name may begin with the collective, as `collsched list` prints it.
const algorithm_entry* find_algorithm(collective what, std::string_view name) {
    const std::string before = std::string(name_of(what)) + "/";
    if (name.starts_with(before)) name.remove_prefix(before.size());
    return compiled::find(what, name);
}

[[noreturn]] void refuse(const std::string& variable, const std::string& value, const std::string& expected) {
    std::fprintf(stderr, "collsched: %s: got %s, expected %s\n", variable.c_str(), value.c_str(), expected.c_str());
    std::fflush(stderr);
    PMPI_Abort(MPI_COMM_WORLD, 2);
    std::exit(2);
}

[[noreturn]] void refuse(function f, std::string_view value) {
    std::string expected = "native";
    if (knows_own_counts_alone(f)) {
        expected += ", linear";
    } else {
        for (const algorithm_entry& entry : compiled::registry())
            if (entry.info.collective == collective_of(f)) expected.append(", ").append(entry.info.name);
        expected += "; behind those that have them";
        for (const shape::free_parameter& one : free_parameters) expected.append(" :").append(one.name).append("=N");
    }
    refuse(variable_of(f), std::string(value), expected);
}

/// Returns whether the whole text is a number, and stores it.
bool is_number(std::string_view text, std::int64_t& value) {
    const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    return wrong == std::errc() && stop == text.data() + text.size();
}

/// Reads parameters such as ":segment=4096:radix=3" into `parsed`. Each may occur once and must be a parameter of the
/// algorithm.
bool read_parameters(std::string_view text, wish& parsed) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(':', 1), text.size());
        const std::string_view one = text.substr(1, end - 1);
        const std::size_t equals = one.find('=');
        if (equals == std::string_view::npos) return false;
        const std::string_view name = one.substr(0, equals), number = one.substr(equals + 1);
        std::int64_t value = 0;
        if (!is_number(number, value)) return false;
        const auto same_name = [&](const shape::free_parameter& which) { return name == which.name; };
        const auto which = std::ranges::find_if(free_parameters, same_name);
        if (which == free_parameters.end() || parsed.algorithm == nullptr || !parsed.algorithm->takes(which->name))
            return false;
        if (value < (name == "radix" ? 2 : 1) || parsed.parameters.*which->value != shape{}.*which->value) return false;
        parsed.parameters.*which->value = value;
        text.remove_prefix(end);
    }
    return true;
}

void read_variable(function f) {
    wish& parsed = wishes[static_cast<std::size_t>(f)];
    parsed = {};
    const char* value = std::getenv(variable_of(f).c_str());
    if (value == nullptr || *value == '\0') return;
    const std::string_view text = value;
    const std::size_t end = std::min(text.find(':'), text.size());
    const std::string_view name = text.substr(0, end);
    parsed.given = true;
    parsed.native = name == "native";
    const bool direct = knows_own_counts_alone(f);
    if (!parsed.native && !direct) parsed.algorithm = find_algorithm(collective_of(f), name);
    const bool known = parsed.native || (direct ? name == "linear" : parsed.algorithm != nullptr);
    if (!known || !read_parameters(text.substr(end), parsed)) refuse(f, text);
}

/// Reads a number from 1 to `most`.
void read_number(const char* variable, std::int64_t otherwise, std::int64_t most, std::int64_t& number) {
    number = otherwise;
    const char* value = std::getenv(variable);
    if (value == nullptr || *value == '\0') return;
    if (!is_number(value, number) || number < 1 || number > most)
        refuse(variable, value, "1 to " + std::to_string(most));
}

void read_shared_memory() {
    const char* value = std::getenv(shared_memory_variable);
    const std::string_view text = value == nullptr ? "" : value;
    shared_memory = text != "0";
    if (!text.empty() && text != "0" && text != "1") refuse(shared_memory_variable, value, "0 or 1");
}

/// Rejects variables with unknown names, which otherwise would have no effect.
void refuse_unknown_variables() {
    constexpr std::string_view prefix = "COLLSCHED_";
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string_view text = *one;
        if (!text.starts_with(prefix)) continue;
        const std::string_view name = text.substr(0, text.find('='));
        std::string expected = verbose_variable;
        bool known = name == expected;
        for (const char* other : {ranks_per_node_variable, init_seconds_variable, shared_memory_variable}) {
            known = known || name == other;
            expected.append(", ").append(other);
        }
        for (int f = 0; f < functions; ++f) {
            const std::string mine = variable_of(static_cast<function>(f));
            known = known || name == mine;
            expected += ", " + mine;
        }
        if (!known) refuse("environment variable", std::string(name), expected);
    }
}

/// Returns whether the schedule keeps the order of operands, according to its contract: only some trees do, and only
/// with root 0; two-level schedules only if consecutive ranks share nodes.
bool keeps_order(const choice& chosen, const decision& how) {
    const any_schedule made =
        chosen.algorithm->make({.ranks = how.ranks, .root = how.root, .placement = chosen.parameters.placement});
    return made.check() || !made.contract().commutative;
}

std::string reason(const rule& one, const decision& how) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (one.ranks != any_number) add("up to " + std::to_string(one.ranks) + " ranks");
    if (one.bytes != no_end) add("up to " + std::to_string(one.bytes) + " bytes");
    if (text.empty()) add("any ranks and bytes");
    if (one.op == operators::commutative) add("operands in any order");
    if (!how.commutative) add("operands in order");
    return text;
}

choice native(std::string why) { return {.native = true, .why = std::move(why)}; }

}  // namespace

choice choose(const decision& how, const topology::placement& where) {
    const wish& parsed = wishes[static_cast<std::size_t>(how.what)];
    if (parsed.native) return native("by " + variable_of(how.what));
    if (knows_own_counts_alone(how.what)) return {.why = "each rank has its own counts alone"};
    if (parsed.given) {
        choice made{parsed.algorithm, parsed.parameters, false, "by " + variable_of(how.what)};
        if (made.algorithm->takes("placement")) made.parameters.placement = where;
        if (!how.commutative && !keeps_order(made, how))
            return native(std::string(made.algorithm->info.name) + " does not keep the order of operands");
        return made;
    }
    for (const rule& one : rules) {
        if (one.what != how.what || how.ranks > one.ranks || how.bytes > one.bytes) continue;
        if (one.op == operators::commutative && !how.commutative) continue;
        return {
            find_algorithm(collective_of(how.what), one.algorithm), {.segment = one.segment}, false, reason(one, how)};
    }
    return native("no rule");
}

void read_variables() {
    refuse_unknown_variables();
    read_number(ranks_per_node_variable, 0, std::numeric_limits<int>::max(), wished_ranks_per_node);
    read_number(init_seconds_variable, 30, 86400, wished_init_seconds);
    read_shared_memory();
    for (int f = 0; f < functions; ++f) read_variable(static_cast<function>(f));
}

int ranks_per_node() { return static_cast<int>(wished_ranks_per_node); }

int init_seconds() { return static_cast<int>(wished_init_seconds); }

bool may_differ(std::string_view variable) { return variable == verbose_variable || variable == init_seconds_variable; }

bool wants_shared_memory() { return shared_memory; }

bool wants_placement() {
    return std::ranges::any_of(
        wishes, [](const wish& one) { return one.algorithm != nullptr && one.algorithm->takes("placement"); });
}

bool verbose() {
    static const bool is_set = [] {
        const char* value = std::getenv(verbose_variable);
        return value != nullptr && *value != '\0' && std::string_view(value) != "0";
    }();
    return is_set;
}

}  // namespace collsched::preload
