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
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Rules of a shared_memory_transport, equal on all ranks.
struct shared_memory_rules {
    /// A receive without fingerprint takes also shorter messages, which fill the first part of it.
    bool allows_shorter = false;
    /// Ranks sleep in wait_any(). Without it they poll, and records of groups that poll wake nobody.
    bool sleeps = true;
};

/// Messages between ranks that share memory: the threads of a process (thread_fabric) or the processes of a node
/// (process_group). Group is the memory of the ranks as one of them sees it. Two ranks share only a ring in each
/// direction, without locks: a rank that has stopped blocks no other one.
///
/// A small message (longest_small) is written to the ring: with up to 16 bytes in one cache line, which carries the
/// notice too. Its send is complete then. For a large one the sender announces the address. When its receive is posted, the
/// receiver copies or combines it from the sender's memory, in one process; both copy a very large one if the sender is
/// idle. Between processes the receiver copies it by the kernel (single_copy, from single_copy_from bytes on), or requests
/// it and receives it through the ring in parts. The send of a large message is complete after it has matched its receive.
///
/// Messages without a receive wait in memory of the receiver: small ones (most_small() per peer), and as many
/// announcements as peers have sends in flight, at most 2^20 per peer. cancel() takes back the messages of an owner that
/// have no receive, also those whose sends are complete unless ended() has been called since.
///
/// A rank that waits looks into the rings of up to 7 others, some tens of microseconds long, and sleeps then. It yields its
/// processor between two looks if there are more ranks than processors. In larger groups every
/// record wakes it, and names its writer.
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
/// With shared_memory_rules::allows_shorter, lengths are as in MPI: of two ends of different lengths only the receive has
/// an error, and only if it has a fingerprint, combines, or is the shorter one. Fingerprints are not compared.
///
/// Errors are those of process_group::error and thread_fabric::error. Messages with a process that died end with peer_died
/// within 10 ms of a wait, and later posts fail with it at once. A rank that waits in vain for others receives a completion
/// of any death in the group: without owner, with peer_died and the rank, until it acknowledges that death. A regular leave
/// ends only the messages with that rank (peer_left), but for small ones that have come. Messages that end with peer_left
/// or withdrawn after a death are reported after the death, as its consequence.
template <class Group>
class shared_memory_transport {
  public:
    using rules = shared_memory_rules;  ///< equal on all ranks

