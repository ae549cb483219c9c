#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "collsched/execute/communicator.hpp"
#include "collsched/execute/detail/control_links.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Result of an agreement, equal on all members for which it ends.
struct agreement_result {
    /// Bitwise AND of the flags of all members that are not in `failed`, and of some that are.
    std::uint64_t flags = 0;
    std::vector<rank_t> failed{};  ///< ranks of the communicator that have failed, ascending
    std::uint64_t children = 0;    ///< number of the child that shrink() makes
    int error = 0;                 ///< 0, or the failure of the transport, which ends it at this member alone
};

}  // namespace detail

/// Communicator whose members continue after some of them have died, with the operations of MPI's User Level Failure
/// Mitigation. It is a transport of the members: executions take it where they take a transport. All members make it,
/// of a communicator that has no other use than this and its channels.
///
/// After a member has failed, executions may end with the error of the transport, at some members only. revoke() ends
/// those of all members; agree() lets the living members decide on a value; shrink() makes a communicator of them. All
/// three work after failures, during failures, and after revoke().
///
/// A member has failed when a receive from it ends with an error: it has died or has left the transport. The guarantees
/// require a transport that reports this on every living rank, and for no rank that goes on (a perfect failure
/// detector). A rank that hangs has not failed, and operations wait for it. docs/failures.md states the guarantees.
///
/// Control messages progress whenever the rank polls the transport, by any execution. They use one channel, a posted
/// receive from each member, and 40 + p/8 bytes per message. The object may go after an
/// agreement has ended, such as that of shrink(): then no living member needs it any more.
/// Source: W. Bland, A. Bouteiller, T. Herault, G. Bosilca, J. Dongarra, Post-failure recovery of MPI communication
/// capability, Int. J. High Performance Computing Applications 27(3), 2013.
template <polled_transport Inner>
class resilient_communicator {
  public:
    using agreement = detail::agreement_result;  ///< result of agree(), equal for all transports

    /// Makes the communicator. All members do so, in the same order as they make others. O(p) messages are posted.
    /// @param members  communicator with ranks that no other resilient_communicator has, such as `world.dup()`
    explicit resilient_communicator(const communicator<Inner>& members) : links_(std::make_unique<links>(members)) {}

    /// Returns the communicator: ranks, rank, and the channels of executions over this transport.
    /// @return reference that is valid as long as this object
    communicator<Inner>& members() { return links_->members(); }

    /// Ends the operations of all members on this communicator with `revoked`, now and later (MPI_Comm_revoke). Any
    /// member may call it, alone. It returns at once. p messages per member.
    /// @post  if this member lives until its messages are sent, or a living member has received one, the operations of
    ///        all living members end
    void revoke() {
        revoke({.state = run_status::phase::failed, .error = message::error::revoked, .rank = members().rank()});
    }
    /// As above, after a failure.
    /// @param cause  status that cause() returns on all members; its rank is that of this member
    void revoke(const run_status& cause) { links_->revoke(cause); }
    /// Returns the cause of the first revocation that this member has called or received. It is not checked.
    /// @return the status that was given to revoke(); state idle if there was none
    const run_status& cause() const { return links_->cause(); }
    /// Waits until the living members have received the messages of revoke(), for a member that is about to leave.
    /// @param timeout  longest time to wait
    /// @return false: the time was up first
    bool flush(std::chrono::nanoseconds timeout) {
        const auto start = std::chrono::steady_clock::now();
        while (links_->has_outgoing()) {
            const completion c = filtered(transport().poll());
            if (c.request.owner != nullptr) deliver(c);
            else if (c.error != 0 || std::chrono::steady_clock::now() - start > timeout) return false;
            else std::this_thread::yield();
        }
        return true;
    }
    /// Returns whether this member has called or received revoke() (MPI_Comm_is_revoked).
    bool is_revoked() const { return links_->is_revoked(); }

    /// Returns the members that this rank has found failed, in the order of detection (MPI_Comm_get_failed).
    /// @return ranks of this communicator; valid until the transport is polled
    std::span<const rank_t> get_failed() const { return links_->failed(); }
    /// Acknowledges the members that get_failed() returns (MPI_Comm_ack_failed): they end no execution of this rank any
    /// more, except those that exchange messages with them.
    void ack_failed() { acknowledged_ = links_->failed().size(); }

