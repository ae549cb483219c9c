#include "limits.hpp"

#include <fmt/format.h>

#include "usage_error.hpp"

void refuse_beyond(const collsched::any_schedule& s, int log2_cells, const char* advice) {
    const collsched::checked cells = collsched::checked(s.ranks) * s.steps();
    if (s.ranks <= std::int64_t{1} << (log2_cells - 2) && cells.ok() && cells.value() <= std::int64_t{1} << log2_cells)
        return;
    throw usage_error(
        "--ranks", std::to_string(s.ranks),
        fmt::format("ranks * steps up to 2^{}, here there are {} steps{}", log2_cells, s.steps(), advice));
}
