#pragma once

#include <cstdint>
#include <span>

#include "collsched/collective/alltoall/grouping.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

/// The time limits of a coordinator for the reports of a node, 0 or more, in any unit of the caller.
struct time_limits {
    static constexpr std::int64_t no_limit = INT64_MAX;  ///< no limit
    std::int64_t ready = no_limit;                       ///< from the start, or from the turn of its group on
    std::int64_t done = no_limit;                        ///< since its command
    bool operator==(const time_limits&) const = default;
};

/// The coordinator of a grouped complete exchange: a state machine without clock, thread or messages. It receives
/// reports of nodes that are ready or done and returns the next commands to send. The schedule is that of the grouping,
/// in an order of nodes that is determined at run time.
///
/// Call advance(now) between reports, preferably after all reports of one instant: ties of ready times are broken by
/// rank only among nodes reported before the same call. The order is fixed once, in the first advance() that finds
/// `group` nodes ready: first the ready nodes in order of their ready time, then the others in rank order, then the
/// lost nodes. A sub-round starts when all its senders are ready and all senders of the preceding sub-round are done.
/// Receivers need not be ready, since they receive data while they compute.
///
/// Times are in any unit and from any origin of the caller. A node that exceeds its limit is lost and reported as such:
/// it no longer sends or receives. Every wait is for a report and ends after deadline(). With limits, and advance()
/// called in time, the exchange ends in all cases, after at most (groups + 1) * limits.ready + p * limits.done.
///
/// O(p) memory. A report costs O(1), a sub-round the cost of its commands and their targets, O(p) at most; fixing the
/// order O(p log p) once. Not thread-safe.
/// Source: Chen, Na 2005, Algorithm 2; the time limits are additions.
class coordinator {
  public:
    /// Report of a node that the exchange may wait for.
    enum class report { ready, done };
    /// Command to `node` to send to targets(command) in sub-round `round`.
    struct command {
        rank_t node = 0;   ///< the sender
        step_t round = 0;  ///< sub-round, 0 .. groups().steps()-1
        bool operator==(const command&) const = default;
    };
    /// Loss of `node` for lack of its report. `round` cannot start without it, or did not end.
    struct loss {
        rank_t node = 0;                 ///< the lost node
        report awaited = report::ready;  ///< its missing report
        step_t round = 0;                ///< sub-round, 0 .. groups().steps()-1
        bool operator==(const loss&) const = default;
    };

    /// Begins a complete exchange of groups.ranks nodes at time `start`. check() returns the error of wrong arguments;
    /// such a coordinator is finished from the start.
    /// @param groups  the grouping, of 1 rank or more
    /// @param limits  time limits for the reports of a node
    /// @param start   time of the start
    constexpr explicit coordinator(grouping groups, time_limits limits = {}, std::int64_t start = 0)
        : groups_(groups),
          limits_(limits),
          state_(groups.ranks),
          ready_time_(groups.ranks),
          living_(groups.ranks),
          deadline_(after(start, limits.ready)) {
        if (check()) phase_ = phase::finished;
    }

    /// Returns the first error in the arguments of the construction, or no error.
    constexpr argument_error check() const {
        if (groups_.ranks < 1) return {"ranks", groups_.ranks, "1 or more"};
        if (argument_error error = groups_.check()) return error;
        if (limits_.ready < 0) return {"limits.ready", limits_.ready, "0 or more"};
        if (limits_.done < 0) return {"limits.done", limits_.done, "0 or more"};
        return {};
    }

    /// Reports that the node has had the data that it sends since `time`. Fails without effect if there is no such
    /// node, it is lost, or it was reported before.
    /// @param node  0 .. ranks-1
    /// @param time  time at which the data were ready
    /// @return the reason of a failure, or no error
    [[nodiscard]] constexpr argument_error ready(rank_t node, std::int64_t time) {
        if (argument_error error = refusal(node)) return error;
        if (state_[node] != state::working) return {"node", node, "a node that was not reported ready before"};
        if (phase_ == phase::gathering) ++ready_;
        else if (awaited(node)) --awaited_;
        state_[node] = state::ready;
        ready_time_[node] = time;
        return {};
    }

