#include "selection.hpp"

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
#include "bits.hpp"
#include "collsched/group/table_policies.hpp"
#include "given_cluster.hpp"
#include "info_keys.hpp"
#include "native_mpi.hpp"
#include "nearest_name.hpp"
#include "never_destroyed.hpp"
#include "nodes.hpp"
#include "report.hpp"
#include "table.hpp"
#include "wish.hpp"

namespace collsched::preload {

namespace {

constinit never_destroyed<wishes> by_variables;
/// Variables that are numbers.
std::int64_t wished_ranks_per_node = 0, wished_init_seconds = 0;
shared_memory_use shared_memory = shared_memory_use::single_copy;

constexpr const char *ranks_per_node_variable = "COLLSCHED_RANKS_PER_NODE",
                     *init_seconds_variable = "COLLSCHED_INIT_SECONDS", *verbose_variable = "COLLSCHED_VERBOSE",
                     *shared_memory_variable = "COLLSCHED_SHARED_MEMORY";
/// Variables that belong to no function.
constexpr const char* other_variables[] = {verbose_variable,       ranks_per_node_variable, init_seconds_variable,
                                           shared_memory_variable, table_variable,          report_variable,
                                           cluster_variable,       hosts_variable,          bits_variable};

std::string variable_of(function f) {
    std::string name = "COLLSCHED_";
    for (const char* c = name_of(f); *c != '\0'; ++c) name += static_cast<char>(std::toupper(*c));
    return name;
}

void read_variable(function f) {
    wish& parsed = (*by_variables)[static_cast<std::size_t>(f)];
    parsed = {};
    const char* value = std::getenv(variable_of(f).c_str());
    if (value == nullptr || *value == '\0') return;
    if (!read_wish(f, value, parsed)) refuse(variable_of(f), value, valid_wishes(f));
    if (parsed.native && wanted_bits(f) > association_class::any)
        refuse(variable_of(f), value, std::string("an algorithm of this library, or no ") + bits_variable);
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
    if (text == "0") shared_memory = shared_memory_use::none;
    else if (text == "rings") shared_memory = shared_memory_use::rings;
    else if (text.empty() || text == "1") shared_memory = shared_memory_use::single_copy;
    else refuse(shared_memory_variable, value, "0, 1 or rings");
}

/// Returns whether the name of a variable is one for this library. The budget is one for the command line program.
bool is_for_library(std::string_view name) { return name.starts_with("COLLSCHED_") && name != "COLLSCHED_BUDGET"; }
std::string_view name_in(std::string_view variable) { return variable.substr(0, variable.find('=')); }

/// Rejects variables with unknown names, which otherwise would have no effect.
void refuse_unknown_variables() {
    std::vector<std::string> known(std::begin(other_variables), std::end(other_variables));
    for (int f = 0; f < functions; ++f) known.push_back(variable_of(static_cast<function>(f)));
    for (char** one = environ; *one != nullptr; ++one) {
        const std::string name(name_in(*one));
        if (!is_for_library(name)) continue;
        if (std::ranges::find(known, name) == known.end())
            refuse("environment variable", name,
                   nearest_name(name, known) + " (the nearest name), or another of docs/preload.md");
    }
}

selection native(std::string why) { return {{.reason = std::move(why)}, true}; }

/// Returns the selection of a variable or an info key, whose name is `origin`.
/// @param error  receives the reason why its algorithm does not serve the call, which makes it native
selection by_wish(const wish& wished, const choice::request& request, const std::string& origin,
                  argument_error& error) {
    if (wished.native) return native("by " + origin);
    if (wished.row.algorithm[0] == '\0') return {{.reason = "by " + origin}};
    const decision::result made = decide({&wished.row, 1}, request, compiled::whole_registry());
    if (made.entry != nullptr) return {chosen_from_list(*made.entry, made.parameters, "by " + origin)};
    error = made.skipped.front().error;
    return native(std::string(wished.row.algorithm) + ": " + error.text().c_str());
}

/// Refuses a variable whose algorithm does not serve the class of COLLSCHED_BITS.
[[noreturn]] void refuse_class(const std::string& variable, const choice::request& request,
                               const std::string& against) {
    refuse(variable, std::getenv(variable.c_str()),
           std::string("an algorithm of the class of ") + bits_variable + ", " + name_of(request.bits) + ", for " +
               std::to_string(request.parameters.ranks) + " ranks (" + against + ")");
}

}  // namespace

selection select_schedule(function what, const choice::request& request, const selection_input& from) {
    const auto f = static_cast<std::size_t>(what);
    std::string skipped;
    const bool by_info = from.by_info != nullptr && (*from.by_info)[f].given;
    const wish& wished = by_info ? (*from.by_info)[f] : (*by_variables)[f];
    if (wished.given) {
        const std::string origin = by_info ? "the info key " + info_key_of(what) : variable_of(what);
        argument_error error;
        selection made = by_wish(wished, request, origin, error);
        if (!made.native || request.bits == association_class::any) return made;
        const std::string& against = wished.native ? "it leaves the call to the MPI library" : made.chosen.reason;
        if (!by_info && error.argument != std::string_view("commutative")) refuse_class(origin, request, against);
        skipped = "skipped " + origin + ": " + against + "; ";
    }
    if (knows_own_counts_alone(what)) return {{.reason = "each rank has its own counts alone"}};
    selection made;
    const auto is_served_by = [&](const choice_policy& policy) {
        made.chosen = policy(request);
        if (made.chosen.schedule) made.chosen.reason = skipped + made.chosen.reason;
        else skipped += made.chosen.reason + "; ";
        return made.chosen.schedule.has_value();
    };
    const bool served = has_table()               ? is_served_by(by_table())
                        : from.cluster != nullptr ? is_served_by(from.cluster->cheapest)
                                                  : false;
    if (served || is_served_by(policies::built_in(compiled::whole_registry()))) return made;
    return native(skipped.substr(0, skipped.size() - 2));
}

void read_variables() {
    refuse_unknown_variables();
    read_number(ranks_per_node_variable, 0, std::numeric_limits<int>::max(), wished_ranks_per_node);
    read_number(init_seconds_variable, 30, 86400, wished_init_seconds);
    read_shared_memory();
    read_bits();
    for (int f = 0; f < functions; ++f) read_variable(static_cast<function>(f));
}

int init_seconds() { return static_cast<int>(wished_init_seconds); }

bool may_differ(std::string_view variable) {
    return variable == verbose_variable || variable == init_seconds_variable || variable == table_variable ||
           variable == report_variable || !is_for_library(variable);
}

shared_memory_use wanted_shared_memory() { return shared_memory; }

std::string variables_in_effect() {
    std::string text;
    for (char** one = environ; *one != nullptr; ++one)
        if (is_for_library(name_in(*one)) && !std::string_view(*one).ends_with('='))
            text.append(text.empty() ? "" : " ").append(*one);
    return text;
}

int ranks_per_node() { return static_cast<int>(wished_ranks_per_node); }

bool verbose() {
    static const bool is_set = [] {
        const char* value = std::getenv(verbose_variable);
        return value != nullptr && *value != '\0' && std::string_view(value) != "0";
    }();
    return is_set;
}

}  // namespace collsched::preload
