#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "collsched/execute/detail/pause.hpp"
#include "collsched/execute/shared_memory/detail/inbox.hpp"
#include "collsched/execute/shared_memory/detail/message_pool.hpp"
#include "collsched/execute/shared_memory/detail/outbox.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/transport_error.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Lengths of the messages that a receive takes.
enum class receive_lengths : std::uint8_t {
    equal,    ///< those of its own length
    at_most,  ///< also shorter ones, which fill the first part of it
};

/// Rules of a shared_memory_transport, equal on all ranks.
struct shared_memory_rules {
    receive_lengths lengths = receive_lengths::equal;  ///< of messages
    /// Ranks sleep in wait_any(). Without it they poll, and records of groups that poll ring nobody.
    bool sleeps = true;
};

/// Messages between ranks that share memory: the threads of a process (thread_fabric) or the processes of a node
/// (process_group). The Room is the memory of the ranks as one of them sees it. Two ranks share only a ring in each
/// direction, without locks: a rank that has stopped blocks no other one.
///
/// A small message (detail::longest_small) is written to the ring: with up to 16 bytes in one cache line, which carries the
/// notice too. Its send is complete then. For a large one the sender announces the address. When its receive is posted, the
/// receiver copies or combines it from the sender's memory, in one process; both copy a very large one if the sender is
/// idle. Between processes the receiver copies it by the kernel (single_copy, from single_copy_from bytes on), or requests
/// it and receives it through the ring in parts. The send of a large message is complete after it has matched its receive.
///
/// Messages without a receive wait in memory of the receiver: small ones (detail::most_small() per peer), and as many
/// announcements as peers have sends in flight, at most 2^20 per peer. cancel() takes back the messages of an owner that
/// have no receive, also those whose sends are complete unless ended() has been called since.
///
/// A rank that waits looks into the rings of up to 7 others, some tens of microseconds long, and sleeps then. It yields its
/// processor between two looks if there are more ranks than processors. It is woken by a bell; in larger groups every
/// record rings it, and names its writer.
///
/// Messages that are combined as they arrive: a short one is combined from a private copy, a large one of the same process
/// from the sender's memory, one of another process in chunks while they are in cache if the reduction has an `element`
/// that divides 64, else after the whole has been copied. If the reduction throws, the next poll() or wait_any() throws, and
/// the receive ends with combine_failed. The send ends with it too, unless it is complete already, or its bytes came
/// through the ring in parts.
///
/// Bytes that another process writes are not trusted: a record that no rank writes ends all messages with its writer with
/// protocol_violation, and later posts fail with it at once. docs/transports.md has the trust model.
///
/// With receive_lengths::at_most, lengths are as in MPI: of two ends of different lengths only the receive has an error, and
/// only if it has a fingerprint, combines, or is the shorter one. Fingerprints are not compared.
///
/// Errors are those of process_group::error and thread_fabric::error. Messages with a process that died end with peer_died
/// within 10 ms of a wait, and later posts fail with it at once. A rank that waits in vain for others receives a completion
/// of any death in the group: without owner, with peer_died and the rank, until it acknowledges that death. A regular leave
/// ends only the messages with that rank (peer_left), but for small ones that have come. Messages that end with peer_left
/// or withdrawn after a death are reported after the death, as its consequence.
template <class Room>
class shared_memory_transport {
  public:
    /// Transport of the rank that owns the room.
    /// @param room   outlives the transport
    /// @param rules  equal on all ranks
    explicit shared_memory_transport(Room& room, const shared_memory_rules& rules = {})
        : room_(&room),
          out_(room, done_, rules.sleeps || !room.polls()),
          in_(room, out_, done_, rules.lengths == receive_lengths::at_most),
          gone_(static_cast<std::size_t>(room.ranks())),
          acknowledged_(gone_.size()),
          spins_(room.is_crowded() ? 200 : 2000),
          pauses_(room.is_crowded() ? 0 : 100) {
        gone(room.rank()) = error::no_such_rank;
        if (room.polls()) room.for_each_other([this](rank_t r) { out_.connect(r), in_.connect(r); });
    }
    shared_memory_transport(const shared_memory_transport&) = delete;
    shared_memory_transport& operator=(const shared_memory_transport&) = delete;
    /// Withdraws all operations; between processes it writes the notes that the other ranks must still receive, for a second
    /// at most.
    ~shared_memory_transport() {
        if constexpr (Room::one_process) return;
        in_.cancel(nullptr, true);
        out_.cancel(nullptr, true);
        for (const auto start = clock::now(); owes() && clock::now() - start < std::chrono::seconds(1); look()) {
            room_->sleep(seen_, probing, [this] { return has_news(); });
            room_->find_dead();
        }
    }

