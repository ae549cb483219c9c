#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "collsched/core/config.hpp"
#include "collsched/execute/shared_memory/detail/inbox_link.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The channels and epochs of the executions that this rank has cancelled, the last 64 of them: nobody will receive their
/// messages.
class cancelled_starts {
  public:
    static constexpr std::size_t capacity = 64;

    bool empty() const { return added_ == 0; }
    bool has(std::uint64_t channel, std::uint64_t epoch) const {
        const auto end = starts_.begin() + static_cast<std::ptrdiff_t>(std::min(added_, capacity));
        return std::find(starts_.begin(), end, start{channel, epoch}) != end;
    }
    /// @pre not has(channel, epoch)
    void add(std::uint64_t channel, std::uint64_t epoch) { starts_[added_++ % capacity] = {channel, epoch}; }

  private:
    struct start {
        std::uint64_t channel, epoch;
        bool operator==(const start&) const = default;
    };
    std::array<start, capacity> starts_{};
    std::size_t added_ = 0;
};

/// Messages that wait for their receives: small ones with their bytes in the storage of their rank, large ones as their
/// envelopes.
class early_messages {
  public:
    struct entry {
        std::uint64_t id = 0;
        message_name name;
        sent_message message;  ///< its bytes: in the storage
    };

    /// @param limit  largest number of messages of each rank
    explicit early_messages(std::int64_t limit) : limit_(limit) {}

    void reserve(std::size_t messages) { entries_.reserve(messages); }
    /// The oldest message of this name, or null.
    entry* find(const message_name& name) { return entries_.find(name); }
    /// Keeps a message. False without effect: the rank has sent more than it may.
    bool put(inbox_link& link, rank_t peer, const sent_message& message) {
        if (link.early >= limit_) return false;
        const std::byte* const copy =
            message.bytes == nullptr ? nullptr : link.storage.put(message.bytes, message.envelope.size);
        if (copy == nullptr && message.bytes != nullptr) return false;
        ++link.early;
        entry& early = entries_.take();
        early.name = message.envelope.name(peer);
        early.message = message;
        early.message.bytes = copy;
        entries_.enter_index(early);
        return true;
    }
    void drop(inbox_link& link, entry& early) {
        --link.early;
        if (early.message.bytes != nullptr) link.storage.clear(early.message.bytes);
        entries_.give_back(early);
    }
    /// No message of this channel and epoch will have a receive.
    void note_cancelled(std::uint64_t channel, std::uint64_t epoch) {
        if (!cancelled_.has(channel, epoch)) cancelled_.add(channel, epoch);
    }
    /// Drops the small messages of a rank whose starts were cancelled, if they may be many, and calls f with the id of each.
    void make_room(inbox_link& link, rank_t peer, auto f) {
        if (cancelled_.empty() || !link.storage.is_filling()) return;
        drop_if(link, peer, [&](const sent_message& message) {
            const bool drops =
                message.is_complete() && cancelled_.has(message.envelope.channel, message.envelope.epoch);
            if (drops) f(message.id);
            return drops;
        });
    }
    /// Drops the messages of a rank for which f returns true.
    void drop_if(inbox_link& link, rank_t peer, auto f) {
        if (link.early == 0) return;
        entries_.for_each([&](entry& early) {
            if (early.name.peer == peer && f(early.message)) drop(link, early);
        });
    }

  private:
    std::int64_t limit_;
    message_pool<entry> entries_;
    cancelled_starts cancelled_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
