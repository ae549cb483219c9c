#pragma once

#include <cstdint>

#include "collsched/core/checked.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/tree/planned_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// The broadcast tree that is soonest complete in the LogP model: time after time, the sender that is free first (ties: the
/// lowest rank) sends to the next rank, which can itself send after L + 2o; the sender is free again after max(g, o).
/// Latency L, overhead o and gap g are 0 or more, all in one unit (picoseconds, say), and so are the times; p max(g, o) +
/// L + 2o stays below 2^63. Otherwise check() of the tree tells what is wrong.
///
/// O(p): senders get free in the order in which they became senders, or in which they sent last, so two queues do.
/// Source: Karp, Sahay, Santos, Schauser 1993.
constexpr planned_tree logp_optimal(rank_t p, std::int64_t L, std::int64_t o, std::int64_t g) {
    const std::int64_t busy = g > o ? g : o;
    argument_error error;
    if (p < 1) error = {"ranks", p, "1 or more"};
    else if (L < 0) error = {"L", L, "0 or more"};
    else if (o < 0) error = {"o", o, "0 or more"};
    else if (g < 0) error = {"g", g, "0 or more"};
    else if (!(checked(p) * busy + checked(2) * o + L).ok()) error = {"L", L, "p max(g, o) + L + 2o below 2^63"};
    if (error) return planned_tree(error);

    struct sender {
        std::int64_t free;
        rank_t rank;
    };
    owned_array<sender> returning(p);    // those that have sent, in the order of their last sends
    owned_array<std::int64_t> ready(p);  // when a rank can send for the first time
    owned_array<tree_edge> edges(p - 1);
    rank_t sent = 0, first_timer = 0;  // heads of the two queues; ranks below fresh have sent
    for (rank_t child = 1; child < p; ++child) {
        const bool repeats = first_timer > 0 && returning[sent].free <= ready[first_timer];
        const sender next = repeats ? returning[sent++] : sender{ready[first_timer], first_timer};
        if (!repeats) ++first_timer;
        edges[child - 1] = {next.rank, child};
        ready[child] = next.free + L + 2 * o;
        returning[child - 1] = {next.free + busy, next.rank};
    }
    return {p, 0, edges, "logp-optimal"};
}

}}}  // namespace collsched::COLLSCHED_ABI::trees
