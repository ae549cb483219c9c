#pragma once

#include <string>
#include <string_view>

#include "collsched/format/input_error.hpp"

namespace support {

/// The error of a reader; empty if it accepts the text.
template <class Read>
std::string refusal_of(Read read) {
    try {
        read();
    } catch (const collsched::input_error& wrong) {
        return wrong.what();
    }
    return "";
}

/// A line of an error in the file `place`; an error that begins with a name instead of a line is in no file.
inline std::string located(const std::string& place, std::string_view line) {
    return (!line.empty() && line.front() >= '0' && line.front() <= '9' ? place : "") + std::string(line);
}

}  // namespace support
