#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/select.hpp"

/// Collective, number of ranks and size whose candidates are measured. The size is that of the message, or of the blocks
/// of all ranks together.
struct tuned_case {
    collsched::collective collective = collsched::collective::barrier;
    collsched::rank_t ranks = 2;
    collsched::bytes_t bytes = 0;

    bool operator==(const tuned_case&) const = default;
};

/// Returns the request of a case for ranks on these nodes.
collsched::choice::request request_of(const tuned_case& one, const collsched::topology::placement& placement);

/// A command of rank 0 to all ranks. It is sent as `tune_command::words` whole numbers.
struct tune_command {
    static constexpr std::size_t most_candidates = 33, words = 6 + 6 * most_candidates;
    using message = std::array<std::int64_t, words>;
    /// The work of the ranks; `wait` has none.
    enum class kind : std::int64_t { calibrate, measure, wait, stop };

    kind what = kind::stop;
    int status = 0;  ///< exit status, of kind::stop
    tuned_case one;
    std::vector<collsched::decision> candidates;  ///< algorithm and parameters

    message encoded() const;
    /// Returns the command of a message. Throws std::runtime_error, "command[2]: got 99, expected 0..12", for values
    /// that rank 0 does not send to `ranks` ranks.
    static tune_command decoded(const message& received, collsched::rank_t ranks);
};
