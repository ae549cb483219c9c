#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/neighborhoods.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Runs x on real memory with one 64-bit number per block, rank r on input[r]. Returns the outputs, with -1 for numbers
/// that were not written.
std::vector<std::vector<std::int64_t>> run_numbers(const some_schedule& x,
                                                   std::vector<std::vector<std::int64_t>> input);

/// Runs x on bytes of which no two neighbors are alike. Checks every byte of the result, and that no other byte changes.
void check_bytes(const some_schedule& x);

using slot_size = std::function<bytes_t(rank_t r, rank_t i)>;

/// Checks rounds, messages, transfers and bytes against the lists, where out-slot i of rank r has size(r, i) bytes.
void check_slot_counts(const some_schedule& x, const neighborhood& n, const slot_size& size);

}  // namespace support
