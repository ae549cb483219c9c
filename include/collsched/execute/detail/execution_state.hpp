#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <vector>

#include "collsched/execute/plan_buffers.hpp"
#include "collsched/execute/execution_options.hpp"
#include "collsched/execute/local_executor.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/execute/detail/plan_operations.hpp"
#include "collsched/execute/run_status.hpp"
#include "collsched/execute/detail/prepared_order.hpp"
#include "collsched/execute/detail/ready_list.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The state of an execution. Its address is the owner of the requests that it posts, so it does not move.
template <class Transport, class Local>
class execution_state {
  public:
    execution_state(const plan& plan, Transport& transport, Local& local, const execution_options& options)
        : plan_(&plan),
          transport_(&transport),
          local_(&local),
          options_(options),
          operations_(plan, can_fuse && options.limits.receives <= 0 && may_combine_on_arrival(transport)),
          pending_(std::ssize(plan.nodes())),
          send_parts_(std::ssize(plan.sent())),
          receive_parts_(std::ssize(plan.received())),
          ready_(pending_.size(), options.limits.receives, options.limits.sends) {
        prepare();
        for (std::int64_t i = 0; i < pending_.size(); ++i)
            if (ready_list& list = list_of(i); list.limit > 0 || node(i).waits_for == 0) list.begin_with(i);
    }
    execution_state(const execution_state&) = delete;
    execution_state& operator=(const execution_state&) = delete;
    ~execution_state() {
        if (running()) release();
    }

    /// Names the starts that follow, if none is running.
    void name(const execution_options::start_name& next) {
        if (!running()) options_.epoch = next.number, values_ = next.values;
    }
    void start(const plan::buffers& buffers, const reduction& op) {
        if (running()) return refuse(already_running);
        bind(buffers);
        reduction_ = op;
        if (status_.failed())  // nothing of the last start is in flight any more
            for (std::int64_t& pending : pending_) pending = is_complete;
        status_ = {.state = run_status::phase::running, .rank = plan_->rank()};
        reported_ = false;
        first_request_ += pending_.size();
        if (const int error = start_error(*plan_, buffers, op); error != 0) return refuse(error);
        if (steps_.empty()) {
            restart();
            advance();
        } else {
            fingerprint_ = fingerprint();
            walk_from(0);
        }
        report();
    }

    void complete(const completion& c) {
        if (!running()) return;
        const std::int64_t i = c.request.node - first_request_;
        if (c.request.owner == nullptr) return fail(c.error == 0 ? stalled : c.error, c.peer);
        if (c.request.owner != this || i < 0 || i >= pending_.size()) return fail(unknown_completion);
        if (pending_[i] != in_flight || c.error != 0) {
            end(pending_[i] == in_flight ? c.error : unknown_completion, i);
        } else if (next_ >= 0) {
            pending_[i] = is_complete;
            walk_from(next_ + 1);
        } else {
            --list_of(i).in_flight;
            release_successors(i);
            advance();
        }
        report();
    }

    /// Ends the start with the error, and with step and peer of the first operation in flight: with `peer` if there is one.
    void fail(int error, rank_t peer = -1) {
        if (!running()) return;
        std::int64_t failed_node = -1;
        for (std::int64_t i = pending_.size(); i-- > 0;)
            if (pending_[i] == in_flight && reported_node(i).is_message() &&
                (peer < 0 || failed_node < 0 || plan_->peer_of(reported_node(i)) == peer ||
                 plan_->peer_of(reported_node(failed_node)) != peer))
                failed_node = i;
        end(error, failed_node, peer);
        report();
    }

    std::vector<awaited_operation> missing() const {
        std::vector<awaited_operation> operations;
        for (std::int64_t i = 0; running() && i < pending_.size(); ++i) {
            if (pending_[i] != in_flight) continue;
            const plan::node& n = reported_node(i);
            const edge& e = plan_->edge_of(n);
            if (n.is_message())
                operations.push_back({e.step, plan_->peer_of(n), plan_->bytes_of(n), n.kind == plan::kind::send});
            else operations.push_back({e.step, plan_->rank(), e.size, false});
        }
        return operations;
    }

    void on_end(void (*function)(void* context, const run_status& end), void* context) {
        options_.on_end = function;
        options_.on_end_context = context;
    }

    bytes_t staging_bytes() const { return operations_.staging_bytes(); }

    bytes_t footprint() const {
        return static_cast<bytes_t>(sizeof(*this)) + pending_.footprint() + send_parts_.footprint() +
               receive_parts_.footprint() + steps_.footprint() + order_.footprint() + ready_.footprint();
    }

