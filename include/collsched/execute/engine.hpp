#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>

#include "collsched/execute/bound_buffers.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/execute/reduction.hpp"
#include "collsched/execute/run_status.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// How many messages of a rank may be in flight at once; 0 or less: no bound. Where the transport is one that waits for the
/// receiver (rendezvous), `receives` bounds a rank's in-degree. Bounded messages start in program order (step, source,
/// destination). So no bounds can block: of all messages not complete the first in that order has nothing before it that
/// could take its place at either end.
struct message_limits {
    std::int64_t sends = 0;
    std::int64_t receives = 0;
};

struct execution_options {
    std::uint64_t channel = 0;  ///< of several plans in flight between the same ranks each has its own, alike on all
    std::uint64_t generation =
        0;  ///< the number of the first start, alike on all ranks; it rises by one with every start
    message_limits limits{};
    bool compare =
        true;  ///< the schedule's fingerprint with the other end's; not where each rank knows its own blocks alone
};

/// Runs a plan over a transport: one rank's side. Start it, then call progress() until it is done, or wait(); or, over a
/// transport that calls back, hand every completion to finished(). A plan may be run by many executions, an execution
/// started again and again, and many executions may share a transport, each with a channel of its own. After construction
/// nothing is allocated.
template <class Transport>
class execution {
    static_assert(detail::has_post_send<Transport>,
                  "a transport needs `int post_send(const message_key&, std::span<const const_piece>)`");
    static_assert(detail::has_post_recv<Transport>,
                  "a transport needs `int post_recv(const message_key&, std::span<const piece>)`");
    static_assert(detail::has_cancel<Transport>, "a transport needs `void cancel(const void* owner)`");

  public:
    execution(const plan& plan, Transport& over, execution_options options = {})
        : plan_(&plan),
          transport_(&over),
          how_(options),
          pending_(std::ssize(plan.nodes())),
          out_(std::ssize(plan.sent())),
          in_(std::ssize(plan.received())) {
        for (ready_list* list : {&receives_, &sends_, &others_})
            list->nodes = owned_array<std::int64_t>(pending_.size());
        receives_.most = std::max<std::int64_t>(0, options.limits.receives);
        sends_.most = std::max<std::int64_t>(0, options.limits.sends);
        for (std::int64_t i = 0; i < pending_.size(); ++i)
            if (ready_list& list = list_of(i); list.most > 0 || node(i).waits_for == 0)
                list.nodes[list.first_tail++] = i;
    }
    /// An execution refers to its plan, which must live as long: a temporary one does not.
    execution(const collsched::plan&&, Transport&, execution_options = {}) = delete;
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;
    ~execution() {
        if (running()) transport_->cancel(this);
    }

    /// Binds memory and begins. While running it is an error that ends both starts.
    void start(const bound_buffers& buffers, const reduction& op = {}) {
        if (running()) return fail(already_running);
        bind(buffers);
        reduction_ = op;
        status_ = {.state = run_state::running, .rank = plan_->rank()};
        left_ = pending_.size();
        first_token_ += pending_.size();
        receives_.restart(), sends_.restart(), others_.restart();
        if (plan_->check()) return fail(bad_plan);
        if (plan_->combines() && op.combine == nullptr) return fail(missing_reduction);
        if (plan_->reorders() && op.combine != nullptr && !op.commutative) return fail(not_commutative);
        for (std::int64_t i = 0; i < left_; ++i) pending_[i] = node(i).waits_for;
        advance();
    }

    /// Message-driven entry: takes the end of one message, and starts all that can start because of it. Of an execution
    /// that is not running it is ignored.
    const run_status& finished(const completion& c) {
        if (!running()) return status_;
        const std::int64_t i = c.token.node - first_token_;
        if (c.token.owner == nullptr) {
            fail_somewhere(c.error == 0 ? stalled : c.error, c.peer);
        } else if (c.token.owner != this || i < 0 || i >= pending_.size() || !node(i).is_message()) {
            fail_somewhere(unknown_completion);
        } else if (const plan::node& n = node(i); pending_[i] != in_flight || c.error != 0) {
            fail(pending_[i] == in_flight ? c.error : unknown_completion, plan_->edge_of(n).step, plan_->peer_of(n));
        } else {
            --list_of(i).in_flight;
            complete(i);
            advance();
        }
        return status_;
    }

