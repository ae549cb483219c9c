#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "collsched/core/argument_error.hpp"
#include "collsched/format/input_error.hpp"

/// What the program ends with.
enum exit_status : int {
    success = 0,
    refused = 1,  ///< a schedule was found wrong
    mistake = 2,  ///< the command line asks for what cannot be done, or what it names cannot be written
};

/// A mistake in the command line, in one line: "--ranks = 0 (accepted: 1 or more)". Only main catches it.
class usage_error : public std::runtime_error {
  public:
    usage_error(std::string_view argument, std::string_view value, std::string_view accepted);
    /// What the library found wrong, by the option that its argument comes from.
    explicit usage_error(const collsched::argument_error& wrong);
    /// A line that tells everything itself.
    explicit usage_error(std::string_view line);
};

/// What read() makes of a file. What is wrong with the file is a mistake in the command line: `lead`, as "--table = ", says
/// where, before the file's name.
template <class Read>
auto read_or_refuse(std::string_view lead, Read read) {
    try {
        return read();
    } catch (const collsched::input_error& wrong) {
        throw usage_error(std::string(lead) + wrong.what());
    }
}
