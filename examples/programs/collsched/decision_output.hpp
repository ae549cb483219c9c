#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "collsched/format/files/text_file.hpp"
#include "collsched/select.hpp"

/// The sizes of a table without --sizes, in bytes.
inline constexpr std::int64_t default_sizes[] = {8, 64, 512, 4096, 32768, 262144, 2097152};

/// Returns the request for a size in decision tables. Blocks are as equal as their number permits.
/// @pre element divides bytes
collsched::choice::request request_for(collsched::collective what, collsched::rank_t ranks, collsched::bytes_t bytes,
                                       collsched::bytes_t element = 1);

/// Returns the row with the algorithm and parameters of a candidate, for its ranks. `bytes` is the smallest size.
collsched::decision row_of(const collsched::choice::candidate& best, collsched::bytes_t bytes);

/// Returns the values of a row's parameters, such as "segment=4096 radix=4".
std::string parameters_text(const collsched::decision& row);

/// Returns the reason against a schedule; if it lacks the class of the brackets, the one that it has.
std::string text_of_refusal(const collsched::argument_error& error);

/// Prints rows as a table in text.
void put_decisions(std::span<const collsched::decision> rows);

/// Prints a row as one line of JSON.
void put_decision_json(const collsched::decision& row);

/// Returns the description of a decision table; empty without one.
std::string description_of(const collsched::text_file& file);

/// The time of a row's choice at its ranks and size; unpriced if it has none.
using row_price = std::function<collsched::picoseconds(const collsched::decision&)>;

/// Adds a row to a decision table; it replaces rows for the same calls. The file may exist. With `keeps_order` the row
/// may take precedence over a row that serves commutative operations: that row is repeated for its size, where it is cheaper.
void save_decision(const std::string& argument, const std::string& path, const collsched::decision& row,
                   bool keeps_order, const row_price& price);

/// A call to explain, from the options of `table`.
struct explained_call {
    std::string file;  ///< of --explain
    collsched::decision::call call;
    collsched::bytes_t element = 1;
    bool json = false;
};

/// Prints the rows of a table that fit a call, with the reason for and against each. Returns the exit status.
int explain_decision(const explained_call& wanted);
