#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/execute/reduction.hpp"
#include "collsched/schedule/detail/memory_area.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

struct completion;

/// A message between two ranks, as executions and transports describe it: its identity, its bytes in the memory of both
/// ends, and the request of each.
struct message {
    /// Memory of a rank: the buffers of a schedule, and staging, where incoming combines wait: `input`, `output`,
    /// `scratch` and `staging`.
    using area = detail::memory_area;

    /// Returns the area of a buffer.
    /// @param b  a buffer
    static constexpr area area_of(buffer b) { return detail::area_of(b); }

    /// Contiguous part of a message in the sender's memory. For transports that register memory it also has the buffer of
    /// the execution that holds it: data - offset is the first byte of the buffer, the same for all messages of a start.
    struct send_part {
        const std::byte* data = nullptr;            ///< address of the first byte
        bytes_t size = 0;                           ///< number of bytes, 0 or more
        message::area area = message::area::input;  ///< input, output or scratch
        bytes_t offset = 0;                         ///< in that buffer, in bytes
    };
    /// Contiguous part of a message in the receiver's memory, as send_part.
    struct receive_part {
        std::byte* data = nullptr;                   ///< address of the first byte
        bytes_t size = 0;                            ///< number of bytes, 0 or more
        message::area area = message::area::output;  ///< output, scratch or staging
        bytes_t offset = 0;                          ///< in that buffer, in bytes
    };

    /// Target of a message that is combined as it arrives, and the operand that it is combined with: `into` itself, or a
    /// range of input.
    struct combined_part {
        receive_part into;                                            ///< target, of the size of the message
        send_part operand;                                            ///< operand, of the size of `into`
        collsched::action action = collsched::action::combine_after;  ///< combine_before or combine_after
        const reduction* op = nullptr;                                ///< valid until the completion

        /// combine_before: into = message op operand; combine_after: into = operand op message. Exceptions of the reduction
        /// pass through.
        /// @param message  into.size bytes, aligned as those of the sender up to 16 bytes, which overlap neither `into` nor
        ///                 `operand`
        void combine(const std::byte* message) const {
            const bool message_first = action == collsched::action::combine_before;
            if (op->combine_into != nullptr)
                return op->combine_into(op->context, into.data, message_first ? message : operand.data,
                                        message_first ? operand.data : message, into.size);
            if (operand.data != into.data) std::memcpy(into.data, operand.data, static_cast<std::size_t>(into.size));
            op->combine(op->context, into.data, message, into.size, action);
        }
        /// Returns whether a message may be received into `into` and combined there by combine_received(). It needs less
        /// memory traffic than combine(), which copies the operand.
        /// @return false: the operand is in `into`, or the reduction has combine_into
        bool combines_received() const { return op->combine_into == nullptr && operand.data != into.data; }
        /// As combine(), of a message that `into` holds. Exceptions of the reduction pass through.
        /// @pre combines_received()
        void combine_received() const {
            const bool message_first = action == collsched::action::combine_before;
            op->combine(op->context, into.data, operand.data, into.size,
                        message_first ? collsched::action::combine_after : collsched::action::combine_before);
        }
        /// Returns the part for the bytes offset .. offset + size - 1 alone: its combine() takes those bytes of the
        /// message.
        /// @pre op->element > 0 divides offset and size; 0 <= offset <= offset + size <= into.size
        /// @param offset  first byte, a multiple of op->element
        /// @param size    number of bytes, a multiple of op->element
        /// @return a part with the same action and reduction
        combined_part range(bytes_t offset, bytes_t size) const {
            return {{into.data + offset, size, into.area, into.offset + offset},
                    {operand.data + offset, size, operand.area, operand.offset + offset},
                    action,
                    op};
        }
    };

    /// Handle of a posted operation: passed to the transport in message::key::request, returned in completion::request. A
    /// default-constructed one refers to no operation.
    struct request {
        void* owner = nullptr;   ///< identifies the execution; transports only compare it
        std::int64_t node = -1;  ///< unique among all requests of the owner, also of its later starts
        /// Callback into the owner, whose type it hides. Call it by deliver().
        void (*notify)(void* owner, const completion&) = nullptr;

        /// Compares owner and node.
        /// @param other  another request
        /// @return whether both are requests of the same operation
        constexpr bool operator==(const message::request& other) const {
            return owner == other.owner && node == other.node;
        }
    };

