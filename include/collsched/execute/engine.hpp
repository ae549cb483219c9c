#pragma once

#include <cstddef>
#include <cstring>

#include "collsched/execute/plan.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched {

/// Memory bound to a plan at start; each at least as large as the plan says. In place, the caller passes overlapping
/// input and output as the contract tells (contract::alias).
struct bound_buffers {
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    std::byte* scratch = nullptr;
    std::byte* staging = nullptr;
};

/// A reduction: combine_before: into := incoming op into; combine_after: into := into op incoming; over `size` bytes.
/// Unless it says that it is commutative, a schedule that reorders operands is refused.
struct reduction {
    void (*combine)(void* context, std::byte* into, const std::byte* incoming, bytes_t size, action what) = nullptr;
    void* context = nullptr;
    bool commutative = false;
};

/// How an execution stands. A failure names the step and the other rank of the edge that failed; -1 where it was none.
struct status {
    enum class state : std::uint8_t { idle, running, done, failed };

    state now = state::idle;
    int error = 0;  ///< the transport's number
    step_t step = -1;
    rank_t rank = 0;
    rank_t peer = -1;

    bool done() const { return now == state::done; }
    bool failed() const { return now == state::failed; }
};

/// Errors of the engine itself; transports use positive numbers.
enum engine_error : int {
    missing_reduction = -1,  ///< the plan combines, and start was given no reduction
    small_buffer = -2,       ///< memory handed in is smaller than the plan says
    stalled = -3,            ///< nothing is in flight, and yet not all is done: the schedule is wrong
    bad_plan = -4,           ///< the plan's check() tells what is wrong with it
    not_in_place = -5,       ///< input and output do not lie in each other as the binding says
    already_running = -6,    ///< started before the last start had ended; both fail
    cancelled = -7,          ///< by cancel()
    not_commutative = -8,  ///< the schedule may reorder operands, and the reduction does not say that it is commutative
};

/// Runs a plan over a transport: one rank's side. Start it, then call progress() until it is done, or wait(). A plan
/// may be run by many executions, an execution started again and again; after the first start nothing is allocated.
/// Executions in flight at the same time need a transport each whose messages do not meet the other's.
template <transport Transport>
class execution {
  public:
    /// `generation` numbers the starts on this transport: all ranks use the same for the same start. It rises by one
    /// with every start.
    execution(const plan& what, Transport& over, std::uint64_t generation = 0)
        : plan_(&what), transport_(&over), generation_(generation), pending_(std::ssize(what.nodes())) {
        for (ready_list* list : {&receives_, &sends_, &others_})
            list->nodes = owned_array<std::int64_t>(pending_.size());
    }
    execution(const execution&) = delete;
    execution& operator=(const execution&) = delete;
    ~execution() {
        if (status_.now == status::state::running) transport_->cancel();
    }

    /// Binds memory and begins. While running it is an error that ends both starts.
    void start(const bound_buffers& buffers, reduction op = {}) {
        if (status_.now == status::state::running) return fail(already_running);
        buffers_ = buffers;
        reduction_ = op;
        status_ = {.now = status::state::running, .rank = plan_->rank()};
        left_ = pending_.size();
        in_flight_ = 0;
        for (ready_list* list : {&receives_, &sends_, &others_}) list->head = list->tail = 0;
        if (plan_->check()) return fail(bad_plan);
        if (plan_->combines() && op.combine == nullptr) return fail(missing_reduction);
        if (plan_->reorders() && op.combine != nullptr && !op.commutative) return fail(not_commutative);
        for (std::int64_t i = 0; i < pending_.size(); ++i)
            if ((pending_[i] = node(i).waits_for) == 0) enqueue(i);
        advance();
    }

    /// Does all that can be done now, without blocking.
    const status& progress() {
        while (status_.now == status::state::running) {
            const completion c = transport_->poll();
            if (c.token < 0 && c.error == 0) break;
            finish(c);
        }
        return status_;
    }

    /// Blocks until all is done or something failed.
    const status& wait() {
        while (progress().now == status::state::running) finish(transport_->wait_any());
        return status_;
    }