    /// Begins an agreement (MPI_Comm_iagree). All living members begin it; test() progresses it.
    /// @pre no other agreement of this communicator is running on this rank
    /// @param flags  bits of this member
    void iagree(std::uint64_t flags) {
        result_ = {};
        links_->start(flags);
    }
    /// Handles all completions that are available. Never blocks.
    /// @return true: the agreement has ended with result()
    bool test() {
        while (result_.error == 0 && !links_->has_ended()) {
            const completion c = filtered(transport().poll());
            if (c.empty()) return false;
            pass(c);
        }
        return true;
    }
    /// Returns the result of the last agreement. @pre test() has returned true
    agreement result() const {
        const detail::agreement_value& value = links_->protocol().decision();
        agreement result{.flags = value.flags, .failed = {}, .children = value.children, .error = result_.error};
        for (rank_t r = 0; r < links_->protocol().ranks() && result.error == 0; ++r)
            if (value.has_failed(r)) result.failed.push_back(r);
        return result;
    }
    /// Agrees with the living members (MPI_Comm_agree). Blocks until all of them take part.
    /// @param flags  bits of this member
    /// @return result, equal on all members for which it ends
    agreement agree(std::uint64_t flags) {
        iagree(flags);
        while (!test()) pass(filtered(transport().wait_any(forever)));
        return result();
    }

    /// Makes a communicator of the living members, in the same order (MPI_Comm_shrink). All living members call it.
    /// Blocks as agree(). Failure: if the transport fails, or its ids are used up, the result has no ranks or
    /// bad_argument is thrown.
    /// @return communicator, equal on all members for which it ends
    resilient_communicator shrink() { return shrink(agree(0)); }
    /// Makes a communicator of the members that are not in `failed` of an agreement. All living members call it with
    /// the result of the same agreement. Sends nothing.
    /// @param result  result of an agreement; without ranks if it has an error
    /// @return as above
    resilient_communicator shrink(const agreement& result) {
        if (result.error != 0) return resilient_communicator(communicator<Inner>());
        std::vector<rank_t> living;
        for (rank_t r = 0, i = 0; r < members().ranks(); ++r)
            if (i < std::ssize(result.failed) && result.failed[static_cast<std::size_t>(i)] == r) ++i;
            else living.push_back(r);
        return resilient_communicator(members().subset(living, result.children));
    }

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return is_revoked() ? message::error::revoked : members().post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return is_revoked() ? message::error::revoked : members().post_recv(key, parts);
    }
    int post_recv_combine(const message::key& key, const message::combined_part& part)
        requires detail::has_post_recv_combine<Inner>
    {
        return is_revoked() ? message::error::revoked : members().post_recv_combine(key, part);
    }
    completion poll() { return reported(filtered(transport().poll())); }
    completion wait_any(std::chrono::nanoseconds timeout) {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        completion next = poll();
        while (next.empty()) {
            const auto spent = std::chrono::nanoseconds(timeout == forever ? 0 : (clock::now() - start).count());
            if (spent > timeout) return {};
            const completion c = transport().wait_any(timeout - spent);
            next = reported(filtered(c));
            if (c.empty()) return next;
        }
        return next;
    }
    void cancel(const void* owner) { members().cancel(owner); }
    bool combines_on_arrival() const
        requires detail::has_combines_on_arrival<Inner>
    {
        return links_->members().combines_on_arrival();
    }
    message::buffered_sends buffered() const
        requires detail::has_buffered<Inner>
    {
        return links_->members().buffered();
    }
    void ended(const void* owner)
        requires detail::has_ended<Inner>
    {
        members().ended(owner);
    }

  private:
    using links = detail::control_links<Inner>;

    Inner& transport() { return members().transport(); }

    /// Removes the reports of deaths by the transport: each communicator reports those of its own members.
    completion filtered(completion c) {
        if constexpr (detail::has_acknowledge<Inner>)
            if (c.request.owner == nullptr && c.error != 0 && c.peer >= 0) {
                transport().acknowledge(c.peer);
                return {};
            }
        c.peer = members().rank_of(c.peer);
        return c;
    }
    /// Adds revocation, and the death of a member that is not acknowledged.
    completion reported(const completion& c) const {
        if (!c.empty()) return c;
        if (is_revoked()) return {{}, message::error::revoked, -1};
        const std::vector<rank_t>& failed = links_->failed();
        return failed.size() == acknowledged_ ? c : completion{{}, links_->failure(), failed[acknowledged_]};
    }
    void pass(const completion& c) {
        if (c.request.owner != nullptr) deliver(c);
        else if (c.error != 0) result_.error = c.error;
    }

    std::unique_ptr<links> links_;
    std::size_t acknowledged_ = 0;  // of the failed members
    agreement result_;
};

}}  // namespace collsched::COLLSCHED_ABI
