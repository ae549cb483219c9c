#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/byte_range.hpp"

namespace collsched::switch_study {

/// Which packets of one message wait to be sent, which are unacknowledged, and which losses count. All but the last have `packet`
/// bytes, so counts are enough. Everything is O(1).
class packet_account {
  public:
    constexpr packet_account() = default;
    /// bytes >= 0, packet >= 1.
    constexpr packet_account(bytes_t bytes, bytes_t packet)
        : packet_(packet),
          last_(bytes == 0 ? 0 : (bytes - 1) % packet + 1),
          fresh_(bytes == 0 ? 0 : (bytes - 1) / packet + 1) {}

    /// Packets to be sent, or sent again.
    constexpr std::int64_t waiting() const { return fresh_ + again_ + (last_again_ ? 1 : 0); }
    constexpr std::int64_t unacknowledged() const { return unacknowledged_; }
    /// Everything is through, and the sender knows.
    constexpr bool finished() const { return waiting() == 0 && unacknowledged_ == 0; }
    /// Timeouts since the last acknowledgement.
    constexpr std::int64_t timeouts() const { return timeouts_; }
    /// Of the packets that are sent now; grows with every timeout that counts.
    constexpr std::int64_t epoch() const { return epoch_; }

    struct sent {
        bytes_t bytes = 0;
        bool again = false;
        bool operator==(const sent&) const = default;
    };
    /// Sends one of the packets waiting, lost ones first.
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
    /// A timeout of a packet of these bytes, sent in this epoch, which waits again. Whether it counts: the first of its epoch does.
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