    int post_send(const message_key& key, std::span<const send_part> parts) { return send(key, parts, false); }
    /// As post_send(), for a send that is complete after its match, also that of a short message.
    /// @param key    as above
    /// @param parts  as above
    /// @return as above, but never already_complete
    int post_matched_send(const message_key& key, std::span<const send_part> parts) { return send(key, parts, true); }
    int post_recv(const message_key& key, std::span<const receive_part> parts) { return receive(key, parts); }
    int post_recv_combine(const message_key& key, const combined_part& part) { return receive(key, part); }
    /// Returns the sends that are complete as they are posted, unless the peer is far behind.
    /// @return half of the small messages that the peer keeps
    buffered_sends buffered() const {
        return {std::min(detail::longest_short, detail::longest_small(room_->ring_bytes())),
                detail::most_ahead(room_->ranks(), room_->is_crowded()) / 2};
    }
    /// Called when all operations of an owner are complete: its short messages will arrive, whatever it does later.
    /// @param owner  of the operations
    void ended(const void* owner) { out_.disown(owner); }
    void cancel(const void* owner) {
        if (owner == owner_) in_.note_cancelled(channel_, epoch_);
        in_.cancel(owner);
        out_.cancel(owner);
        done_.remove_if([&](const completion& completion) { return completion.request.owner == owner; });
    }

    /// Ends the reports of the death of a rank. Messages with it fail with peer_died as before. O(ranks).
    /// @param rank  any number; no effect for a number that is no rank of the group
    void acknowledge(rank_t rank) {
        if (rank < 0 || rank >= room_->ranks()) return;
        acknowledged_[static_cast<std::size_t>(rank)] = true;
        dead_ = -1;
        for (rank_t r = 0; r < room_->ranks(); ++r) note_death(r);
    }

    completion poll() { return take_step() ? next_done() : nothing(); }
    /// As poll(), but without a look for ranks that have died, for which find_dead() is called. @return as poll()
    completion poll_messages() { return take_step() ? next_done() : completion{}; }
    /// Looks for ranks that have died: their messages end. O(ranks) system calls between processes.
    void find_dead() {
        room_->find_dead();
        room_->for_each_other([this](rank_t r) { look_at(r); });  // it may not have rung yet
    }
    /// Receives a short message if it is the next record of its rank. No receive is posted.
    /// @param key     as of a post
    /// @param memory  parts of the message, or a combined_part
    /// @return already_complete; an error of the message, positive; or 0: it is not
    template <class Memory>
    int take(const message_key& key, const Memory& memory) {
        return is_reachable(key.peer) ? in_.take(key, memory) : 0;
    }

    /// Ends with an error the messages of this rank that have not met their other end and for whose names f returns true. A
    /// message that its receiver is about to copy may be among the sends; then the receive ends as withdrawn.
    /// @param code  error of the completions, positive
    /// @param f      called with the detail::message_name of each, and whether it is a send. It calls nothing of this object
    template <class F>
    void end_unmatched(int code, F f) {
        in_.end_unmatched(code, [&](const detail::message_name& name) { return f(name, false); });
        out_.end_unmatched(code, [&](const detail::message_name& name) { return f(name, true); });
    }
    /// Drops the messages to this rank that have no receive and for whose names f returns true.
    /// @param f  called with the detail::message_name of each. It calls nothing of this object
    template <class F>
    void drop_early(F f) {
        in_.drop_early(f);
    }

    completion wait_any(std::chrono::nanoseconds timeout) {
        if (timeout <= timeout.zero()) return take_step() ? next_done() : end_of_wait();
        clock::time_point start{};  // taken when it is needed: a look takes less time than the clock
        for (int spins = 0, looks = 1;; ++spins, ++looks) {
            const std::uint64_t before = news_;
            if (take_step()) return next_done();
            if (news_ != before) spins = 0;      // other ranks are active
            if (spins < spins_ && looks < 64) {  // the time is looked at however often they ring
                relax(spins);
                continue;
            }
            looks = 0;
            const auto now = clock::now();
            if (start == clock::time_point{}) start = now;
            if (const completion end = end_of_wait(now); end.error != 0) return end;
            const auto left = timeout - (now - start);
            if (left <= left.zero()) return {};
            if (spins >= spins_ && !in_.has_copies())
                room_->sleep(seen_, !Room::one_process && probing < left ? probing : left,
                             [this] { return has_news(); });
        }
    }

