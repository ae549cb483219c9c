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
    /// @param members  communicator with ranks
    /// @param color    0 or more, or communicator::undefined; another one is an error of result() on all ranks
    /// @param key      any number
    color_exchange(const communicator<Inner>& members, std::int64_t color, std::int64_t key)
        : members_(members),
          label_{color, key},
          labels_(static_cast<std::size_t>(members.ranks())),
          plan_(allgather::bruck{.ranks = members.ranks(), .block = sizeof(label)}, members.rank(),
                {std::as_bytes(std::span(&label_, 1)), std::as_writable_bytes(std::span(labels_))}),
          run_(plan_.plan(), members_, members_.library_options()) {
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
        for (const label& entry : labels_) {
            colors.push_back(entry.color);
            keys.push_back(entry.key);
        }
        return members_.split(colors, keys);
    }

  private:
    struct label {
        std::int64_t color = 0, key = 0;
    };

    communicator<Inner> members_;
    label label_;
    std::vector<label> labels_;
    bound_plan plan_;
    execution<communicator<Inner>> run_;
};

}}  // namespace collsched::COLLSCHED_ABI