    /// Transport of the rank of a member.
    /// @param membership  that of the rank, which outlives the transport
    /// @param settings  equal on all ranks
    explicit shared_memory_transport(Group& membership, const shared_memory_rules& settings = {})
        : group_(&membership),
          outbox_(membership, completions_, settings.sleeps || !membership.polls()),
          inbox_(membership, outbox_, completions_, settings.allows_shorter),
          link_errors_(static_cast<std::size_t>(membership.ranks())),
          acknowledged_(link_errors_.size()),
          spins_(membership.is_crowded() ? 200 : 2000),
          pauses_(membership.is_crowded() ? 0 : 100) {
        link_error(membership.rank()) = error::no_such_rank;
        if (membership.polls()) membership.for_each_other([this](rank_t r) { outbox_.connect(r), inbox_.connect(r); });
    }
    shared_memory_transport(const shared_memory_transport&) = delete;
    shared_memory_transport& operator=(const shared_memory_transport&) = delete;
    /// Withdraws all operations; between processes it writes the records that the other ranks must still receive, for a second
    /// at most.
    ~shared_memory_transport() {
        if constexpr (Group::one_process) return;
        inbox_.cancel(nullptr, true);
        outbox_.cancel(nullptr, true);
        for (const auto start = clock::now(); has_unsent() && clock::now() - start < std::chrono::seconds(1); look()) {
            group_->sleep(wakeups_, probing, [this] { return has_news(); });
            group_->find_dead();
        }
    }

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return send(key, parts, false);
    }
    /// As post_send(), for a send that is complete after its match, also that of a short message.
    /// @param key    as above
    /// @param parts  as above
    /// @return as above, but never already_complete
    int post_matched_send(const message::key& key, std::span<const message::send_part> parts) {
        return send(key, parts, true);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) { return receive(key, parts); }
    int post_recv_combine(const message::key& key, const message::combined_part& part) { return receive(key, part); }
    /// Returns the sends that are complete as they are posted, unless the peer is far behind.
    /// @return half of the small messages that the peer keeps
    message::buffered_sends buffered() const {
        return {std::min(longest_short, longest_small(group_->ring_bytes())),
                most_ahead(group_->ranks(), group_->is_crowded()) / 2};
    }
    /// Called when all operations of an owner are complete: its short messages will arrive, whatever it does later.
    /// @param owner  of the operations
    void ended(const void* owner) { outbox_.disown(owner); }
    void cancel(const void* owner) {
        if (owner == owner_) inbox_.note_cancelled(channel_, epoch_);
        inbox_.cancel(owner);
        outbox_.cancel(owner);
        completions_.remove_if([&](const completion& completion) { return completion.request.owner == owner; });
    }

    /// Ends the reports of the death of a rank. Messages with it fail with peer_died as before. O(ranks).
    /// @param rank  any number; no effect for a number that is no rank of the group
    void acknowledge(rank_t rank) {
        if (rank < 0 || rank >= group_->ranks()) return;
        acknowledged_[static_cast<std::size_t>(rank)] = true;
        dead_rank_ = -1;
        for (rank_t r = 0; r < group_->ranks(); ++r) note_death(r);
    }

    completion poll() { return take_step() ? next_done() : probe(); }
    /// As poll(), but without a look for ranks that have died, for which find_dead() is called. @return as poll()
    completion poll_messages() { return take_step() ? next_done() : completion{}; }
    /// Looks for ranks that have died: their messages end. O(ranks) system calls between processes.
    void find_dead() {
        group_->find_dead();
        group_->for_each_other([this](rank_t r) { look_at(r); });  // it may not have woken this one yet
    }
    /// Receives a short message if it is the next record of its rank. No receive is posted.
    /// @param key     as of a post
    /// @param memory  parts of the message, or a message::combined_part
    /// @return already_complete; an error of the message, positive; or 0: it is not
    int take(const message::key& key, const auto& memory) {
        return is_reachable(key.peer) ? inbox_.take(key, memory) : 0;
    }

    /// Ends with an error the messages of this rank that have not met their other end and for whose names f returns true. A
    /// message that its receiver is about to copy may be among the sends; then the receive ends as withdrawn.
    /// @param code  error of the completions, positive
    /// @param f     called with the key of each, without request, and whether it is a send. Calls nothing of this object
    void end_unmatched(int code, auto f) {
        inbox_.end_unmatched(code, [&](const message_name& name) { return f(name.key(), false); });
        outbox_.end_unmatched(code, [&](const message_name& name) { return f(name.key(), true); });
    }
    /// Drops the messages to this rank that have no receive and for whose names f returns true.
    /// @param f  called with the message::key of each, without request. It calls nothing of this object
    void drop_early(auto f) {
        inbox_.drop_early([&](const message_name& name) { return f(name.key()); });
    }

    completion wait_any(std::chrono::nanoseconds timeout) {
        if (timeout <= timeout.zero()) return take_step() ? next_done() : end_of_wait();
        clock::time_point start{};  // taken when it is needed: a look takes less time than the clock
        for (int spins = 0, looks = 1;; ++spins, ++looks) {
            const std::uint64_t previous = activity_;
            if (take_step()) return next_done();
            if (activity_ != previous) spins = 0;  // other ranks are active
            if (spins < spins_ && looks < 64) {    // the time is looked at however often they write
                relax(spins);
                continue;
            }
            looks = 0;
            const auto now = clock::now();
            if (start == clock::time_point{}) start = now;
            if (const completion end = end_of_wait(now); end.error != 0) return end;
            const auto remaining = timeout - (now - start);
            if (remaining <= remaining.zero()) return {};
            if (spins >= spins_ && !inbox_.has_copies())
                group_->sleep(wakeups_, !Group::one_process && probing < remaining ? probing : remaining,
                              [this] { return has_news(); });
        }
    }

    /// Returns whether there are messages that woke nobody, for the sleep of a rank that polls.
    /// @return whether poll() has something to read
    bool has_news() const {
        if (group_->is_closed()) return true;
        for (rank_t r = 0; group_->polls() && r < group_->ranks(); ++r)
            if (can_read(r)) return true;
        return false;
    }

    /// Returns whether large messages from a rank are copied once rather than twice, from its memory: it is a thread of this
    /// process, or the kernel lets this process read it.
    /// @param peer  another rank of the group
    /// @return false: they come through the ring
    bool single_copy(rank_t peer) { return inbox_.single_copy(peer); }

  private:
    using clock = std::chrono::steady_clock;
    using error = message::error;
    static constexpr std::chrono::nanoseconds probing{5'000'000};  // how often the living are counted
    static constexpr std::size_t reserve_limit = 2048;             // posts that are counted; further ones may allocate
    static constexpr std::uint32_t unseen = 1;                     // counts of wakeups are even

    void relax(int spins) const {
        if (spins >= pauses_) return std::this_thread::yield();
        pause();
    }

    int& link_error(rank_t peer) { return link_errors_[static_cast<std::size_t>(peer)]; }
    int unreachable(rank_t peer) {
        return peer < 0 || peer >= group_->ranks() ? error::no_such_rank : link_error(peer);
    }
    bool is_reachable(rank_t peer) const {
        return static_cast<std::size_t>(peer) < link_errors_.size() &&
               link_errors_[static_cast<std::size_t>(peer)] == 0;
    }
    /// Returns the error of a post to a rank that cannot be reached; -1 if the post counts as made, since the death of another
    /// rank is to be reported first.
    [[gnu::noinline]] int refuse(rank_t peer) { return blames_dead(peer) ? -1 : unreachable(peer); }

    /// Makes room for all messages of a start: how many of them are in flight at once is a matter of luck, and a later start
    /// must not allocate because an earlier one had fewer.
    void count(const message::key& key) {
        if (key.epoch != epoch_ || key.request.owner != owner_) {
            epoch_ = key.epoch;
            owner_ = key.request.owner;
            channel_ = key.channel;
            posts_ = 0;
        }
        if (++posts_ > reserved_ && reserved_ < reserve_limit) reserve_more();
    }
    [[gnu::noinline]] void reserve_more() {
        reserved_ *= 2;
        inbox_.reserve(2 * reserved_);
        outbox_.reserve(2 * reserved_);
        completions_.reserve(2 * reserved_);
    }

    int send(const message::key& key, std::span<const message::send_part> parts, bool awaited) {
        if (!is_reachable(key.peer)) return std::max(refuse(key.peer), 0);
        count(key);
        const int code = outbox_.post(key, parts, awaited);
        return code != outbox_.no_slot ? code : send_after_many(key, parts, awaited);
    }
    /// The peer may have matched some of the messages to it, and reported that.
    [[gnu::noinline]] int send_after_many(const message::key& key, std::span<const message::send_part> parts,
                                          bool awaited) {
        if (can_read(key.peer)) read(key.peer);
        if (!is_reachable(key.peer)) return std::max(refuse(key.peer), 0);
        const int code = outbox_.post(key, parts, awaited);
        return code != outbox_.no_slot ? code : outbox_.post_later(key, parts, 0, awaited);
    }
    /// Posts a receive, and takes its message if it has come.
    int receive(const message::key& key, const auto& memory) {
        if (!is_reachable(key.peer)) return receive_from_lost(key, memory);
        count(key);
        const int code = inbox_.take(key, memory);
        if (code == already_complete) return code;
        if (code > 0) return completions_.push({key.request, code, key.peer}), 0;
        const bool was_empty = completions_.empty();
        if (inbox_.has_early(key.peer) && can_read(key.peer)) {
            read(key.peer);  // they may have been taken back
            if (!is_reachable(key.peer)) return receive_from_lost(key, memory);
        }
        inbox_.post(key, memory);
        if (group_->polls() && can_read(key.peer)) read(key.peer);
        return was_empty && !completions_.empty() ? take_posted(key) : 0;
    }
    /// A rank that has left may have sent the message before.
    [[gnu::noinline]] int receive_from_lost(const message::key& key, const auto& memory) {
        const bool was_empty = completions_.empty();
        const int code = unreachable(key.peer);
        if (code != error::peer_left || !inbox_.has_arrived(key)) return std::max(refuse(key.peer), 0);
        inbox_.post(key, memory);
        return was_empty && !completions_.empty() ? take_posted(key) : 0;
    }
    /// Takes the only completion if it is that of this receive.
    int take_posted(const message::key& key) {
        const completion& first = completions_.front();
        if (first.error != 0 || !(first.request == key.request)) return 0;
        completions_.pop();
        return already_complete;
    }

    /// Does what there is to do, until something is complete; whether something is.
    bool take_step() {
        look();
        if (completions_.empty() && inbox_.has_copies())
            inbox_.copy_next();  // one, since a copy is as slow as the other rank makes it
        inbox_.rethrow();
        return !completions_.empty();
    }
    completion next_done() {
        idle_ = false;
        const int code = completions_.front().error;
        const bool withdrawn = code == error::peer_left || code == error::withdrawn;
        death_reported_ = withdrawn && !death_reported_ && has_dead_rank();
        if (death_reported_) return death();
        const completion first = completions_.front();
        completions_.pop();
        return first;
    }
    completion death() const { return {{}, error::peer_died, dead_rank_}; }

    /// A rank may have given a message up because another one died: the death is reported first.
    bool has_dead_rank() {
        if constexpr (Group::one_process) return false;
        find_dead();
        return dead_rank_ >= 0;
    }
    /// The same for a message with a rank that has left: it counts as posted, and what is complete next is the death.
    bool blames_dead(rank_t peer) {
        if (unreachable(peer) != error::peer_left || !has_dead_rank()) return false;
        completions_.push(death());
        return true;
    }

    bool can_read(rank_t peer) const {
        return link_errors_[static_cast<std::size_t>(peer)] == 0 && inbox_.has_record(peer);
    }
    void read(rank_t peer) {
        ++activity_;
        if (!inbox_.drain(peer)) lose(peer, error::protocol_violation);
    }
    /// Reads and writes what others have made possible since the last look.
    void look() {
        if (const std::uint32_t wakeups = group_->wakeups(); wakeups != wakeups_) {
            wakeups_ = wakeups;
            ++activity_;
            group_->for_each_waker([this](rank_t r) { look_at(r); });
        } else if (group_->polls()) {  // the records that wake nobody
            for (rank_t r = 0; r < group_->ranks(); ++r)
                if (can_read(r)) read(r);
        }
    }
    void look_at(rank_t peer) {
        if (link_error(peer) != 0) return;
        const int loss = group_->loss_of(peer);  // first: what it wrote before is still to be read
        if (!inbox_.drain(peer) || !outbox_.flush(peer)) lose(peer, error::protocol_violation);
        else if (loss != 0) lose(peer, loss);
    }

    void lose(rank_t peer, int code) {
        link_error(peer) = code;
        note_death(peer);
        inbox_.lose(peer, code);
        outbox_.lose(peer, code);
    }

    void note_death(rank_t peer) {
        if (link_error(peer) == error::peer_died && !acknowledged_[static_cast<std::size_t>(peer)]) dead_rank_ = peer;
    }

    /// Nothing is complete: sees from time to time who is still alive. A death that was known the last time, and
    /// nothing has been complete since, is reported.
    completion probe() { return probe(Group::one_process ? clock::time_point{} : clock::now()); }
    completion probe(clock::time_point now) {
        if (Group::one_process || now < next_probe_) return {};
        next_probe_ = now + probing;
        const bool is_stuck = idle_ && dead_rank_ >= 0;
        idle_ = dead_rank_ >= 0;
        group_->find_dead();
        for (rank_t r = 0; r < group_->ranks(); ++r)  // a peer may have broken a ring, and wakes nobody
            if (link_error(r) == 0 && outbox_.has_waiting(r) && !outbox_.flush(r)) lose(r, error::protocol_violation);
        return is_stuck ? death() : completion{};
    }
    /// As probe(), for a wait: no rank waits in a group that was closed.
    completion end_of_wait(clock::time_point now = clock::now()) {
        if (group_->is_closed()) return {.request = {}, .error = error::closed};
        return probe(now);
    }

    bool has_unsent() {
        for (rank_t r = 0; r < group_->ranks(); ++r)
            if (link_error(r) == 0 && outbox_.has_waiting(r)) return true;
        return false;
    }

    Group* group_;
    message_queue<completion> completions_{64};
    message_outbox<Group> outbox_;
    message_inbox<Group> inbox_;
    std::vector<int> link_errors_;    // why nothing can be exchanged with a rank any more
    std::uint32_t wakeups_ = unseen;  // the count of wakeups at the last look
    std::uint64_t activity_ = 0;      // how often there was something to read or write
    std::vector<bool> acknowledged_;  // deaths that are no longer reported, by rank
    rank_t dead_rank_ = -1;           // one that died, and is not acknowledged
    bool idle_ = false;               // one had died at the last probe, and nothing has been complete since
    int spins_, pauses_;              // how often a wait looks before it sleeps, and without yielding
    const void* owner_ = nullptr;     // of the last post
    std::uint64_t channel_ = 0, epoch_ = 0;
    std::size_t posts_ = 0, reserved_ = 32;  // of this owner and epoch; room for twice as many
    bool death_reported_ = false;            // the death was reported before the next completion
    clock::time_point next_probe_{};
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
