#pragma once

#include <cstddef>
#include <deque>

#include "frame.hpp"
#include "readiness.hpp"

namespace examples {

/// The state that the connections of a rank share.
struct transport_state {
    rank_t rank = 0, ranks = 0;
    std::size_t most_requests = 0;  ///< open at a time, that each other rank may have
    std::deque<completion> done;
    rank_t dead = -1;     ///< the first rank that died: all pending messages have failed because of it
    rank_t culprit = -1;  ///< the first rank that was disconnected because of a protocol_error
    readiness ready;      ///< of the connections and of `done`
};

}  // namespace examples
