#pragma once

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "arguments.hpp"
#include "collsched/select/decision_table.hpp"

namespace collsched::preload {

/// An algorithm with its parameters that a variable or an info key selects for a function.
struct wish {
    bool given = false, native = false;
    decision
        row{};  ///< the algorithm for all calls; without a name if native or not given, or if the function has one alone
};
/// The selected algorithms of all functions.
using wishes = std::array<wish, functions>;

/// Returns the collective of a function.
collective collective_of(function f);

/// Returns the algorithm of this name, or null. The name may begin with the collective, as `collsched list` prints it.
const algorithm_entry* known_algorithm(collective what, std::string_view name);

/// Reads an algorithm with parameters, such as "chain:segment=4096", or "native".
/// @return whether the text is valid for the function
bool read_wish(function f, std::string_view text, wish& parsed);

/// Returns the valid texts for a function, for errors.
std::string valid_wishes(function f);

/// Returns whether the whole text is a number, and stores it.
inline bool is_number(std::string_view text, std::int64_t& value) {
    const auto [stop, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    return wrong == std::errc() && stop == text.data() + text.size();
}

/// Prints `collsched: ARGUMENT: got VALUE, expected EXPECTED` without control characters and ends the program with
/// status 2. If rank 0 of MPI_COMM_WORLD calls it too, only that rank prints.
[[noreturn]] void refuse(const std::string& argument, const std::string& value, const std::string& expected);

/// Prints one line without control characters on stderr.
void print_line(std::string line);

/// Ends the program with status 2 after a line was printed.
[[noreturn]] void end_with_mistake();

}  // namespace collsched::preload
