#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "collsched/core/argument_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Exception that readers throw for malformed input. what() returns the text of cause().
class input_error : public std::runtime_error {
  public:
    /// The parts of the message about a mistake in a user's text.
    struct mistake {
        std::string argument{};  ///< name of the element that has the value; empty if `value` is a complete description
        std::string value{};     ///< value found; empty if it is missing
        std::string expected{};  ///< valid range of the argument
        std::string file{};      ///< name of the file; empty for input outside of files, such as an option of a reader
        int line = 0;            ///< line in the file, from 1; 0 for the file as a whole

        /// Returns the mistake of an argument error, at a line of a file.
        /// @param e     an error
        /// @param file  name of the file, or empty
        /// @param line  line, from 1, or 0
        static mistake of(const argument_error& e, std::string file = {}, int line = 0) {
            return {.argument = e.index < 0 ? e.argument : fmt::format("{}[{}]", e.argument, e.index),
                    .value = fmt::format("{}", e.value),
                    .expected = e.expected,
                    .file = std::move(file),
                    .line = line};
        }

        /// Returns one line without control characters: `FILE:LINE: ARGUMENT: got VALUE, expected EXPECTED`, or
        /// `FILE:LINE: ARGUMENT is required: EXPECTED` for a missing value. Empty parts are omitted.
        std::string text() const {
            std::string line_text = file;
            if (line > 0) line_text += fmt::format(":{}", line);
            if (!line_text.empty()) line_text += ": ";
            detail::write_error([&](auto piece) { line_text += fmt::format("{}", piece); }, argument.c_str(), -1,
                                value.c_str(), expected.c_str());
            std::replace_if(
                line_text.begin(), line_text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
            return line_text;
        }
    };

    /// Exception for a mistake.
    /// @param wrong  the mistake
    explicit input_error(mistake wrong) : std::runtime_error(wrong.text()), mistake_(std::move(wrong)) {}

    /// Returns the mistake.
    /// @return reference to a member of this exception
    const mistake& cause() const noexcept { return mistake_; }

  private:
    mistake mistake_;
};

}}  // namespace collsched::COLLSCHED_ABI
