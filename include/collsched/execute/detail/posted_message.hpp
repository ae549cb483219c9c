#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "collsched/execute/part_cursor.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// One end of a message between threads. It belongs to the pool of the rank that posted it, and is in one list at a
/// time; a send travels to the receiving rank and back.
struct alignas(64) posted_message {
    enum class stage : std::uint8_t {
        offered,   ///< the receiver may take it up or the sender may withdraw it; the first change of the stage decides
        taken_up,  ///< the receiver reads the sender's memory
        returned,  ///< the receiver is done with it, except that it puts it into the sender's inbox
        withdrawn,  ///< the sender has cancelled it: the receiver sends it back without reading
    };

    posted_message* next = nullptr;
    rank_t source = 0;
    message_key key;
    bytes_t size = 0;
    std::span<const send_part> from;         ///< of a send
    std::span<const receive_part> into;      ///< of a receive; of a send that both ends copy: where to
    combined_part combined;                  ///< of a receive that combines; else without a reduction
    posted_message* send = nullptr;          ///< of a receive: its send, once that has come
    int error = 0;                           ///< of a send: what the receiver found
    std::atomic<stage> now{stage::offered};  ///< of a send

    bool meets(const posted_message& other) const {
        return source == other.source && key.sequence == other.key.sequence && key.epoch == other.key.epoch &&
               key.channel == other.key.channel;
    }

    /// Withdraws a send, unless its receiver has taken it up, and raises the receiver's flag. The flag follows the stage: a
    /// receiver lowers the flag before it looks for withdrawn sends, and would miss one that is withdrawn after the look.
    template <class Flag>
    void withdraw(Flag& withdrawals) {
        auto expected = stage::offered;
        if (now.compare_exchange_strong(expected, stage::withdrawn)) withdrawals = true;
    }

    /// Opens a send for copying in chunks into `target`, by any number of threads.
    /// @pre it is not open
    void open_chunks(std::span<const receive_part> target) {
        into = target;
        begun_.store(0, std::memory_order_relaxed);
        copied_.store(0, std::memory_order_relaxed);
        chunks_.store((size + chunk - 1) / chunk, std::memory_order_release);
    }
    /// Copies chunks that nobody has begun. The memory of both ends is there until all are copied, so it is looked at
    /// only after one is begun.
    void copy_chunks() {
        const std::int64_t chunks = chunks_.load(std::memory_order_acquire);
        std::int64_t mine = chunks == 0 ? 0 : begun_.fetch_add(1, std::memory_order_relaxed);
        if (mine >= chunks) return;
        part_cursor read(from);
        part_cursor write(into);
        for (bytes_t at = 0; mine < chunks; mine = begun_.fetch_add(1, std::memory_order_relaxed)) {
            read.skip(mine * chunk - at);
            write.skip(mine * chunk - at);
            const bytes_t left = size - mine * chunk;
            at = left < chunk ? size : mine * chunk + chunk;
            copy_bytes(read, write, at - mine * chunk);
            copied_.fetch_add(1, std::memory_order_release);
        }
    }
    /// False while chunks are being copied. Else nobody copies any more.
    bool close_chunks() {
        if (copied_.load(std::memory_order_acquire) < chunks_.load(std::memory_order_relaxed)) return false;
        chunks_.store(0, std::memory_order_relaxed);
        return true;
    }

    static constexpr bytes_t chunk = 128 * 1024;

  private:
    std::atomic<std::int64_t> chunks_ = 0, begun_ = 0, copied_ = 0;
};

/// First in, first out. The links are in the messages, so that nothing is allocated.
class message_queue {
  public:
    bool empty() const { return first_ == nullptr; }
    void push(posted_message& message) {
        message.next = nullptr;
        (first_ == nullptr ? first_ : last_->next) = &message;
        last_ = &message;
    }
    /// The queue must not be empty.
    posted_message& pop() {
        posted_message& message = *first_;
        first_ = message.next;
        return message;
    }
    /// Removes the messages for which f returns true, and passes each of them to use.
    template <class Predicate, class Use>
    void remove_if(Predicate f, Use use) {
        message_queue kept;
        while (!empty()) {
            posted_message& message = pop();
            if (f(message)) use(message);
            else kept.push(message);
        }
        *this = kept;
    }

  private:
    posted_message *first_ = nullptr, *last_ = nullptr;
};

/// Messages whose other end has not come, found by source, channel, epoch and sequence in O(1).
class message_table {
  public:
    void insert(posted_message& message) {
        posted_message*& first = bucket(message);
        message.next = first;
        first = &message;
    }
    /// Takes out the one that meets the other end, or nullptr.
    posted_message* extract(const posted_message& other) {
        posted_message** link = &bucket(other);
        while (*link != nullptr && !(*link)->meets(other)) link = &(*link)->next;
        posted_message* const found = *link;
        if (found != nullptr) *link = found->next;
        return found;
    }
    template <class Predicate, class Use>
    void remove_if(Predicate f, Use use) {
        for (posted_message*& first : buckets_)
            for (posted_message** link = &first; *link != nullptr;) {
                posted_message& message = **link;
                if (!f(message)) {
                    link = &message.next;
                    continue;
                }
                *link = message.next;
                use(message);
            }
    }
    /// Makes it fast for about so many messages; more are no error.
    void expect(std::size_t messages) {
        std::vector<posted_message*> before(std::bit_ceil(messages));
        before.swap(buckets_);
        for (posted_message* message : before)
            while (message != nullptr) {
                posted_message& moved = *message;
                message = message->next;
                insert(moved);
            }
    }

  private:
    posted_message*& bucket(const posted_message& message) {
        const std::uint64_t name = static_cast<std::uint64_t>(message.source) * 0x9E3779B97F4A7C15U ^
                                   message.key.channel * 0xC2B2AE3D27D4EB4FU ^ message.key.epoch * 0x165667B19E3779F9U ^
                                   static_cast<std::uint64_t>(message.key.sequence) * 0xD6E8FEB86659FD93U;
        return buckets_[(name ^ name >> 32) & (buckets_.size() - 1)];
    }

    std::vector<posted_message*> buckets_ = std::vector<posted_message*>(4);
};

/// The messages that a rank posts, used again and again.
class message_pool {
  public:
    std::size_t size() const { return all_.size(); }

    /// A message that is not in use. The pool never has fewer than one start of an execution posts: how many of these
    /// are in flight at once is a matter of luck, and a later start must not allocate because it had less.
    posted_message& take(const message_key& key) {
        if (key.request.owner != owner_ || key.epoch != generation_) {
            owner_ = key.request.owner;
            generation_ = key.epoch;
            posts_ = 0;
        }
        if (++posts_ > all_.size() || free_.empty())
            for (std::size_t more = all_.size() < 8 ? 8 : all_.size(); more > 0; --more)
                free_.push(all_.emplace_back());
        posted_message& message = free_.pop();
        message.key = key;
        message.error = 0;
        message.combined.op = nullptr;
        return message;
    }
    void give_back(posted_message& message) {
        message.key.request = {};
        free_.push(message);
    }
    /// All that are in use for this owner.
    template <class Use>
    void for_each_of(const void* owner, Use use) {
        for (posted_message& message : all_)
            if (message.key.request.owner == owner) use(message);
    }

  private:
    std::deque<posted_message> all_;  // they stay where they are
    message_queue free_;
    const void* owner_ = nullptr;
    std::uint64_t generation_ = 0;
    std::size_t posts_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
