#pragma once

#include <cstdint>

#include "collsched/core/checked.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/tree/planned_tree.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Returns the broadcast tree with the smallest completion time in the LogP model: the sender that is free first (ties:
/// the lowest rank) sends to the next rank. The receiver can send after L + 2o, the sender again after max(g, o).
///
/// @param p  1 or more
/// @param L  latency, 0 or more, in the same unit as o and g; p max(g, o) + L + 2o is below 2^63
/// @param o  overhead, 0 or more
/// @param g  gap, 0 or more
/// Failure: check() of the tree reports wrong arguments. Complexity: O(p) with two queues, since senders become free in
/// the order of their first or last sends. Source: Karp, Sahay, Santos, Schauser 1993.
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
    owned_array<sender> returning(p);    // senders in the order of their last sends
    owned_array<std::int64_t> ready(p);  // time at which a rank can first send
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
