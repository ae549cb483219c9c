#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/execute/communicator.hpp"
#include "collsched/execute/engine.hpp"
#include "collsched/execute/rank_memory.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Split of a communicator whose members have only their own color and key: an allgather of both, of 16 bytes per rank
/// and ceil(log2 p) rounds, on channel channels()-1. All members make one, in the same order, and drive run() to its
/// end. Several may run at the same time.
template <transport Inner>
class color_exchange {
  public:
    /// Begins the exchange. O(ranks) memory.
    /// @param over   communicator with ranks
    /// @param color  0 or more, or communicator::undefined; another one is an error of result() on all ranks
    /// @param key    any number
    color_exchange(const communicator<Inner>& over, std::int64_t color, std::int64_t key)
        : over_(over),
          own_{color, key},
          all_(static_cast<std::size_t>(over.ranks())),
          plan_(allgather::bruck{.ranks = over.ranks(), .block = sizeof(label)}, over.rank(),
                {std::as_bytes(std::span(&own_, 1)), std::as_writable_bytes(std::span(all_))}),
          run_(plan_.plan(), over_, over_.own_options()) {
        run_.start(plan_.buffers());
    }
    color_exchange(const color_exchange&) = delete;
    color_exchange& operator=(const color_exchange&) = delete;

    /// Returns the execution of the exchange, which has been started.
    /// @return reference that is valid as long as this object
    execution<communicator<Inner>>& run() { return run_; }

    /// Makes the communicator of this rank's color. All members call it, once each, as communicator::split().
    /// @pre run().state().done()
    /// @return the communicator; empty for `undefined`. Failure: a color below -1 of any rank throws bad_argument, or
    ///         gives a communicator whose check() reports it, on all ranks
    communicator<Inner> result() {
        std::vector<std::int64_t> colors, keys;
        for (const label& one : all_) {
            colors.push_back(one.color);
            keys.push_back(one.key);
        }
        return over_.split(colors, keys);
    }

  private:
    struct label {
        std::int64_t color = 0, key = 0;
    };

    communicator<Inner> over_;
    label own_;
    std::vector<label> all_;
    bound_plan plan_;
    execution<communicator<Inner>> run_;
};

}}  // namespace collsched::COLLSCHED_ABI