    const status& state() const { return status_; }
    /// The number of the next start, or of the one under way.
    std::uint64_t generation() const { return generation_; }

    /// Ends a start that will not be finished, because another rank has failed, say. It counts as a start.
    void cancel() {
        if (status_.now == status::state::running) fail(cancelled);
    }

  private:
    /// Nodes that may start, first come first served; every node enters once a start.
    struct ready_list {
        owned_array<std::int64_t> nodes;
        std::int64_t head = 0, tail = 0;
    };

    const plan::node& node(std::int64_t i) const { return plan_->nodes()[static_cast<std::size_t>(i)]; }

    void enqueue(std::int64_t i) {
        const plan::kind what = node(i).what;
        ready_list& list = what == plan::kind::receive ? receives_ : what == plan::kind::send ? sends_ : others_;
        list.nodes[list.tail++] = i;
    }

    /// Starts whatever is ready: receives before sends before local work, which can be long.
    void advance() {
        while (status_.now == status::state::running) {
            if (receives_.head < receives_.tail) post(receives_.nodes[receives_.head++]);
            else if (sends_.head < sends_.tail) post(sends_.nodes[sends_.head++]);
            else if (others_.head < others_.tail) work(others_.nodes[others_.head++]);
            else break;
        }
        if (status_.now != status::state::running) return;
        if (left_ == 0) {
            status_.now = status::state::done;
            ++generation_;
        } else if (in_flight_ == 0) {
            fail(stalled);
        }
    }

    void post(std::int64_t i) {
        const plan::node& n = node(i);
        const edge& e = plan_->edge_of(n);
        const bool sends = n.what == plan::kind::send;
        const message_key key{sends ? e.dst : e.src, generation_, n.sequence, i};
        ++in_flight_;
        const int error =
            sends ? transport_->post_send(key, readable(e.from, e.from_offset), e.size)
                  : transport_->post_recv(
                        key, e.combines() ? buffers_.staging + n.staged : writable(e.into, e.into_offset), e.size);
        if (error != 0) fail(error, e.step, key.peer);
    }

    void work(std::int64_t i) {
        const plan::node& n = node(i);
        if (n.what != plan::kind::join) {
            const edge& e = plan_->edge_of(n);
            std::byte* into = writable(e.into, e.into_offset);
            const std::byte* from =
                n.what == plan::kind::apply ? buffers_.staging + n.staged : readable(e.from, e.from_offset);
            if (e.combines()) reduction_.combine(reduction_.context, into, from, e.size, e.what);
            else std::memcpy(into, from, static_cast<std::size_t>(e.size));
        }
        complete(i);
    }

    void finish(const completion& c) {
        if (c.token < 0) return fail(c.error == 0 ? stalled : c.error);
        const edge& e = plan_->edge_of(node(c.token));
        if (c.error != 0) return fail(c.error, e.step, e.src == plan_->rank() ? e.dst : e.src);
        --in_flight_;
        complete(c.token);
        advance();
    }

    void complete(std::int64_t i) {
        --left_;
        for (const std::int64_t next : plan_->successors(i))
            if (--pending_[next] == 0) enqueue(next);
    }

    void fail(int error, step_t step = -1, rank_t peer = -1) {
        status_ = {status::state::failed, error, step, plan_->rank(), peer};
        ++generation_;
        transport_->cancel();
    }

    const std::byte* readable(buffer where, bytes_t offset) const {
        return (where == buffer::input    ? buffers_.input
                : where == buffer::output ? buffers_.output
                                          : buffers_.scratch) +
               offset;
    }
    std::byte* writable(buffer where, bytes_t offset) const {
        return (where == buffer::output ? buffers_.output : buffers_.scratch) + offset;
    }

    const plan* plan_;
    Transport* transport_;
    std::uint64_t generation_;
    bound_buffers buffers_;
    reduction reduction_;
    status status_;
    owned_array<std::int64_t> pending_;
    ready_list receives_, sends_, others_;
    std::int64_t left_ = 0;
    std::int64_t in_flight_ = 0;
};

}  // namespace collsched
