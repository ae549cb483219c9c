#pragma once

#include <string>

#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Whether every rank of an allreduce of 64-bit words gets the same bits, under the least lawful operation that its
/// contract allows. Returns the first fault, or "".
std::string wrong_bits(const some_schedule& x, binding binding);

/// The same for sums of {large, 1, -large, 1}, an allreduce among four; every element has them on other ranks.
std::string wrong_sums(const some_schedule& x, double large, binding binding);
std::string wrong_sums(const some_schedule& x, float large, binding binding);

}  // namespace support