    /// Reports that the node's targets have received its data of this sub-round. Fails without effect if there is no
    /// such node, it is lost, this sub-round is not running, or the node has no command in it or was reported before.
    /// @param node   0 .. ranks-1
    /// @param round  sub-round of its command
    /// @return the reason of a failure, or no error
    [[nodiscard]] constexpr argument_error done(rank_t node, step_t round) {
        if (argument_error error = refusal(node)) return error;
        if (phase_ != phase::running || round != round_) return {"round", round, "the sub-round that runs"};
        if (state_[node] != state::sending) return {"node", node, "a node with a command that it has not done yet"};
        state_[node] = state::ready;
        --awaited_;
        return {};
    }

    /// Reports that the node is lost: its connection broke, or a sender cannot reach it. The exchange continues without
    /// it, as after a limit. Fails without effect if there is no such node or it is already lost.
    /// @param node  0 .. ranks-1
    /// @return the reason of a failure, or no error
    [[nodiscard]] constexpr argument_error give_up(rank_t node) {
        if (argument_error error = refusal(node)) return error;
        remove(node);
        return {};
    }

    /// Advances to `time`, which never decreases. Calls lose(loss) for each node whose limit has passed, and
    /// send(command) for the commands of the next sub-round if it can start. Sub-rounds without commands are skipped.
    /// Every loss must be reported to all nodes: they omit messages to the lost node and do not wait for its messages.
    /// `send` may call ready() and done(); neither callback may call advance() or give_up().
    /// @param time  the current time
    /// @param send  callable, send(command)
    /// @param lose  callable, lose(loss)
    template <class Send, class Lose>
    constexpr void advance(std::int64_t time, Send send, Lose lose) {
        while (!finished()) {
            if (missing() > 0 && time > deadline_) give_up_late(lose);
            if (missing() > 0) return;
            if (phase_ == phase::gathering) {
                fix_order();
                assemble(time);
            } else if (phase_ == phase::assembling) {
                start(time, send);
            } else if (++round_ == groups_.steps()) {
                phase_ = phase::finished;
                deadline_ = no_limit;
            } else if (groups_.at(round_).turn == 0) {
                assemble(time);
            } else {
                start(time, send);
            }
        }
    }

    /// Calls f(node) for every target of a command that is not lost, including the sender in one of its sub-rounds (a
    /// local copy). Valid for commands of this coordinator, at any time.
    /// @param instruction  a command of this coordinator
    /// @param f            callable, f(node)
    constexpr void targets(command instruction, auto f) const {
        groups_.targets(order_.virtual_rank(instruction.node), instruction.round, [&](rank_t v) {
            if (const rank_t target = order_.rank(v); !given_up(target)) f(target);
        });
    }
    /// Returns the node that sends to this one in a sub-round, or -1 if it is lost.
    /// @param node   0 .. ranks-1
    /// @param round  sub-round, 0 .. groups().steps()-1
    /// @pre ordered()
    constexpr rank_t source(rank_t node, step_t round) const {
        const rank_t sender = order_.rank(groups_.source(order_.virtual_rank(node), round));
        return given_up(sender) ? -1 : sender;
    }

    /// Returns whether all sub-rounds are over. Each node that is not lost has then sent and received all blocks
    /// exchanged with such nodes.
    constexpr bool finished() const { return phase_ == phase::finished; }
    /// Returns the running sub-round, or the next one while its senders are not all ready, or the number of sub-rounds
    /// at the end.
    constexpr step_t round() const { return round_; }
    /// Returns the time after which advance() gives up the awaited nodes, or time_limits::no_limit if none is awaited.
    constexpr std::int64_t deadline() const { return missing() > 0 ? deadline_ : no_limit; }
    /// Returns whether the exchange waits for a report of this node. Before the order is fixed that is every node that
    /// is not ready.
    /// @param node  0 .. ranks-1
    constexpr bool awaited(rank_t node) const {
        if (phase_ == phase::gathering) return state_[node] == state::working;
        if (phase_ == phase::running) return state_[node] == state::sending;
        return phase_ == phase::assembling && state_[node] == state::working &&
               groups_.is_active(order_.virtual_rank(node), round_);
    }
    /// Returns whether a node is lost.
    /// @param node  0 .. ranks-1
    constexpr bool given_up(rank_t node) const { return state_[node] == state::given_up; }
    /// Returns whether the order of the nodes is fixed.
    constexpr bool ordered() const { return phase_ != phase::gathering; }
    /// Returns the node at each place of the queue, once ordered(). The exchange follows the generator's schedule for
    /// this order.
    constexpr const permutation& order() const { return order_; }
    /// Returns the grouping of the construction.
    constexpr const grouping& groups() const { return groups_; }

