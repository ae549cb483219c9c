#pragma once

#include <string>

#include "collsched/format/input_error.hpp"

namespace support {

/// What a reader says of what it refuses; empty if it reads it.
template <class Read>
std::string refusal_of(Read read) {
    try {
        read();
    } catch (const collsched::input_error& wrong) {
        return wrong.what();
    }
    return "";
}

}  // namespace support