    /// Returns whether there are messages that rang nobody, for the sleep of a rank that polls.
    /// @return whether poll() has something to read
    bool has_news() const {
        if (room_->is_closed()) return true;
        for (rank_t r = 0; room_->polls() && r < room_->ranks(); ++r)
            if (may_read(r)) return true;
        return false;
    }

    /// Returns whether large messages from a rank are copied once rather than twice, from its memory: it is a thread of this
    /// process, or the kernel lets this process read it.
    /// @param peer  another rank of the group
    /// @return false: they come through the ring
    bool single_copy(rank_t peer) { return in_.single_copy(peer); }

  private:
    using clock = std::chrono::steady_clock;
    using error = transport_error;
    static constexpr std::chrono::nanoseconds probing{5'000'000};  // how often the living are counted
    static constexpr std::size_t most_held = 2048;                 // posts that are counted; further ones may allocate
    static constexpr std::uint32_t unseen = 1;                     // a bell's count is even

    void relax(int spins) const {
        if (spins >= pauses_) return std::this_thread::yield();
        detail::pause();
    }

    int& gone(rank_t peer) { return gone_[static_cast<std::size_t>(peer)]; }
    int unreachable(rank_t peer) { return peer < 0 || peer >= room_->ranks() ? error::no_such_rank : gone(peer); }
    bool is_reachable(rank_t peer) const {
        return static_cast<std::size_t>(peer) < gone_.size() && gone_[static_cast<std::size_t>(peer)] == 0;
    }
    /// Returns the error of a post to a rank that cannot be reached; -1 if the post counts as made, since the death of another
    /// rank is to be reported first.
    [[gnu::noinline]] int refuse(rank_t peer) { return blames_dead(peer) ? -1 : unreachable(peer); }

    /// Makes room for all messages of a start: how many of them are in flight at once is a matter of luck, and a later start
    /// must not allocate because an earlier one had fewer.
    void count(const message_key& key) {
        if (key.epoch != epoch_ || key.request.owner != owner_) {
            epoch_ = key.epoch;
            owner_ = key.request.owner;
            channel_ = key.channel;
            posts_ = 0;
        }
        if (++posts_ > held_ && held_ < most_held) hold_more();
    }
    [[gnu::noinline]] void hold_more() {
        held_ *= 2;
        in_.hold(2 * held_);
        out_.hold(2 * held_);
        done_.hold(2 * held_);
    }

    int send(const message_key& key, std::span<const send_part> parts, bool awaited) {
        if (!is_reachable(key.peer)) return std::max(refuse(key.peer), 0);
        count(key);
        const int posted = out_.post(key, parts, awaited);
        return posted != out_.no_slot ? posted : send_after_many(key, parts, awaited);
    }
    /// The peer may have matched some of the messages to it, and reported that.
    [[gnu::noinline]] int send_after_many(const message_key& key, std::span<const send_part> parts, bool awaited) {
        if (may_read(key.peer)) read(key.peer);
        if (!is_reachable(key.peer)) return std::max(refuse(key.peer), 0);
        const int posted = out_.post(key, parts, awaited);
        return posted != out_.no_slot ? posted : out_.post_later(key, parts, 0, awaited);
    }
    /// Posts a receive, and takes its message if it has come.
    template <class Memory>
    int receive(const message_key& key, const Memory& memory) {
        if (!is_reachable(key.peer)) return receive_from_lost(key, memory);
        count(key);
        const int taken = in_.take(key, memory);
        if (taken == already_complete) return taken;
        if (taken > 0) return done_.push({key.request, taken, key.peer}), 0;
        const bool was_empty = done_.empty();
        if (in_.has_early(key.peer) && may_read(key.peer)) {
            read(key.peer);  // they may have been taken back
            if (!is_reachable(key.peer)) return receive_from_lost(key, memory);
        }
        in_.post(key, memory);
        if (room_->polls() && may_read(key.peer)) read(key.peer);
        return was_empty && !done_.empty() ? take_posted(key) : 0;
    }
    /// A rank that has left may have sent the message before.
    template <class Memory>
    [[gnu::noinline]] int receive_from_lost(const message_key& key, const Memory& memory) {
        const bool was_empty = done_.empty();
        const int code = unreachable(key.peer);
        if (code != error::peer_left || !in_.has_arrived(key)) return std::max(refuse(key.peer), 0);
        in_.post(key, memory);
        return was_empty && !done_.empty() ? take_posted(key) : 0;
    }
    /// Takes the only completion if it is that of this receive.
    int take_posted(const message_key& key) {
        const completion& first = done_.front();
        if (first.error != 0 || !(first.request == key.request)) return 0;
        done_.pop();
        return already_complete;
    }

