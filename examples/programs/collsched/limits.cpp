#include "limits.hpp"

#include <limits>

#include <fmt/format.h>

#include "collsched/schedule/metrics.hpp"
#include "usage_error.hpp"

namespace {

/// Returns the largest number of ranks whose replay takes seconds. If every rank ends with a piece of, or a signal
/// from, every other rank, memory and time are proportional to ranks^2; for a barrier memory is counted in bits.
collsched::rank_t most_replayed(collsched::collective what) {
    using enum collsched::collective;
    if (what == allgather || what == alltoall || what == reduce_scatter) return 4096;
    return what == barrier ? 65'536 : std::numeric_limits<collsched::rank_t>::max();
}

}  // namespace

void refuse_large_plan(collsched::rank_t ranks) {
    constexpr collsched::rank_t most = 32'768;
    if (ranks > most) throw usage_error("--ranks", std::to_string(ranks), fmt::format("1 to {}", most));
}

void refuse_large_replay(const collsched::any_schedule& s) {
    const collsched::rank_t most = most_replayed(s.contract().collective);
    if (s.ranks > most)
        throw usage_error("--ranks", std::to_string(s.ranks), fmt::format("1 to {}, to follow every block", most));
}

void refuse_beyond(const collsched::any_schedule& s, int log2_cells, const char* advice) {
    // In an exchange every rank has at least one edge for every other rank, for any number of steps.
    const bool exchange = s.contract().collective == collsched::collective::alltoall && s.steps() < s.ranks;
    const collsched::checked cells = collsched::checked(s.ranks) * (exchange ? s.ranks : s.steps());
    if (s.ranks <= std::int64_t{1} << (log2_cells - 2) && cells.ok() && cells.value() <= std::int64_t{1} << log2_cells)
        return;
    throw usage_error("--ranks", std::to_string(s.ranks),
                      fmt::format("ranks whose product with the number of steps, {}, is at most 2^{}{}", s.steps(),
                                  log2_cells, advice));
}

void refuse_crowded_page(const collsched::stored_schedule& s) {
    constexpr std::int64_t most = 8192;
    const std::int64_t messages = collsched::metrics(s).messages;
    if (messages > most)
        throw usage_error("--ranks", std::to_string(s.ranks),
                          fmt::format("ranks with up to {} messages on a page, not {}", most, messages));
}
