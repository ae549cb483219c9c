#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "support/neighborhoods.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Runs x on real memory, a 64-bit number a block: input[r] is what rank r brings; the outputs, -1 where nothing was
/// written.
std::vector<std::vector<std::int64_t>> run_numbers(const some_schedule& x,
                                                   std::vector<std::vector<std::int64_t>> input);

/// Runs x on bytes of which no two neighbors are alike; every byte of the result must be right, and no other be
/// touched.
void check_bytes(const some_schedule& x);

using slot_size = std::function<bytes_t(rank_t r, rank_t i)>;

/// Rounds, messages, transfers and bytes as the lists say them, where out-slot i of rank r has size(r, i) bytes.
void check_slot_counts(const some_schedule& x, const neighborhood& n, const slot_size& size);

}  // namespace support
