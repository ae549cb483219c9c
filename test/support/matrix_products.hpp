#pragma once

#include <cstddef>
#include <string>

#include "collsched/schedule/stored_schedule.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// The size of a 2x2 matrix of integers mod 2^64, whose product is associative, and not commutative.
inline constexpr bytes_t matrix_bytes = 32;

/// A reduction's callback: products of such matrices.
void multiply(void*, std::byte* into, const std::byte* incoming, bytes_t size, action action);

/// Runs a reduction of whole matrices in one thread, separate or in place (there output is at the start of input).
/// Returns the first fault or "": an output other than the product of the ranks' matrices in ascending order, or matrices
/// whose product is the same in another order.
std::string wrong_product(const some_schedule& x, binding binding);

/// The schedule with the two operands of every combination in the other order.
stored_schedule operands_swapped(const some_schedule& x);

}  // namespace support