    bool running() const { return status_.state == run_status::phase::running; }
    bool has_local_work() const { return next_ < 0 && ready_.local_work.in_flight > 0; }
    const run_status& status() const { return status_; }
    std::uint64_t epoch() const { return options_.epoch; }
    Transport& transport() { return *transport_; }
    Local& local() { return *local_; }

  private:
    static constexpr bool can_fuse = has_post_recv_combine<Transport> && std::same_as<Local, immediate_executor>;
    static constexpr std::int64_t in_flight = -1, is_complete = -2;  // in pending_, beside the number of waits

    const plan::node& node(std::int64_t i) const { return operations_.node(i); }
    const plan::node& reported_node(std::int64_t i) const { return operations_.reported_node(i); }
    ready_list& list_of(std::int64_t i) {
        const plan::kind kind = reported_node(i).kind;
        return kind == plan::kind::receive ? ready_.receives
               : kind == plan::kind::send  ? ready_.sends
                                           : ready_.local_work;
    }
    message::request request_of(std::int64_t i) {
        return {this, first_request_ + i,
                [](void* owner, const completion& c) { static_cast<execution_state*>(owner)->complete(c); }};
    }

    /// Finds the parts of all messages, unless the buffers are those of the last start.
    void bind(const plan::buffers& buffers) {
        if (bound_ && buffers == buffers_) return;
        bound_ = true;
        buffers_ = buffers;
        for (std::int64_t k = 0; k < send_parts_.size(); ++k)
            send_parts_[k] = buffers_.readable(plan_->sent()[static_cast<std::size_t>(k)]);
        for (std::int64_t k = 0; k < receive_parts_.size(); ++k)
            receive_parts_[k] = buffers_.writable(plan_->received()[static_cast<std::size_t>(k)]);
        if constexpr (can_fuse)
            for (prepared_step& s : steps_)
                if (s.kind == plan::kind::apply && operations_.is_fused(s.node))
                    s.combined = operations_.combined(s.node, buffers_, reduction_);
    }

    /// Makes the steps of a prepared start, if the transport completes all sends of the plan as they are posted.
    void prepare() {
        if constexpr (has_buffered<Transport> && std::same_as<Local, immediate_executor>) {
            if (options_.limits.receives > 0 || options_.limits.sends > 0) return;
            if (!are_buffered(*plan_, transport_->buffered())) return;
            order_ = prepared_order(*plan_, operations_);
            steps_ = prepared_steps(operations_, order_, send_parts_, receive_parts_,
                                    [this](std::int64_t i) { return key_of(i); });
        }
    }

    void restart() {
        next_ = -1;
        remaining_ = pending_.size();
        ready_.restart();
        for (std::int64_t i = 0; i < remaining_; ++i) pending_[i] = node(i).waits_for;
    }

    /// Does the steps of a prepared start from this one on, up to a receive that is not complete.
    void walk_from(std::int64_t at) {
        for (next_ = at; next_ < steps_.size(); ++next_) {
            prepared_step& s = steps_[next_];
            s.key.epoch = options_.epoch;
            s.key.fingerprint = fingerprint_;
            s.key.request.node = first_request_ + s.node;
            const int error = take(s);
            if (error == already_complete) continue;
            pending_[s.node] = in_flight;
            if (error != 0) return end(error, s.node);
            if (s.kind == plan::kind::send) leave_order(s.place);
            return;
        }
        succeed();
    }
    int take(const prepared_step& s) {
        switch (s.kind) {
            case plan::kind::send: return transport_->post_send(s.key, s.from);
            case plan::kind::receive: return transport_->post_recv(s.key, s.into);
            case plan::kind::apply:
                if constexpr (can_fuse)
                    if (s.combined.op != nullptr) return transport_->post_recv_combine(s.key, s.combined);
                [[fallthrough]];
            default: return submit(s.node);
        }
    }
    /// A send is in flight, so what follows is done as it becomes ready.
    /// @param place  of the send in the order
    void leave_order(std::int64_t place) {
        restart();
        for (std::int64_t k = 0; k < place; ++k) {
            pending_[order_[k]] = is_complete;
            --remaining_;
            for (const std::int64_t next : plan_->successors(order_[k])) --pending_[next];
        }
        ready_.begin_empty();
        pending_[order_[place]] = in_flight;
        ready_.sends.in_flight = 1;
        for (std::int64_t k = place + 1; k < order_.size(); ++k)
            if (pending_[order_[k]] == 0) list_of(order_[k]).push(order_[k]);
        advance();
    }
    void succeed() {
        status_.state = run_status::phase::done;
        ++options_.epoch;
        if constexpr (has_ended<Transport>) transport_->ended(this);
    }

