#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/byte_range.hpp"

namespace collsched::switch_study {

/// Counts the packets of one message that wait to be sent and those that are unacknowledged, and decides which losses
/// count. All packets but the last have `packet` bytes, so counts suffice. All functions are O(1).
class packet_account {
  public:
    constexpr packet_account() = default;
    /// @pre bytes >= 0, packet >= 1
    constexpr packet_account(bytes_t bytes, bytes_t packet)
        : packet_(packet),
          last_(bytes == 0 ? 0 : (bytes - 1) % packet + 1),
          fresh_(bytes == 0 ? 0 : (bytes - 1) / packet + 1) {}

    /// Returns the number of packets to send or to send again.
    constexpr std::int64_t waiting() const { return fresh_ + again_ + (last_again_ ? 1 : 0); }
    constexpr std::int64_t unacknowledged() const { return unacknowledged_; }
    /// Returns whether all packets are acknowledged.
    constexpr bool finished() const { return waiting() == 0 && unacknowledged_ == 0; }
    /// Returns the number of timeouts since the last acknowledgement.
    constexpr std::int64_t timeouts() const { return timeouts_; }
    /// Returns the epoch of packets sent now; it increases with every timeout that counts.
    constexpr std::int64_t epoch() const { return epoch_; }

    struct sent {
        bytes_t bytes = 0;
        bool again = false;
        bool operator==(const sent&) const = default;
    };
    /// Sends one of the waiting packets, lost ones first.
    constexpr sent send() {
        ++unacknowledged_;
        if (again_ > 0) return --again_, sent{packet_, true};
        if (std::exchange(last_again_, false)) return {last_, true};
        return {--fresh_ == 0 ? last_ : packet_, false};
    }
    constexpr void acknowledge() {
        --unacknowledged_;
        timeouts_ = 0;
    }
    /// Records the timeout of a packet of these bytes, sent in this epoch, which then waits again. Returns whether it
    /// counts: the first one of its epoch does.
    constexpr bool lose(bytes_t bytes, std::int64_t epoch) {
        --unacknowledged_;
        if (bytes == packet_) ++again_;
        else last_again_ = true;
        if (epoch != epoch_) return false;
        ++epoch_;
        ++timeouts_;
        return true;
    }

  private:
    bytes_t packet_ = 1, last_ = 0;
    std::int64_t fresh_ = 0;   // never sent
    std::int64_t again_ = 0;   // lost full packets
    bool last_again_ = false;  // a lost last packet that is not full
    std::int64_t unacknowledged_ = 0, timeouts_ = 0, epoch_ = 0;
};

}  // namespace collsched::switch_study