    /// While this is running: does all that can be done now, without blocking, for every execution on this transport.
    const run_status& progress() {
        static_assert(detail::has_poll<Transport>,
                      "progress() and wait() need a transport with `completion poll()`; others call finished()");
        while (running()) {
            const completion c = transport_->poll();
            if (c.token.owner == nullptr && c.error == 0) break;
            deliver(c);
        }
        return status_;
    }

    /// Blocks until all is done, something failed, or the time is up, which is a failure too. More than a hundred years
    /// are as good as `forever`.
    const run_status& wait(std::chrono::nanoseconds timeout = forever) {
        static_assert(detail::has_wait_any<Transport>,
                      "wait() needs a transport with `completion wait_any(std::chrono::nanoseconds)`");
        using clock = std::chrono::steady_clock;
        constexpr std::chrono::nanoseconds now(0);
        const bool endless = timeout > forever / 2;
        const clock::time_point until = endless ? clock::time_point::max() : clock::now() + std::max(timeout, now);
        const auto left = [&] { return endless ? forever : std::max(until - clock::now(), now); };
        while (progress().state == run_state::running) {
            const completion c = transport_->wait_any(left());
            if (c.token.owner == nullptr && c.error == 0) fail_somewhere(endless ? stalled : timed_out);
            else deliver(c);
        }
        return status_;
    }

    const run_status& state() const { return status_; }
    /// The number of the next start, or of the one under way.
    std::uint64_t generation() const { return how_.generation; }

    /// Ends a start that will not be finished, because another rank has failed, say. It counts as a start.
    void cancel() {
        if (running()) fail(cancelled);
    }

  private:
    static constexpr std::int64_t in_flight = -1, complete_now = -2;  // in pending_, beside how many are waited for

    /// Nodes that may start, first come first served; every node enters once a start, those that wait for nothing first.
    /// Where their number in flight is bounded: all of them in program order, of which those at the head that may start do.
    struct ready_list {
        owned_array<std::int64_t> nodes;
        std::int64_t first_tail = 0;  // behind those that are there from the beginning
        std::int64_t head = 0, tail = 0;
        std::int64_t most = 0, in_flight = 0;

        void restart() {
            head = in_flight = 0;
            tail = first_tail;
        }
    };

    bool running() const { return status_.state == run_state::running; }
    const plan::node& node(std::int64_t i) const { return plan_->nodes()[static_cast<std::size_t>(i)]; }
    ready_list& list_of(std::int64_t i) {
        const plan::kind kind = node(i).kind;
        return kind == plan::kind::receive ? receives_ : kind == plan::kind::send ? sends_ : others_;
    }

    /// Finds the pieces of all messages, unless they are where they were.
    void bind(const bound_buffers& buffers) {
        if (bound_ && buffers == buffers_) return;
        bound_ = true;
        buffers_ = buffers;
        for (std::int64_t k = 0; k < out_.size(); ++k)
            out_[k] = buffers_.readable(plan_->sent()[static_cast<std::size_t>(k)]);
        for (std::int64_t k = 0; k < in_.size(); ++k)
            in_[k] = buffers_.writable(plan_->received()[static_cast<std::size_t>(k)]);
    }

    void enqueue(std::int64_t i) {
        if (ready_list& list = list_of(i); list.most == 0) list.nodes[list.tail++] = i;
    }
    /// The next node of a list that may start; -1: none.
    std::int64_t take(ready_list& list) {
        if (list.head == list.tail) return -1;
        if (list.most > 0 && (list.in_flight >= list.most || pending_[list.nodes[list.head]] != 0)) return -1;
        return list.nodes[list.head++];
    }