    /// Identity of a message. A send and a receive match if each is the other's `peer` and channel, epoch and sequence are
    /// equal; fingerprint and request take no part. No two messages in flight between two ranks in one direction have equal
    /// channel, epoch and sequence.
    struct key {
        rank_t peer = 0;            ///< the other end, 0 .. p-1, never the rank itself
        std::uint64_t channel = 0;  ///< different for plans in flight at the same time
        std::uint64_t epoch = 0;    ///< number of the start of the execution; rises by one with every start
        /// 0, 1, ... for the messages of this epoch from one rank to the other, in step order
        std::int64_t sequence = 0;
        /// Fingerprint of the schedule, or 0 at both ends. A transport that carries those of both ends compares them after
        /// the match and, where they differ, completes both operations with an error.
        std::uint64_t fingerprint = 0;
        message::request request{};  ///< returned with the completion
    };

    /// Errors that transports share. They are positive.
    struct error {
        /// Error number of a message, or of a whole transport.
        enum code : int {
            peer_died = 1,           ///< the other rank has ended without leaving
            peer_left = 2,           ///< the other rank has left: regularly, and this message will not complete
            size_mismatch = 3,       ///< a send and its receive are of different sizes
            disagreement = 4,        ///< the two ends run different schedules
            withdrawn = 5,           ///< the other end cancelled the message after the two had met
            no_such_rank = 6,        ///< the other end is no rank of the transport, or the rank itself
            protocol_violation = 7,  ///< the other rank has sent what no rank sends
            combine_failed = 8,      ///< the receiver's reduction threw an exception
            closed = 9,              ///< the transport was closed while a rank waited
            would_block = 10,        ///< nothing can complete any more: waiting would never end
            no_such_channel = 11,  ///< the channel, or another number of the message, is beyond those of the transport
            revoked = 12,          ///< a member of the communicator has revoked it
            first_own = 1000,      ///< smallest number of an error that one transport alone has
        };
    };

    /// The sends that a transport completes as they are posted, as a rule.
    struct buffered_sends {
        bytes_t bytes = 0;          ///< of a message, at most
        std::int64_t messages = 0;  ///< to each rank that have not been received, at most
    };
};

/// Report that a posted operation has ended. Without a request it reports no operation: error 0 means that there is
/// nothing to report, any other error that the whole transport has failed.
struct completion {
    message::request request{};  ///< request of the operation that has ended
    int error = 0;               ///< 0, or a positive number of the transport
    rank_t peer = -1;            ///< rank at fault, or -1

    /// Returns whether it has neither a request nor an error.
    constexpr bool empty() const { return request.owner == nullptr && error == 0; }
};

/// Passes a completion to the execution that posted the operation: for transports that call back, and for loops that
/// drive several executions. A completion without a request has no owner and is ignored: if the whole transport has
/// failed, the program calls fail() of every execution on it. Before it returns, the execution may call any function of
/// the transport, and on_end of the execution: hold no lock and no iterator.
/// @pre called by the thread of the execution, not within a function of the transport that the execution has called;
///      the execution still exists, and transport.cancel() has not been called for it since the post
/// @param c  a completion that the transport has returned, or reports now
inline void deliver(const completion& c) {
    if (c.request.notify != nullptr) c.request.notify(c.request.owner, c);
}

/// Result of a post for an operation that is complete when the post returns, such as a send whose bytes
/// have been copied. No completion follows.
inline constexpr int already_complete = -1;

/// A wait without a time limit. Compare with it; added to a time point it overflows.
inline constexpr std::chrono::nanoseconds forever = std::chrono::nanoseconds::max();

