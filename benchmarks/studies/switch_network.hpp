#pragma once

#include <cstdint>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/cost/concepts.hpp"

namespace collsched::switch_study {

/// Nodes on one switch, each with a link to send through and one to receive through, and the treatment of packets.
///
/// A packet occupies its sender's link for send_byte_fs per byte and arrives as a whole at the receiver's port
/// latency_ps later. There it enters a first-in, first-out queue that drains at receive_byte_fs per byte. Its bytes
/// occupy the port's buffer until the last one is drained. A packet that does not fit is lost. The acknowledgement of a
/// drained packet reaches the sender latency_ps later, at no cost. At most `window` packets of a message are
/// unacknowledged at a time, including lost ones. A lost packet is noticed timeout_ps after its last byte was sent, and
/// may be sent again. No timer expires for a packet that is not lost. After n timeouts of a message without
/// acknowledgement the timeout is 2^n times as long, up to timeout_limit_ps. Losses of packets that were all sent
/// before the first of them was noticed count once. A limit equal to timeout_ps means no growth.
/// Source: the description of receive buffers and lost packets in Chen, Na 2005, which gives no numbers.
struct switch_network {
    std::int64_t send_byte_fs = 8'000'000;     ///< of a node's sending link; fs per byte, 10^9 / (MB/s)
    std::int64_t receive_byte_fs = 8'000'000;  ///< of the slower of receiving link and receive process; fs per byte
    picoseconds latency_ps = 50'000'000;
    bytes_t packet = 1'500;    ///< bytes of every packet of a message but the last, which has the rest
    bytes_t buffer = 65'536;   ///< bytes in front of each receiver, including the packet being drained
    std::int64_t window = 32;  ///< packets
    picoseconds timeout_ps = 200'000'000'000;
    picoseconds timeout_limit_ps = 200'000'000'000;
    bool by_chance = false;  ///< whether the next packet is of a random open message of the node, or in turn
    std::uint64_t seed = 1;  ///< of the random choice

    /// Returns the time from the last byte of a lost packet until its loss is noticed, after n >= 0 timeouts.
    constexpr picoseconds timeout(std::int64_t n) const {
        picoseconds grown = timeout_ps;
        for (; n > 0 && grown <= timeout_limit_ps / 2; --n) grown *= 2;
        return n > 0 ? timeout_limit_ps : grown;
    }
    constexpr argument_error check() const {
        if (send_byte_fs < 0) return {"send_byte_fs", send_byte_fs, "0 fs or more"};
        if (receive_byte_fs < 0) return {"receive_byte_fs", receive_byte_fs, "0 fs or more"};
        if (latency_ps < 0) return {"latency_ps", latency_ps, "0 ps or more"};
        if (packet < 1) return {"packet", packet, "1 byte or more"};
        if (buffer < packet) return {"buffer", buffer, "room for a packet"};
        if (window < 1) return {"window", window, "1 packet or more"};
        if (timeout_ps < latency_ps || timeout_ps < 1)
            return {"timeout_ps", timeout_ps, "the latency or more, and 1 ps or more"};
        if (timeout_limit_ps < timeout_ps) return {"timeout_limit_ps", timeout_limit_ps, "the timeout or more"};
        if (!time_at(packet, send_byte_fs).ok() || !time_at(packet, receive_byte_fs).ok())
            return {"packet", packet, "a packet of less than 2^63 ps"};
        return {};
    }
    bool operator==(const switch_network&) const = default;
};

}  // namespace collsched::switch_study