    /// Starts whatever is ready: sends and receives in turns, so that what an exchange sends is on its way while its
    /// receive is posted, before local work, which can be long.
    void advance() {
        for (bool send = true; left_ > 0 && running(); send = !send) {
            std::int64_t i = take(send ? sends_ : receives_);
            if (i < 0) i = take(send ? receives_ : sends_);
            if (i >= 0) post(i);
            else if ((i = take(others_)) >= 0) work(i);
            else break;
        }
        if (!running()) return;
        if (left_ == 0) {
            status_.state = run_state::done;
            ++how_.generation;
        } else if (receives_.in_flight + sends_.in_flight == 0) {
            fail(stalled);
        }
    }

    void post(std::int64_t i) {
        const plan::node& n = node(i);
        const message_key key{
            plan_->peer_of(n),       how_.channel, how_.generation, n.sequence, how_.compare ? plan_->fingerprint() : 0,
            {this, first_token_ + i}};
        const bool sends = n.kind == plan::kind::send;
        const auto count = static_cast<std::size_t>(n.pieces);
        ready_list& list = sends ? sends_ : receives_;
        pending_[i] = in_flight;
        ++list.in_flight;
        const int error = sends ? transport_->post_send(key, {out_.begin() + n.first_piece, count})
                                : transport_->post_recv(key, {in_.begin() + n.first_piece, count});
        if (error == already_complete) {
            --list.in_flight;
            complete(i);
        } else if (error != 0) {
            fail(error, plan_->edge_of(n).step, key.peer);
        }
    }

    void work(std::int64_t i) {
        const plan::node& n = node(i);
        if (n.kind != plan::kind::join && plan_->edge_of(n).size > 0) {
            const edge& e = plan_->edge_of(n);
            std::byte* into = buffers_.writable({area_of(e.into), e.into_offset, e.size}).data;
            const std::byte* from = n.kind == plan::kind::apply
                                        ? buffers_.staging + n.staged
                                        : buffers_.readable({area_of(e.from), e.from_offset, e.size}).data;
            if (e.combines()) reduction_.combine(reduction_.context, into, from, e.size, e.action);
            else std::memcpy(into, from, static_cast<std::size_t>(e.size));
        }
        complete(i);
    }

    /// A completion belongs to whoever posted the message, over this transport.
    void deliver(const completion& c) {
        if (c.token.owner != nullptr) static_cast<execution*>(c.token.owner)->finished(c);
        else finished(c);
    }

    void complete(std::int64_t i) {
        pending_[i] = complete_now;
        --left_;
        for (const std::int64_t next : plan_->successors(i))
            if (--pending_[next] == 0) enqueue(next);
    }

    void fail(int error, step_t step = -1, rank_t peer = -1) {
        status_ = {run_state::failed, error, step, plan_->rank(), peer};
        ++how_.generation;
        transport_->cancel(this);
    }

    /// A failure of no message in particular: the first one in flight shows where the plan stands, of those with `peer` if
    /// there are any.
    void fail_somewhere(int error, rank_t peer = -1) {
        std::int64_t found = -1;
        for (std::int64_t i = pending_.size(); i-- > 0;)
            if (pending_[i] == in_flight &&
                (peer < 0 || found < 0 || plan_->peer_of(node(i)) == peer || plan_->peer_of(node(found)) != peer))
                found = i;
        if (found < 0) return fail(error, -1, peer);
        fail(error, plan_->edge_of(node(found)).step, peer < 0 ? plan_->peer_of(node(found)) : peer);
    }

    const plan* plan_;
    Transport* transport_;
    execution_options how_;
    bound_buffers buffers_;
    bool bound_ = false;  // the pieces are of these buffers
    reduction reduction_;
    run_status status_;
    owned_array<std::int64_t> pending_;  // how many nodes are waited for, in_flight or complete_now
    owned_array<const_piece> out_;
    owned_array<piece> in_;
    ready_list receives_, sends_, others_;
    std::int64_t left_ = 0;
    std::int64_t first_token_ = 0;  // of this start: a late completion of another one is not taken for one of its own
};

}}  // namespace collsched::COLLSCHED_ABI
