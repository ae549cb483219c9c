#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/execute/processes.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched::preload {

/// Messages between the processes of a node: those of process_group::transport with the lengths of MPI, and the search for
/// calls whose ranks disagree. A rank that waits polls, and never sleeps. The death of a rank ends the messages with it.
///
/// The high bits of a sequence number are the pattern of a call: a number that is equal on ranks whose plans have matching
/// messages. Messages of other patterns never match.
class node_transport {
  public:
    /// Least size in bytes of a message that is read from the memory of its sender.
    static constexpr bytes_t single_copy_from = 24576;
    /// Number of bits of a sequence number. Those above are the pattern.
    static constexpr int sequence_bits = 32;

    /// Transport of the member. @param group  membership, which outlives the transport
    explicit node_transport(process_group& group);
    node_transport(const node_transport&) = delete;
    node_transport& operator=(const node_transport&) = delete;

    /// Returns the first rank whose memory this one cannot read, or -1. All ranks have joined. Errno has the reason, or 0.
    rank_t first_unreadable();

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return over_.post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return over_.post_recv(key, parts);
    }
    int post_recv_combine(const message::key& key, const message::combined_part& part) {
        return over_.post_recv_combine(key, part);
    }
    /// Receives the message without posting a receive, if it is the next record of its sender and short. Returns whether
    /// it was.
    template <class Memory>
    bool take_next(const message::key& key, const Memory& memory) {
        return over_.take(key, memory) == already_complete;
    }
    completion poll() {
        const completion one = over_.poll_messages();
        return one.error == 0 && one.request.owner != this ? one : explained(one);
    }
    /// Messages that are complete arrive all the same.
    void cancel(const void* owner) {
        over_.ended(owner);
        over_.cancel(owner);
    }
    /// Ends all messages with ranks that have died. Takes a system call per rank.
    void find_dead() { over_.find_dead(); }
    /// Reads what other ranks have announced, at some of the calls: else these messages would take the room of others.
    void count_call() {
        if (++calls_ % 16 == 0) read_announcements();
    }
    /// Ends all messages that wait in calls where another rank has another pattern, with size_mismatch.
    /// @param announces  the other ranks receive the patterns of the calls in which this rank waits
    void find_other_patterns(bool announces);

  private:
    /// A call, and the messages that a rank has in it. Its announcement is a message of no bytes that has no receive: its
    /// name has it all.
    struct call {
        std::uint64_t channel = 0, epoch = 0, pattern = 0;

        bool is(const call& other) const { return channel == other.channel && epoch == other.epoch; }
        bool operator==(const call&) const = default;
    };

    static call call_of(const message::key& name) {
        return {name.channel, name.epoch, static_cast<std::uint64_t>(name.sequence) >> sequence_bits};
    }
    struct difference {
        call of;
        int looks = 1;  ///< that have found it
    };

    completion explained(completion one);
    void read_announcements();
    void remember(const call& announced);
    bool has_other_pattern(const call& mine);
    void look_for_pattern(const call& mine, bool announces);
    int looks_with_difference(const call& mine) const;
    void announce_pattern(const call& mine);

    process_group* group_;
    process_group::transport over_;
    unsigned calls_ = 0;
    std::vector<call> waited_for_;       ///< calls in which other ranks wait, the last of them
    std::vector<difference> different_;  ///< calls in which ranks have different patterns, the last of them
};

}  // namespace collsched::preload