    bool operator==(const coordinator&) const = default;

  private:
    enum class state : unsigned char { working, ready, sending, given_up };
    enum class phase : unsigned char {
        gathering,   ///< fewer than `group` nodes are ready, the order is open
        assembling,  ///< a node of the active group is not ready
        running,     ///< commands have been sent
        finished
    };

    static constexpr std::int64_t no_limit = time_limits::no_limit;

    static constexpr std::int64_t after(std::int64_t time, std::int64_t limit) {
        const checked end = checked(time) + limit;
        return limit != no_limit && end.ok() ? end.value() : no_limit;
    }

    constexpr argument_error refusal(rank_t node) const {
        if (argument_error error = check()) return error;
        if (node < 0 || node >= groups_.ranks) return {"node", node, "0 to ranks-1"};
        if (given_up(node)) return {"node", node, "a node that was not given up"};
        return {};
    }

    /// Returns the number of missing reports before the exchange can continue.
    constexpr rank_t missing() const {
        if (phase_ != phase::gathering) return awaited_;
        return (living_ < groups_.group ? living_ : groups_.group) - ready_;
    }

    constexpr void remove(rank_t node) {
        if (phase_ == phase::gathering) ready_ -= state_[node] == state::ready;
        else awaited_ -= awaited(node);
        --living_;
        state_[node] = state::given_up;
    }

    /// Calls f(node) for the nodes of the active group that are not lost.
    constexpr void each_active(auto f) {
        const grouping::round current = groups_.at(round_);
        for (rank_t v = current.first; v < current.first + current.active; ++v)
            if (const rank_t node = order_.rank(v); !given_up(node)) f(node);
    }

    template <class Lose>
    constexpr void give_up_late(Lose& lose) {
        const report missed = phase_ == phase::running ? report::done : report::ready;
        const auto settle = [&](rank_t node) {
            if (!awaited(node)) return;
            remove(node);
            lose(loss{node, missed, round_});
        };
        if (phase_ != phase::gathering) return each_active(settle);
        for (rank_t node = 0; node < groups_.ranks; ++node) settle(node);
    }

    constexpr void fix_order() {
        owned_array<rank_t> queue(groups_.ranks);
        for (rank_t node = 0; node < groups_.ranks; ++node) queue[node] = node;
        const auto place = [&](rank_t node) { return state_[node] == state::ready ? 0 : given_up(node) ? 2 : 1; };
        collsched::detail::sort(queue.begin(), queue.size(), [&](rank_t a, rank_t b) {
            if (place(a) != place(b)) return place(a) < place(b);
            if (place(a) == 0 && ready_time_[a] != ready_time_[b]) return ready_time_[a] < ready_time_[b];
            return a < b;
        });
        order_ = permutation(std::span<const rank_t>(queue));
    }

    /// Makes the group of round_ the active one.
    constexpr void assemble(std::int64_t time) {
        phase_ = phase::assembling;
        deadline_ = after(time, limits_.ready);
        each_active([&](rank_t node) { awaited_ += state_[node] == state::working; });
    }

    template <class Send>
    constexpr void start(std::int64_t time, Send& send) {
        phase_ = phase::running;
        deadline_ = after(time, limits_.done);
        each_active([&](rank_t node) {
            const command instruction{node, round_};
            bool any = false;
            targets(instruction, [&](rank_t) { any = true; });
            if (!any) return;
            state_[node] = state::sending;
            ++awaited_;
            send(instruction);
        });
    }

    grouping groups_;
    time_limits limits_;
    owned_array<state> state_;
    owned_array<std::int64_t> ready_time_;
    permutation order_;
    rank_t living_ = 0;   ///< nodes that are not lost
    rank_t ready_ = 0;    ///< nodes ready before the order was fixed
    rank_t awaited_ = 0;  ///< reports needed to continue once the order is fixed
    step_t round_ = 0;
    std::int64_t deadline_ = no_limit;
    phase phase_ = phase::gathering;
};

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
