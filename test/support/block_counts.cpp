#include "support/block_counts.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "support/verified.hpp"

namespace support {

void check_counts(const some_schedule& x, step_t rounds, std::int64_t messages) {
    const metrics_report m = measured(x);
    CHECK(m.rounds == rounds);
    CHECK(m.messages == messages);
    for (rank_t r = 0; r < m.ranks; ++r) {
        CHECK(m.bytes_sent[r] == 8 * (m.ranks - 1));
        CHECK(m.bytes_received[r] == 8 * (m.ranks - 1));
    }
}

sent_blocks::sent_blocks(const some_schedule& x, rank_t r) {
    for (const edge& e : program(x, r)) {
        if (e.src != r || e.is_local()) continue;
        std::set<rank_t>& blocks = messages[{e.step, e.dst}];
        for (bytes_t i = 0; i < e.size; ++i) once = blocks.insert(e.into_offset + i).second && once;
    }
}

bool same_edges(const some_schedule& x, const some_schedule& y) {
    const stored_schedule a = materialize(x), b = materialize(y);
    return std::equal(a.edges().begin(), a.edges().end(), b.edges().begin(), b.edges().end());
}

}  // namespace support
