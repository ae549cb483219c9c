#pragma once

#include <cstddef>
#include <deque>
#include <set>

#include "collsched/execute/tcp/detail/readiness.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// The state that the connections of a rank share.
struct shared_state {
    rank_t rank = 0, ranks = 0;
    std::size_t request_limit = 0;  ///< open requests at a time that each other rank may have
    std::deque<completion> done;
    rank_t dead = -1;  ///< a rank that died and is not acknowledged: every wait ends because of it
    std::set<rank_t> died, acknowledged;
    rank_t culprit = -1;  ///< the first rank that was disconnected because of a protocol_violation
    readiness ready;      ///< of the connections and of `done`

    void note_death(rank_t peer) {
        died.insert(peer);
        if (dead < 0 && !acknowledged.contains(peer)) dead = peer;
    }
    void acknowledge(rank_t peer) {
        acknowledged.insert(peer);
        if (dead == peer) dead = -1;
        for (const rank_t other : died) note_death(other);
    }
};

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
