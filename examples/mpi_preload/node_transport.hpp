#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/execute/shared_memory/detail/message_target.hpp"
#include "collsched/execute/shared_memory/detail/message_pool.hpp"
#include "collsched/execute/shared_memory/process_group.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched::preload {

using ring_record = collsched::detail::ring_record;
using ring_entry = collsched::detail::ring_entry;

/// Messages between the processes of a node, through the rings of a process_group. It differs from
/// process_group::transport in three ways. A small message is complete as soon as it is in the ring. A rank that waits
/// polls, and never sleeps. Names of messages are never used again, so that they need no fingerprint.
///
/// The sender of a large message announces it, and writes its bytes when the receiver has requested them. A receiver
/// keeps up to `most_early` small messages of each rank that arrive before their receive is posted; further ones are
/// announced. So neither end waits for the order in which the other posts its messages. With single copy the receiver
/// of an announced message of `single_copy_from` bytes or more reads it from the sender's memory instead.
///
/// The content of the rings is not trusted. A record that no correct rank writes ends all messages with its writer with
/// peer_died, as does its death. A message that is longer than its receive ends with size_mismatch at the receiver and
/// without an error at the sender, as in MPI. So does a shorter one if the receive has a fingerprint or combines; else the rest of the
/// receive's memory is left as it is.
class node_transport {
  public:
    /// Largest number of small messages to a rank that it may not have matched.
    static constexpr int most_early = 256;
    /// Least size in bytes of a message that is read from the memory of its sender.
    static constexpr bytes_t single_copy_from = 24576;

    /// Transport of the member. @param group  membership, which outlives the transport
    explicit node_transport(process_group& group);
    node_transport(const node_transport&) = delete;
    node_transport& operator=(const node_transport&) = delete;

    /// Makes receivers read long messages from the memory of their senders. All ranks call it before the first message,
    /// or none. @param processes  per rank
    void use_single_copy(std::vector<pid_t> processes);

    int post_send(const message_key& key, std::span<const send_part> parts);
    int post_recv(const message_key& key, std::span<const receive_part> parts);
    int post_recv_combine(const message_key& key, const combined_part& part);
    /// Receives the message without posting a receive, if it is the next record of its sender and short. Returns whether
    /// it was. It matches no receive that was posted before, since names are not used again.
    template <class Memory>
    bool take_next(const message_key& key, const Memory& memory);
    completion poll() {
        if (done_.empty()) look();
        if (done_.empty()) return {};
        const completion first = done_.front();
        done_.pop();
        return first;
    }
    void cancel(const void* owner);
    /// Ends all messages with ranks that have died. Takes a system call per rank.
    void find_dead();
    /// Ends all messages that wait in calls where another rank has another pattern, with size_mismatch.
    /// @param announces  the other ranks receive the patterns of the calls in which this rank waits
    void find_other_patterns(bool announces);

    /// Number of bits of a sequence number. Those above are the pattern: a number that is equal on ranks whose plans have
    /// matching messages. Messages of other patterns never match.
    static constexpr int sequence_bits = 32;

  private:
    enum kind : std::uint32_t {
        small = 1,     ///< a message. id: channel; value: epoch; body: sequence and all bytes
        announce = 2,  ///< a message whose bytes stay with the sender. id: channel; value: epoch; body: announcement
        request = 3,   ///< of those bytes. id: the send's; value: the receive's; 0: the receive does not fit
        part = 4,      ///< some of them. id: the receive's
        credit = 5,    ///< value: number of small messages that have been matched
        gone = 6,      ///< the send of a request has been cancelled. id: the receive's
        copied = 7,    ///< the bytes have been read by single copy. id: the send's; value: 1, or 0 after a failure
        waits = 8,  ///< the rank waits in a call. id: channel; value: epoch; body: announcement with the pattern alone
    };
    static constexpr bytes_t sequence_bytes = sizeof(std::int64_t);
    struct announcement {
        std::int64_t sequence = 0;
        bytes_t size = 0;
        std::uint64_t send = 0;
        std::uint64_t data = 0;   ///< address of the bytes; 0: they are in several parts
        std::uint64_t guard = 0;  ///< address of a std::uint64_t that is `send` while the bytes may be read
    };
    /// A message that this rank reads from the memory of another.
    struct copy {
        rank_t peer = 0;
        std::uint64_t receive = 0;
        announcement about;
    };
    /// A record that waits for room in a ring. The bytes of a small message are those of its send.
    struct note {
        ring_record head;
        announcement about;
    };
    struct outgoing {
        std::uint64_t id = 0;
        collsched::detail::message_name name;
        message_request request;
        std::span<const send_part> parts;
        std::uint64_t receive = 0;  ///< of the peer, once it has requested the bytes
        collsched::detail::part_walk<send_part> next;
        bytes_t left = 0;
        int found_wrong = 0;  ///< how often its call was found to have different patterns
    };
    struct incoming {
        std::uint64_t id = 0;
        collsched::detail::message_name name;
        message_request request;
        collsched::detail::message_target target;
        bool requested = false;
        bool exact = false;    ///< a shorter message is an error
        bool matched = false;  ///< its message has been announced
    };
    /// A message that no receive has been posted for.
    struct arrival {
        std::uint64_t id = 0;
        collsched::detail::message_name name;
        announcement about;            ///< `send` is 0 for a small message
        std::vector<std::byte> bytes;  ///< of a small message
    };
    struct stream {
        std::uint64_t send = 0, receive = 0;
    };
    /// A call, and the messages that a rank has in it.
    struct call {
        std::uint64_t channel = 0, epoch = 0, pattern = 0;