    /// Starts all that is ready: sends and receives in turns, so that the bytes of an exchange travel while its receive is
    /// posted, and before local work, which can take long.
    void advance() {
        for (bool send = true; remaining_ > 0 && running(); send = !send) {
            const std::int64_t i = ready_.take(send, pending_);
            if (i < 0) break;
            post(i);
        }
        if (!running()) return;
        if (remaining_ == 0) {
            succeed();
        } else if (ready_.in_flight() == 0) {
            end(stalled, -1);
        }
    }

    void post(std::int64_t i) {
        if (operations_.does_nothing(i)) return release_successors(i);
        const plan::node& n = reported_node(i);
        begin(i, [&] {
            if (!n.is_message()) return submit(i);
            const message::key key = key_of(i);
            if constexpr (can_fuse)
                if (operations_.is_fused(i) && n.kind == plan::kind::receive)
                    return transport_->post_recv_combine(key, operations_.combined(i, buffers_, reduction_));
            const auto count = static_cast<std::size_t>(n.parts);
            return n.kind == plan::kind::send
                       ? transport_->post_send(key, {send_parts_.begin() + n.first_part, count})
                       : transport_->post_recv(key, {receive_parts_.begin() + n.first_part, count});
        });
    }
    std::uint64_t fingerprint() const { return (options_.compare ? plan_->fingerprint() : 0) + values_; }
    message::key key_of(std::int64_t i) {
        const plan::node& message = reported_node(i);
        return {plan_->peer_of(message), options_.channel, options_.epoch,
                message.sequence,        fingerprint(),    request_of(i)};
    }

    int submit(std::int64_t i) { return local_->submit(operations_.local(i, buffers_, reduction_), request_of(i)); }

    /// Starts one operation by `post`, which returns already_complete, 0 or an error.
    void begin(std::int64_t i, auto post) {
        ready_list& list = list_of(i);
        pending_[i] = in_flight;
        ++list.in_flight;
        const int error = post();
        if (error == already_complete) {
            --list.in_flight;
            release_successors(i);
        } else if (error != 0) {
            end(error, i);
        }
    }

    void release_successors(std::int64_t i) {
        pending_[i] = is_complete;
        --remaining_;
        for (const std::int64_t next : plan_->successors(i))
            if (--pending_[next] == 0) list_of(next).push(next);
    }

    /// Ends a start that may not begin: no operation is at fault.
    void refuse(int error) {
        end(error, -1);
        report();
    }

    /// Fails at node i, or at no node for -1.
    void end(int error, std::int64_t i, rank_t peer = -1) {
        const bool message = i >= 0 && reported_node(i).is_message();
        if (peer < 0 && message) peer = plan_->peer_of(reported_node(i));
        status_ = {run_status::phase::failed, error, i < 0 ? -1 : plan_->edge_of(node(i)).step, plan_->rank(), peer};
        ++options_.epoch;
        release();
    }
    void release() {
        transport_->cancel(this);
        local_->cancel(this);
    }

    /// Calls on_end once per start. The function may start the execution again.
    void report() {
        if (running() || reported_) return;
        reported_ = true;
        const run_status end = status_;  // a further start changes status_
        if (options_.on_end != nullptr) options_.on_end(options_.on_end_context, end);
    }

    const plan* plan_;
    Transport* transport_;
    Local* local_;
    execution_options options_;
    std::uint64_t values_ = 0;  // execution_options::start_name::values of the last start that had a name
    plan_operations operations_;
    plan::buffers buffers_;
    bool bound_ = false;  // the parts are those of buffers_
    bool reported_ = true;
    reduction reduction_;
    run_status status_;
    owned_array<std::int64_t> pending_;  // number of waits, in_flight or is_complete
    owned_array<message::send_part> send_parts_;
    owned_array<message::receive_part> receive_parts_;
    ready_lists ready_;
    owned_array<std::int64_t> order_;   // of a prepared start: all nodes
    owned_array<prepared_step> steps_;  // its operations; none: every start does what is ready
    std::uint64_t fingerprint_ = 0;     // of the start
    std::int64_t next_ = -1;            // the step that is in flight; -1: the start does what is ready
    std::int64_t remaining_ = 0;
    std::int64_t first_request_ = 0;  // of this start: a late completion of an earlier start is not one of this start
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
