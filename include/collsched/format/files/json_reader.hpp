#pragma once

#include "collsched/format/files/detail/json_reader.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A value of a JSON text, and the line on which it begins: `line`, `as<T>()` and `number()`.
using json_value = detail::json_value;

/// Checks and converts the values of a JSON text, for readers of files of a program. parse() returns the text as a value;
/// the other functions check a value. Every mistake throws an input_error with its line.
using json_reader = detail::json_reader;

}}  // namespace collsched::COLLSCHED_ABI
