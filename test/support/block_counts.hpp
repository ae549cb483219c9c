#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "collsched/schedule/metrics.hpp"

namespace support {

using namespace collsched;

/// So many rounds and messages; and every rank sends and receives the p-1 blocks of 8 bytes of the others, no more.
template <schedulable X>
void check_counts(const X& x, step_t rounds, std::int64_t messages) {
    const metrics_report m = metrics(x);
    CHECK(m.rounds == rounds);
    CHECK(m.messages == messages);
    for (rank_t r = 0; r < m.ranks; ++r) {
        CHECK(m.bytes_sent[r] == 8 * (m.ranks - 1));
        CHECK(m.bytes_received[r] == 8 * (m.ranks - 1));
    }
}

/// Of a schedule whose blocks have one byte: what rank r sends, by step and target, and whether no block twice.
struct sent_blocks {
    std::map<std::pair<step_t, rank_t>, std::set<rank_t>> messages;
    bool once = true;

    template <schedulable X>
    sent_blocks(const X& x, rank_t r) {
        for (const edge& e : program(x, r)) {
            if (e.src != r || e.is_local()) continue;
            std::set<rank_t>& blocks = messages[{e.step, e.dst}];
            for (bytes_t i = 0; i < e.size; ++i) once = blocks.insert(e.into_offset + i).second && once;
        }
    }
};

/// Whether two schedules move the same bytes in the same steps.
template <schedulable X, schedulable Y>
bool same_edges(const X& x, const Y& y) {
    const stored_schedule a = materialise(x), b = materialise(y);
    return std::equal(a.edges().begin(), a.edges().end(), b.edges().begin(), b.edges().end());
}

}  // namespace support
