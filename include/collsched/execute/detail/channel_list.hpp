#pragma once

#include <cstdint>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Channels 1 .. last of a communicator, each open or closed, with the epoch of the next execution that opens it.
/// Memory: 16 bytes per channel that was open at the same time.
class channel_list {
  public:
    struct channel {
        std::uint64_t number = 0;  ///< 0: none is closed
        std::uint64_t epoch = 0;
    };

    explicit channel_list(std::uint64_t last = 0) : last_(last) {}

    /// Opens the lowest closed channel. O(open channels).
    channel open() {
        std::uint64_t i = 0;
        while (i < entries_.size() && entries_[i].open) ++i;
        if (i >= last_) return {};
        if (i == entries_.size()) entries_.emplace_back();
        entries_[i].open = true;
        return {i + 1, entries_[i].epoch};
    }
    /// Closes a channel. O(1).
    /// @return false: it is not open, or the epoch is below that of its opening
    bool close(std::uint64_t number, std::uint64_t epoch) {
        if (number == 0 || number > entries_.size()) return false;
        entry& found = entries_[number - 1];
        if (!found.open || epoch < found.epoch) return false;
        found = {false, epoch};
        return true;
    }

  private:
    struct entry {
        bool open = false;
        std::uint64_t epoch = 0;
    };

    std::uint64_t last_;
    std::vector<entry> entries_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
