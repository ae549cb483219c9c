#pragma once

#include <string>

#include "collsched/cost/loggp.hpp"
#include "options.hpp"

/// "1.5" at 10^6 parts a unit: microseconds in picoseconds, nanoseconds in femtoseconds; rounded to the nearest part.
std::int64_t read_decimal(std::string_view argument, std::string_view text);

/// "loggp:L_us=A,o_us=B,g_us=C,G_ns=D", and further parameters. Another model is a mistake.
collsched::loggp_model read_model(const std::string& argument, const std::string& text);

/// Microseconds with six decimals: exact.
std::string microseconds(collsched::picoseconds time);