        bool is(const call& other) const { return channel == other.channel && epoch == other.epoch; }
        bool operator==(const call&) const = default;
    };
    struct link {
        collsched::detail::ring_writer out;
        collsched::detail::ring_reader in;
        collsched::detail::message_queue<note> waiting;
        collsched::detail::message_queue<stream> streams;
        int unmatched = 0;  ///< small messages that the peer has not matched
        int owed = 0;       ///< credits for the peer
        int early = 0;      ///< small messages of the peer that wait for their receives
        int announced = 0;  ///< its announced messages that wait for their receives
        bool broken = false;
    };

    link& of(rank_t peer) { return links_[static_cast<std::size_t>(peer)]; }
    static std::byte* write_small(link& to, const message_key& key, std::span<const send_part> parts, bytes_t size);
    template <class Memory>
    int receive(const message_key& key, const Memory& memory);
    static void aim(collsched::detail::message_target& target, std::span<const receive_part> parts) {
        target.copy_into(parts);
    }
    static void aim(collsched::detail::message_target& target, const combined_part& part) { target.combine_into(part); }
    static bool fit(incoming& receive, bytes_t size);
    int meet(incoming& receive, arrival& early);

    void look();
    bool drain(rank_t peer);
    bool read(rank_t peer, const ring_entry& record);
    bool arrive_small(rank_t peer, const ring_entry& record);
    bool arrive_announced(rank_t peer, const ring_entry& record);
    bool begin_stream(rank_t peer, const ring_entry& record);
    bool fill(rank_t peer, const ring_entry& record);
    bool end_receive(rank_t peer, const ring_entry& record);
    void give_credit(rank_t peer);
    void decline(rank_t peer, std::uint64_t send);
    void request_bytes(incoming& receive, const announcement& about);
    void copy_next();
    bool end_send(rank_t peer, const ring_entry& record);

    void send_note(rank_t peer, const note& one);
    bool write(rank_t peer, const note& one);
    bool write(rank_t peer, const stream& one);
    void flush(rank_t peer);
    void lose(rank_t peer);

    static call call_of(const collsched::detail::message_name& name) {
        return {name.channel, name.generation, static_cast<std::uint64_t>(name.sequence) >> sequence_bits};
    }
    static void remember(std::vector<call>& kept, const call& one);
    bool has_other_pattern(const call& mine);
    bool ends_for_pattern(const call& mine, bool announces);
    int error_of_lost(const call& mine);
    void drop_arrivals(const call& mine);
    void announce_pattern(const call& mine);
    bool note_pattern(const ring_entry& record);

    template <class Message>
    void finish(collsched::detail::message_pool<Message>& pool, Message& one, int error) {
        done_.push({one.request, error, one.name.peer});
        pool.give_back(one);
    }

    process_group* group_;
    rank_t rank_, ranks_;
    bytes_t longest_small_, longest_part_;
    std::vector<link> links_;
    collsched::detail::message_pool<outgoing> sends_;
    collsched::detail::message_pool<incoming> receives_;
    collsched::detail::message_pool<arrival> arrivals_;
    collsched::detail::message_queue<completion> done_{64};
    std::vector<pid_t> processes_;  ///< per rank; empty: no single copy
    collsched::detail::message_queue<copy> copies_;
    std::vector<call> waited_for_;  ///< calls in which other ranks wait, the last of them
    std::vector<call> different_;   ///< calls in which ranks have different patterns, the last of them
};

}  // namespace collsched::preload
