#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/format/input_error.hpp"

/// The exit status of the program.
enum exit_status : int {
    success = 0,
    refused = 1,             ///< a schedule is incorrect
    mistake = 2,             ///< an invalid command line, or a file that cannot be written
    interrupted_work = 130,  ///< an interrupt (SIGINT) ended the work; its part is written
};

/// A mistake in the command line, in one line such as "--ranks: got 0, expected 1 or more". Only main catches it.
class usage_error : public std::runtime_error {
  public:
    /// An empty value is a missing one: "--ranks is required: EXPECTED".
    usage_error(std::string_view argument, std::string_view value, std::string_view expected);
    /// An invalid parameter of the library, with the name of the option that sets it. `ranks` is the number of ranks of
    /// the schedule, or 0 if it is unknown.
    explicit usage_error(const collsched::argument_error& error, collsched::rank_t ranks = 0);
    /// A mistake in the file of this option; or, without a file, in the option of the mistake's own name.
    usage_error(std::string_view option, const collsched::input_error::mistake& mistake);

    /// An option that is not given: "--ranks is required: the number of ranks".
    static usage_error missing(std::string_view argument, std::string_view expected);
    /// An option that excludes another one: "--path does not go with --json".
    static usage_error conflict(std::string_view option, std::string_view other);
    /// An option that is given without the other one: "--displs requires --counts".
    static usage_error alone(std::string_view option, std::string_view other);

  private:
    explicit usage_error(std::string_view line);
};

/// The result of read(); a mistake in the file that it reads is a mistake in this option.
template <class Read>
auto read_or_refuse(std::string_view option, Read read) {
    try {
        return read();
    } catch (const collsched::input_error& error) {
        throw usage_error(option, error.cause());
    }
}
