#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "collsched/execute/shared_memory/process_group.hpp"
#include "collsched/execute/shared_memory/detail/process_inbox.hpp"
#include "collsched/execute/shared_memory/detail/process_messages.hpp"
#include "collsched/execute/shared_memory/detail/process_outbox.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Messages between the processes of a group, on Linux. A membership has one transport, which it outlives. Two ranks
/// share only rings in the segment, without locks: a process that has died blocks no other one.
///
/// A small message (process_outbox::longest_small) is written to the ring. For a large one the sender announces the
/// address. When its receive is posted, the receiver copies it from the sender's memory (single_copy, from
/// single_copy_from bytes on), or requests it and receives it through the ring in parts. The send of a small message is
/// complete as soon as it is in the ring, that of another one after it has matched its receive. Messages without a
/// receive wait in memory of the receiver: 32 small ones per peer, and as many announcements as peers have sends in
/// flight, at most 2^20 per peer. cancel() takes back the messages of an owner that have no receive, also those whose
/// sends are complete unless ended() has been called since.
///
/// A message that is combined as it arrives is copied in chunks if the reduction has an `element` that divides 64. Each
/// chunk is combined while it is in cache. Otherwise the whole message is copied first. If the reduction throws, the
/// next poll() or wait_any() throws, and the receive ends with combine_failed. The send ends with it too, unless its
/// bytes came through the ring in parts.
///
/// The content of the segment is not trusted: a record that no rank writes ends all messages with its writer with
/// protocol_violation, and later posts fail with it at once. docs/transports.md has the trust model.
///
/// Errors are those of process_group::error. Messages with a rank that died end with peer_died within 10 ms of a wait,
/// and later posts fail with it at once. A rank that waits in vain for others receives a completion of any death in the
/// group: without owner, with peer_died and the rank, until it acknowledges that death. A regular leave ends only the
/// messages with that rank (peer_left), but for small ones that have come. Messages that end with peer_left or withdrawn
/// after a death are reported after the death, as its consequence.
class process_group::transport {
  public:
    /// Transport of the member that has joined the group.
    /// @param group  membership, which outlives the transport
    explicit transport(process_group& group)
        : group_(&group),
          out_(group, done_),
          in_(group, out_, done_),
          gone_(static_cast<std::size_t>(group.ranks())),
          acknowledged_(gone_.size()),
          spins_(group.ranks() <= ::sysconf(_SC_NPROCESSORS_ONLN) ? 2000 : 0) {}
    transport(const transport&) = delete;
    transport& operator=(const transport&) = delete;
    /// Withdraws all operations, and writes the notes that the other ranks must still receive, for a second at most.
    ~transport() {
        in_.cancel(nullptr, true);
        out_.cancel(nullptr, true);
        for (const auto start = clock::now(); owes() && clock::now() - start < std::chrono::seconds(1); look()) {
            group_->sleep(seen_, probing, [this] { return has_news(); });
            group_->find_dead();
        }
    }

    int post_send(const message_key& key, std::span<const send_part> parts) { return post(out_, key, parts); }
    /// As post_send(), for a send that is complete after its match, also that of a short message.
    /// @param key    as above
    /// @param parts  as above
    /// @return as above, but never already_complete
    int post_matched_send(const message_key& key, std::span<const send_part> parts) {
        return post(out_, key, parts, true);
    }
    int post_recv(const message_key& key, std::span<const receive_part> parts) { return receive(key, parts); }
    int post_recv_combine(const message_key& key, const combined_part& part) { return receive(key, part); }
    /// Called when all operations of an owner are complete: its short messages will arrive, whatever it does later.
    /// @param owner  of the operations
    void ended(const void* owner) { out_.disown(owner); }
    void cancel(const void* owner) {
        in_.cancel(owner);
        out_.cancel(owner);
        done_.remove_if([&](const completion& completion) { return completion.request.owner == owner; });
    }

    /// Ends the reports of the death of a rank. Messages with it fail with peer_died as before. O(ranks).
    /// @param rank  any number; no effect for a number that is no rank of the group
    void acknowledge(rank_t rank) {
        if (rank < 0 || rank >= group_->ranks()) return;
        acknowledged_[static_cast<std::size_t>(rank)] = true;
        dead_ = -1;
        for (rank_t r = 0; r < group_->ranks(); ++r) note_death(r);
    }

    completion poll() { return take_step() ? next_done() : nothing(clock::now()); }

