#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/detail/part_cursor.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The end of a message that a fault struck; of a failed message, that of the receiver. Rank -1: none.
struct mock_victim {
    rank_t rank = -1;
    bool sends = false;
    message::key key{};
};

/// A message in the mock network, whose ends have met.
struct mock_message {
    /// A posted send or receive.
    struct end {
        rank_t rank = 0;
        message::key key{};
        bool sends = false;
        std::span<const message::send_part> from{};
        std::span<const message::receive_part> into{};
        std::vector<std::byte> payload{};  ///< the bytes of an eager send
        bool eager = false;                ///< its bytes are taken, and its completion is on its way

        /// Returns whether a send and a receive match.
        bool meets(const end& other) const {
            return rank == other.key.peer && other.rank == key.peer && key.sequence == other.key.sequence &&
                   key.epoch == other.key.epoch && key.channel == other.key.channel;
        }
        bytes_t bytes() const {
            return sends ? eager ? static_cast<bytes_t>(payload.size()) : total_bytes(from) : total_bytes(into);
        }
        /// Fills the memory of a receive with noise.
        void spoil(splitmix64& random) const {
            for (const message::receive_part& part : into)
                for (bytes_t i = 0; i < part.size; ++i) part.data[i] = static_cast<std::byte>(random() & 0xff);
        }
        /// Makes the send eager: sender's memory, and `from`, are not used any more.
        void take() {
            for (const message::send_part& part : from) payload.insert(payload.end(), part.data, part.data + part.size);
            from = {};
            eager = true;
        }
    };

    end send, receive;
    std::int64_t number = 0;   ///< in order of meeting
    std::int64_t arrival = 0;  ///< when it arrives

    bool has_one_size() const { return send.bytes() == receive.bytes(); }

    /// Brings the bytes to the receiver; both ends have equally many.
    void carry() const {
        const message::send_part payload{send.payload.data(), send.bytes()};
        const std::span<const message::send_part> from = send.eager ? std::span(&payload, 1) : send.from;
        part_cursor<message::send_part> source(from);
        part_cursor<message::receive_part> target(receive.into);
        copy_bytes(source, target, send.bytes());
    }
};

/// The completions of one rank in the mock network, each of which may be handed out from its time on.
class mock_reports {
  public:
    struct report {
        completion report;
        std::int64_t time = 0;
        bool sends = false;     ///< of a send
        bool repeated = false;  ///< the second one of a message
    };

    void push(const report& entry) { reports_.push_back(entry); }

    /// The first one whose time has come, or another one that `choose(n)` picks from it and those behind it: a number
    /// below n. Without an owner: none.
    report pop(std::int64_t now, auto choose) {
        std::size_t i = first_;
        while (i < reports_.size() && reports_[i].time > now) ++i;
        if (i == reports_.size()) return {};
        if (const std::size_t other = i + choose(reports_.size() - i); reports_[other].time <= now) i = other;
        const report entry = reports_[i];
        std::swap(reports_[i], reports_[first_]);
        if (++first_ == reports_.size()) clear();
        return entry;
    }

    /// `f(time)` for each.
    void for_each_due(auto f) const {
        for (std::size_t i = first_; i < reports_.size(); ++i) f(reports_[i].time);
    }

    /// Drops those of an owner; `f(entry)` for each.
    void cancel(const void* owner, auto f) {
        reports_.erase(reports_.begin(), reports_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
        std::erase_if(reports_, [&](const report& entry) {
            if (entry.report.request.owner != owner) return false;
            f(entry);
            return true;
        });
    }

    void clear() {
        reports_.clear();
        first_ = 0;
    }

  private:
    std::vector<report> reports_;
    std::size_t first_ = 0;  // those before are handed out
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
