#pragma once

#include <cstdint>

#include "collsched/execute/shared_memory/detail/cancelled_starts.hpp"
#include "collsched/execute/shared_memory/detail/inbox_link.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Messages that wait for their receives: small ones with their bytes on the shelf of their rank, large ones as their
/// envelopes.
class early_messages {
  public:
    struct message {
        std::uint64_t id = 0;
        message_name name;
        sent_message sent;  ///< its bytes: on the shelf
    };

    /// @param most_of_each  largest number of messages of each rank
    explicit early_messages(std::int64_t most_of_each) : most_of_each_(most_of_each) {}

    void hold(std::size_t messages) { all_.hold(messages); }
    /// The oldest message of this name, or null.
    message* find(const message_name& name) { return all_.find(name); }
    /// Keeps a message. False without effect: the rank has sent more than it may.
    bool put(inbox_link& from, rank_t peer, const sent_message& sent) {
        if (from.early >= most_of_each_) return false;
        const std::byte* const kept = sent.bytes == nullptr ? nullptr : from.shelf.put(sent.bytes, sent.about.size);
        if (kept == nullptr && sent.bytes != nullptr) return false;
        ++from.early;
        message& early = all_.take();
        early.name = sent.about.name(peer);
        early.sent = sent;
        early.sent.bytes = kept;
        all_.enter_index(early);
        return true;
    }
    void drop(inbox_link& from, message& early) {
        --from.early;
        if (early.sent.bytes != nullptr) from.shelf.clear(early.sent.bytes);
        all_.give_back(early);
    }
    /// No message of this channel and epoch will have a receive.
    void note_cancelled(std::uint64_t channel, std::uint64_t epoch) {
        if (!cancelled_.has(channel, epoch)) cancelled_.add(channel, epoch);
    }
    /// Drops the small messages of a rank whose starts were cancelled, if they may be many, and calls f with the id of each.
    void make_room(inbox_link& from, rank_t peer, auto f) {
        if (cancelled_.empty() || !from.shelf.is_filling()) return;
        drop_if(from, peer, [&](const sent_message& sent) {
            const bool drops = sent.is_complete() && cancelled_.has(sent.about.channel, sent.about.epoch);
            if (drops) f(sent.id);
            return drops;
        });
    }
    /// Drops the messages of a rank for which f returns true.
    void drop_if(inbox_link& from, rank_t peer, auto f) {
        if (from.early == 0) return;
        all_.for_each([&](message& early) {
            if (early.name.peer == peer && f(early.sent)) drop(from, early);
        });
    }

  private:
    std::int64_t most_of_each_;
    message_pool<message> all_;
    cancelled_starts cancelled_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
