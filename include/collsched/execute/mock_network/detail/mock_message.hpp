#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/part_cursor.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The end of a message that a fault struck; of a failed message, that of the receiver. Rank -1: none.
struct mock_victim {
    rank_t rank = -1;
    bool sends = false;
    message_key key{};
};

/// A message in the mock network, whose ends have met.
struct mock_message {
    /// A posted send or receive.
    struct end {
        rank_t rank = 0;
        message_key key{};
        bool sends = false;
        std::span<const send_part> from{};
        std::span<const receive_part> into{};
        std::vector<std::byte> taken{};  ///< the bytes of an eager send
        bool eager = false;              ///< its bytes are taken, and its completion is on its way

        /// Returns whether a send and a receive match.
        bool meets(const end& other) const {
            return rank == other.key.peer && other.rank == key.peer && key.sequence == other.key.sequence &&
                   key.epoch == other.key.epoch && key.channel == other.key.channel;
        }
        bytes_t bytes() const {
            return sends ? eager ? static_cast<bytes_t>(taken.size()) : total_bytes(from) : total_bytes(into);
        }
        /// Fills the memory of a receive with noise.
        void spoil(splitmix64& random) const {
            for (const receive_part& part : into)
                for (bytes_t i = 0; i < part.size; ++i) part.data[i] = static_cast<std::byte>(random() & 0xff);
        }
        /// Makes the send eager: sender's memory, and `from`, are not used any more.
        void take() {
            for (const send_part& part : from) taken.insert(taken.end(), part.data, part.data + part.size);
            from = {};
            eager = true;
        }
    };

    end send, receive;
    std::int64_t number = 0;  ///< in order of meeting
    std::int64_t due = 0;     ///< when it arrives

    bool has_one_size() const { return send.bytes() == receive.bytes(); }

    /// Brings the bytes to the receiver; both ends have equally many.
    void carry() const {
        const send_part taken{send.taken.data(), send.bytes()};
        const std::span<const send_part> from = send.eager ? std::span(&taken, 1) : send.from;
        part_cursor<send_part> source(from);
        part_cursor<receive_part> target(receive.into);
        copy_bytes(source, target, send.bytes());
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