namespace detail {

// One concept per member, so that the compiler can name the one that a transport lacks.
template <class T>
concept has_post_send = requires(T& t, const message::key& key, std::span<const message::send_part> parts) {
    { t.post_send(key, parts) } -> std::same_as<int>;
};
template <class T>
concept has_post_recv = requires(T& t, const message::key& key, std::span<const message::receive_part> parts) {
    { t.post_recv(key, parts) } -> std::same_as<int>;
};
template <class T>
concept has_cancel = requires(T& t, const void* owner) { t.cancel(owner); };
template <class T>
concept has_poll = requires(T& t) {
    { t.poll() } -> std::same_as<completion>;
};
template <class T>
concept has_wait_any = requires(T& t, std::chrono::nanoseconds timeout) {
    { t.wait_any(timeout) } -> std::same_as<completion>;
};
template <class T>
concept has_post_recv_combine = requires(T& t, const message::key& key, const message::combined_part& part) {
    { t.post_recv_combine(key, part) } -> std::same_as<int>;
};
template <class T>
concept has_combines_on_arrival = requires(const T& t) {
    { t.combines_on_arrival() } -> std::same_as<bool>;
};
template <class T>
concept has_acknowledge = requires(T& t, rank_t rank) { t.acknowledge(rank); };
template <class T>
concept has_buffered = requires(const T& t) {
    { t.buffered() } -> std::same_as<message::buffered_sends>;
};
template <class T>
concept has_ended = requires(T& t, const void* owner) { t.ended(owner); };

/// Returns whether an execution over this transport may call post_recv_combine(), if the transport has it.
template <class T>
bool may_combine_on_arrival(const T& transport) {
    if constexpr (has_combines_on_arrival<T>) return transport.combines_on_arrival();
    return true;
}

}  // namespace detail

/// Network of one rank. Only the thread of its executions calls it. No function may throw, except what a reduction
/// throws in message::combined_part::combine.
///
///   int post_send(const message::key&, std::span<const message::send_part>)
///   int post_recv(const message::key&, std::span<const message::receive_part>)
///        Starts a message and returns 0, a positive error, or already_complete. A completion follows only after 0;
///        after an error the execution fails and calls cancel(). A post does not block and delivers no completion. A
///        message consists of the bytes of its parts in order. It may have no parts: it has no bytes and must be
///        matched all the same. Both ends have equally many bytes, divided into parts independently; where sizes
///        differ, the transport completes both operations with an error, except a send that is already complete. The
///        bytes and the array of parts stay valid until completion. Receives and sends are posted in any order, and
///        messages may arrive in any order.
///   void cancel(const void* owner)
///        Withdraws all operations of this owner. Afterwards the transport accesses none of their memory and reports
///        none of them; it may block until then. Operations of the other ends may stay incomplete.
///   int post_recv_combine(const message::key&, const message::combined_part&)
///        Optional: as post_recv, of a message that the sender sends as one part. With it the execution needs no
///        staging for the message; without it the message is received into staging. In this call or a later one by the
///        receiver's thread, but not in cancel(), the transport combines every byte of the message once: by
///        part.combine() with the whole message, or by part.range() with ranges if op->element is not 0. `part` is
///        valid during the post only: copy it. If the reduction throws, both ends complete with an error, except a send
///        that is already complete, and the next poll() or wait_any() throws the exception. A post never throws.
///   bool combines_on_arrival() const
///        Optional: whether executions that are made from now on may call post_recv_combine(). Without it they may.
///   message::buffered_sends buffered() const
///        Optional: which sends are complete as they are posted, as a rule. Executions of plans that have no other sends
///        do their operations in an order that is made once. Without it they assume none.
///   void ended(const void* owner)
///        Optional: called when one run of an execution is done with all its operations complete, not after a failure.
///   void acknowledge(rank_t rank)
///        Optional: polls and waits no longer return the death of this rank as a failure of the whole transport. Its
///        own messages fail as before; messages between other ranks continue. No effect for a living rank. It also
///        covers a death that this rank has not detected yet.
///
/// Errors are positive numbers that the transport defines; executions return them in run_status::error.
template <class T>
concept transport = detail::has_post_send<T> && detail::has_post_recv<T> && detail::has_cancel<T>;

/// A transport that reports completions when it is polled. Executions poll it; a transport that calls back instead
/// passes completions to deliver().
///
///   completion poll()
///        Returns a completion of any owner, or an empty one. Never blocks.
///   completion wait_any(std::chrono::nanoseconds timeout)
///        Blocks until an operation of any owner is complete and returns its completion, or an empty one after the
///        timeout, which is 0 or more, or `forever`. If operations are pending and it detects that none of them can
///        ever complete, it returns a completion without a request and with an error.
template <class T>
concept polled_transport = transport<T> && detail::has_poll<T> && detail::has_wait_any<T>;

/// Returns the sum of the sizes of the parts, in bytes, which must be below 2^63. O(parts).
/// @param parts  parts of a message
/// @return bytes, 0 or more
template <class Part>
constexpr bytes_t total_bytes(std::span<const Part> parts) {
    bytes_t sum = 0;
    for (const Part& part : parts) sum += part.size;
    return sum;
}

}}  // namespace collsched::COLLSCHED_ABI
