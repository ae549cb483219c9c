#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "collsched/core/error.hpp"
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
    /// What the library found wrong; its arguments are options of the same name.
    explicit usage_error(const collsched::error& wrong);
    /// A line that tells everything itself.
    explicit usage_error(std::string_view line);
};

/// What read() makes of a file; what is wrong with the file is a mistake of this option.
template <class Read>
auto of_option(std::string_view option, Read read) {
    try {
        return read();
    } catch (const collsched::input_error& wrong) {
        throw usage_error(fmt::format("{} = {}", option, wrong.what()));
    }
}
