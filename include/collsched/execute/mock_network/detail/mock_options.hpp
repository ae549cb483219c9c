#pragma once

#include <cstdint>

#include "collsched/core/rank.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Errors of the mock network: size_mismatch, disagreement, would_block, peer_died, no_such_rank, and its own.
struct mock_error : message::error {
    static constexpr int injected = first_own;  ///< the default of faults::error
};

/// Faults to inject, each at most once. Posts, messages and completions are counted from 0 over all ranks; -1: none.
struct mock_faults {
    std::int64_t refuse = -1;  ///< this post returns `error`
    std::int64_t fail = -1;    ///< this message, numbered as its ends meet, is not carried: `error` at both ends
    std::int64_t lose = -1;    ///< this completion is never reported
    std::int64_t repeat = -1;  ///< this completion is reported twice
    int error = mock_error::injected;
    rank_t dead = -1;            ///< this rank dies: its endpoint does nothing any more, and messages with it fail
    std::int64_t dies_at = 0;    ///< when it dies, in virtual nanoseconds
    bool reports_death = false;  ///< idle polls of a rank return a death without owner, until the rank acknowledges it
};

/// How the network behaves. By default orderly: a message completes as soon as both ends are posted, at each end in the
/// order of these meetings. All else is drawn from the seed, so that the same options give the same run.
struct mock_options {
    std::uint64_t seed = 1;
    bool eager = false;            ///< a send completes before its receive is posted: its bytes are taken at its post
    bool at_once = false;          ///< an eager send may be complete at its post or be reported later: drawn
    bool reorder = false;          ///< which message goes next, and which completion is reported next, is drawn
    bool noise = false;            ///< posted receives are filled with noise until the bytes come
    std::int64_t delay = 0;        ///< up to so many nanoseconds for a message, then for the completion at either end
    std::int64_t pair_window = 0;  ///< messages in flight from one rank to another; 0: no bound. The others wait.
    std::int64_t rank_window = 0;  ///< messages in flight from or to a rank
    mock_faults faults{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