    completion wait_any(std::chrono::nanoseconds timeout) {
        const auto start = clock::now();
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
            if (const completion end = nothing(now); end.error != 0) return end;
            const auto left = timeout - (now - start);
            if (left <= left.zero()) return {};
            if (spins >= spins_ && !in_.has_copies())
                group_->sleep(seen_, left < probing ? left : probing, [this] { return has_news(); });
        }
    }

    /// Returns whether there are messages that rang nobody, for process_group::sleep(): see process_group::polls().
    /// @return whether poll() has something to read
    bool has_news() const {
        for (rank_t r = 0; group_->polls() && r < group_->ranks(); ++r)
            if (may_read(r)) return true;
        return false;
    }

    /// Returns whether large messages from a rank are copied once rather than twice, from its memory: the kernel lets
    /// this process read it.
    /// @param peer  another rank of the group
    /// @return false: they come through the ring
    bool single_copy(rank_t peer) { return in_.single_copy(peer); }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::nanoseconds probing{5'000'000};  // how often the living are counted
    static constexpr std::uint32_t unseen = 1;                     // a bell's count is even

    static void relax(int spins) {
        if (spins >= 100) return std::this_thread::yield();
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }

    int& gone(rank_t peer) { return gone_[static_cast<std::size_t>(peer)]; }
    int unreachable(rank_t peer) {
        return peer < 0 || peer >= group_->ranks() || peer == group_->rank() ? error::no_such_rank : gone(peer);
    }

    /// Posts to the inbox or the outbox, unless the peer cannot be reached.
    template <class Box, class Memory, class... Options>
    int post(Box& box, const message_key& key, const Memory& memory, Options... options) {
        if (blames_dead(key.peer)) return 0;
        const int code = unreachable(key.peer);
        return code == 0 ? box.post(key, memory, options...) : code;
    }
    /// Posts a receive, and takes its message if it has come.
    template <class Memory>
    int receive(const message_key& key, const Memory& memory) {
        const bool was_empty = done_.empty();
        const bool left_behind = unreachable(key.peer) == error::peer_left && in_.has_arrived(key);
        if (const int code = left_behind ? in_.post(key, memory) : post(in_, key, memory); code != 0) return code;
        if (group_->polls() && may_read(key.peer)) read(key.peer);
        if (!was_empty || done_.empty()) return 0;
        const completion& first = done_.front();
        if (first.error != 0 || first.request.owner != key.request.owner || first.request.node != key.request.node)
            return 0;
        done_.pop();
        return already_complete;
    }

    /// Does what there is to do, until something is complete; whether something is.
    bool take_step() {
        look();
        if (done_.empty() && in_.has_copies())
            in_.copy_next();  // one, since a copy is as slow as the other process makes it
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
        group_->find_dead();
        seen_ = unseen;  // a rank that is marked dead may not have rung yet
        look();
        return dead_ >= 0;
    }
    /// The same for a message with a rank that has left: it counts as posted, and what is complete next is the death.
    bool blames_dead(rank_t peer) {
        if (unreachable(peer) != error::peer_left || !somebody_died()) return false;
        done_.push(death());
        return true;
    }

    bool may_read(rank_t peer) const {
        return peer != group_->rank() && gone_[static_cast<std::size_t>(peer)] == 0 && in_.has_record(peer);
    }
    void read(rank_t peer) {
        ++news_;
        if (!in_.drain(peer)) lose(peer, error::protocol_violation);
    }
    /// Reads the records that ring nobody.
    void look_into_rings() {
        for (rank_t r = 0; r < group_->ranks(); ++r)
            if (may_read(r)) read(r);
    }
    /// Reads and writes what others have made possible since the last look.
    void look() {
        const std::uint32_t rung = group_->rings();
        if (rung == seen_) {
            if (group_->polls()) look_into_rings();
            return;
        }
        seen_ = rung;
        ++news_;
        for (rank_t r = 0; r < group_->ranks(); ++r) {
            if (r == group_->rank() || gone(r) != 0) continue;
            const detail::process_seat::state state =
                group_->state(r);  // first: what it wrote before is still to be read
            if (!in_.drain(r) || !out_.flush(r)) lose(r, error::protocol_violation);
            else if (state == detail::process_seat::left) lose(r, error::peer_left);
            else if (state == detail::process_seat::died) lose(r, error::peer_died);
        }
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
    completion nothing(clock::time_point now) {
        if (now < next_probe_) return {};
        next_probe_ = now + probing;
        const bool stuck = quiet_ && dead_ >= 0;
        quiet_ = dead_ >= 0;
        group_->find_dead();
        return stuck ? death() : completion{};
    }

    bool owes() {
        for (rank_t r = 0; r < group_->ranks(); ++r)
            if (r != group_->rank() && gone(r) == 0 && out_.has_waiting(r)) return true;
        return false;
    }

    process_group* group_;
    detail::process_message_queue<completion> done_{64};
    detail::process_outbox out_;
    detail::process_inbox in_;
    std::vector<int> gone_;           // why nothing can be exchanged with a rank any more
    std::uint32_t seen_ = unseen;     // the count of the bell at the last look
    std::uint64_t news_ = 0;          // how often there was something to read or write
    std::vector<bool> acknowledged_;  // deaths that are no longer reported, by rank
    rank_t dead_ = -1;                // one that died, and is not acknowledged
    bool quiet_ = false;              // one had died at the last probe, and nothing has been complete since
    int spins_;
    bool blamed_ = false;  // the death was reported before the next completion
    clock::time_point next_probe_{};
};

}}  // namespace collsched::COLLSCHED_ABI