    /// Does what there is to do, until something is complete; whether something is.
    bool take_step() {
        look();
        if (done_.empty() && in_.has_copies())
            in_.copy_next();  // one, since a copy is as slow as the other rank makes it
        in_.rethrow();
        return !done_.empty();
    }
    completion next_done() {
        quiet_ = false;
        const int code = done_.front().error;
        const bool gave_up = code == error::peer_left || code == error::withdrawn;
        blamed_ = gave_up && !blamed_ && somebody_died();
        if (blamed_) return death();
        const completion first = done_.front();
        done_.pop();
        return first;
    }
    completion death() const { return {{}, error::peer_died, dead_}; }

    /// A rank may have given a message up because another one died: the death is reported first.
    bool somebody_died() {
        if constexpr (Room::one_process) return false;
        find_dead();
        return dead_ >= 0;
    }
    /// The same for a message with a rank that has left: it counts as posted, and what is complete next is the death.
    bool blames_dead(rank_t peer) {
        if (unreachable(peer) != error::peer_left || !somebody_died()) return false;
        done_.push(death());
        return true;
    }

    bool may_read(rank_t peer) const { return gone_[static_cast<std::size_t>(peer)] == 0 && in_.has_record(peer); }
    void read(rank_t peer) {
        ++news_;
        if (!in_.drain(peer)) lose(peer, error::protocol_violation);
    }
    /// Reads and writes what others have made possible since the last look.
    void look() {
        if (const std::uint32_t rung = room_->rings(); rung != seen_) {
            seen_ = rung;
            ++news_;
            room_->for_each_ringer([this](rank_t r) { look_at(r); });
        } else if (room_->polls()) {  // the records that ring nobody
            for (rank_t r = 0; r < room_->ranks(); ++r)
                if (may_read(r)) read(r);
        }
    }
    void look_at(rank_t peer) {
        if (gone(peer) != 0) return;
        const int loss = room_->loss_of(peer);  // first: what it wrote before is still to be read
        if (!in_.drain(peer) || !out_.flush(peer)) lose(peer, error::protocol_violation);
        else if (loss != 0) lose(peer, loss);
    }

    void lose(rank_t peer, int code) {
        gone(peer) = code;
        note_death(peer);
        in_.lose(peer, code);
        out_.lose(peer, code);
    }

    void note_death(rank_t peer) {
        if (gone(peer) == error::peer_died && !acknowledged_[static_cast<std::size_t>(peer)]) dead_ = peer;
    }

    /// Nothing is complete: sees from time to time who is still alive. A death that was known the last time, and
    /// nothing has been complete since, is reported.
    completion nothing() { return nothing(Room::one_process ? clock::time_point{} : clock::now()); }
    completion nothing(clock::time_point now) {
        if (Room::one_process || now < next_probe_) return {};
        next_probe_ = now + probing;
        const bool stuck = quiet_ && dead_ >= 0;
        quiet_ = dead_ >= 0;
        room_->find_dead();
        for (rank_t r = 0; r < room_->ranks(); ++r)  // a peer may have broken a ring, and rings nobody
            if (gone(r) == 0 && out_.has_waiting(r) && !out_.flush(r)) lose(r, error::protocol_violation);
        return stuck ? death() : completion{};
    }
    /// As nothing(), for a wait: no rank waits in a room that was closed.
    completion end_of_wait(clock::time_point now = clock::now()) {
        if (room_->is_closed()) return {.request = {}, .error = error::closed};
        return nothing(now);
    }

    bool owes() {
        for (rank_t r = 0; r < room_->ranks(); ++r)
            if (gone(r) == 0 && out_.has_waiting(r)) return true;
        return false;
    }

    Room* room_;
    detail::message_queue<completion> done_{64};
    detail::message_outbox<Room> out_;
    detail::message_inbox<Room> in_;
    std::vector<int> gone_;           // why nothing can be exchanged with a rank any more
    std::uint32_t seen_ = unseen;     // the count of the bell at the last look
    std::uint64_t news_ = 0;          // how often there was something to read or write
    std::vector<bool> acknowledged_;  // deaths that are no longer reported, by rank
    rank_t dead_ = -1;                // one that died, and is not acknowledged
    bool quiet_ = false;              // one had died at the last probe, and nothing has been complete since
    int spins_, pauses_;              // how often a wait looks before it sleeps, and without yielding
    const void* owner_ = nullptr;     // of the last post
    std::uint64_t channel_ = 0, epoch_ = 0;
    std::size_t posts_ = 0, held_ = 32;  // of this owner and epoch; room for twice as many
    bool blamed_ = false;                // the death was reported before the next completion
    clock::time_point next_probe_{};
};

}}  // namespace collsched::COLLSCHED_ABI
