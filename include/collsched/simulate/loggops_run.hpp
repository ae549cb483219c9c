#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/core/detail/heap.hpp"
#include "collsched/simulate/goal_program.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/simulation.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// One run of a GOAL program under LogGOPS: one queue of events, ordered by time, then by first insertion.
class loggops_run {
    using kind = goal_program::kind;

    struct event {
        std::int64_t time, number;
        std::int64_t code;  // twice the operation to start, or one more than twice the send whose message arrives

        bool operator<(const event& other) const {
            return (time < other.time) | ((time == other.time) & (number < other.number));
        }
    };

    struct processor {
        std::int64_t cpu = 0, out = 0, in = 0;  // times at which each is free
        std::int64_t cpu_busy = 0, out_busy = 0, in_busy = 0;
    };

    struct progress {
        std::int64_t first_after = 0;
        std::int32_t waits = 0;  // number of predecessors that are not complete
        bool is_there = false;   // of a message: it has arrived, or its receive waits for it
    };

  public:
    loggops_run(const goal_program& program, const loggops_model& model)
        : program_(program),
          model_(model),
          processors_(static_cast<std::size_t>(program.ranks())),
          progress_(count() + 1) {
        for (std::int64_t i = 0; i < count(); ++i) {
            progress_[i].waits = static_cast<std::int32_t>(program.required(i).size());
            for (const std::int64_t before : program.required(i)) ++progress_[before].first_after;
        }
        for (std::int64_t i = 0; i < count(); ++i) progress_[i + 1].first_after += progress_[i].first_after;
        after_ = owned_array<std::int64_t>(progress_[count()].first_after);
        for (std::int64_t i = count(); i-- > 0;)
            for (const std::int64_t before : program.required(i)) after_[--progress_[before].first_after] = i;
        begin();
    }

    simulation run() {
        while (!(events_.empty() && arrivals_.empty()) && !overflowed_) {
            const event next = take();
            if (next.code % 2 != 0) arrive(next);
            else start(next);
            start_freed();
        }
        if (overflowed_) return too_long_a_run();
        if (done_ < count()) return endless_run(count() - done_);
        simulation result = idle_run(program_.ranks());
        for (rank_t r = 0; r < program_.ranks(); ++r) {
            result.finish[r] = in_picoseconds(at(r).cpu);
            result.cpu_busy[r] = in_picoseconds(at(r).cpu_busy);
            result.out_busy[r] = in_picoseconds(at(r).out_busy);
            result.in_busy[r] = in_picoseconds(at(r).in_busy);
            result.completion = std::max(result.completion, result.finish[r]);
        }
        return overflowed_ ? too_long_a_run() : result;
    }

  private:
    std::int64_t count() const { return std::ssize(program_.operations()); }
    processor& at(rank_t r) { return processors_[static_cast<std::size_t>(r)]; }
    std::int64_t value_of(const checked& time) {
        overflowed_ = overflowed_ || !time.ok();
        return time.ok() ? time.value() : 0;
    }
    picoseconds in_picoseconds(std::int64_t ns) { return value_of(checked(ns) * 1000); }
    std::int64_t later(std::int64_t time, const checked& duration) { return value_of(checked(time) + duration); }
    void keep(std::int64_t& free, std::int64_t& busy, std::int64_t time, const checked& duration) {
        free = later(time, duration);
        busy = later(busy, duration);
    }

    /// Starts all operations that are ready at time 0, as start_freed(). All receives that can wait do so before a
    /// message arrives.
    void begin() {
        for (rank_t r = 0; r < program_.ranks(); ++r)
            for (const kind sort : {kind::send, kind::receive, kind::calc})
                for (std::int64_t i = program_.first(r); i < program_.first(r + 1); ++i) {
                    if (program_[i].kind != sort || progress_[i].waits != 0) continue;
                    if (sort == kind::receive) progress_[i].is_there = true;
                    else push(0, 2 * i);
                }
    }

    void push(std::int64_t time, std::int64_t code) { events_.push({time, pushed_++, code}); }
    /// Postpones an event that cannot run yet. It keeps its number: the order of first insertion decides among equal
    /// times.
    void postpone(event later, std::int64_t time) {
        later.time = time;
        events_.push(later);
    }

    /// Adds an arrival. Most sends begin in order, and all messages have the same latency.
    void push_arrival(const event& arrival) {
        if (!arrivals_.empty() && arrival < arrivals_.back()) events_.push(arrival);
        else arrivals_.push_back(arrival);
    }
    event take() {
        if (arrivals_.empty() || (!events_.empty() && events_.top() < arrivals_.front())) return events_.take();
        const event first = arrivals_.front();
        arrivals_.pop_front();
        return first;
    }

    /// Starts operations that became ready together: by rank; within a rank sends, receives, calculations; then program
    /// order.
    void start_freed() {
        if (freed_.size() > 1)
            std::ranges::sort(freed_, [this](std::int64_t a, std::int64_t b) {
                const goal_program::operation &operation = program_[a], &other = program_[b];
                if (operation.rank != other.rank) return operation.rank < other.rank;
                return operation.kind != other.kind ? operation.kind < other.kind : a < b;
            });
        for (const std::int64_t i : freed_) {
            const processor& state = at(program_[i].rank);
            push(program_[i].kind == kind::send ? std::max(state.cpu, state.out) : state.cpu, 2 * i);
        }
        freed_.clear();
    }

    void done(std::int64_t i) {
        ++done_;
        for (std::int64_t k = progress_[i].first_after; k < progress_[i + 1].first_after; ++k)
            if (--progress_[after_[k]].waits == 0) freed_.push_back(after_[k]);
    }

    void start(const event& first) {
        const std::int64_t i = first.code / 2, time = first.time;
        const goal_program::operation& operation = program_[i];
        processor& state = at(operation.rank);
        if (operation.kind == kind::receive) return receive(i, time);
        const std::int64_t free = operation.kind == kind::send ? std::max(state.cpu, state.out) : state.cpu;
        if (free > time) return postpone(first, free);
        if (operation.kind == kind::calc) {
            keep(state.cpu, state.cpu_busy, time, operation.amount);
            return done(i);
        }
        keep(state.cpu, state.cpu_busy, time, model_.sending(operation.amount));
        keep(state.out, state.out_busy, time, model_.interface(operation.amount));
        push_arrival({later(time, model_.arrival()), pushed_++, 2 * i + 1});
        if (!model_.waits_for_receiver(operation.amount)) done(i);
    }

    /// Starts a receive. The processor is not busy with it before its message arrives.
    void receive(std::int64_t i, std::int64_t time) {
        const std::int64_t send = program_[i].match;
        if (progress_[send].is_there) meet(send, i, time);
        else progress_[i].is_there = true;
    }

    /// Processes the arrival of the first byte of a message, which is received when processor and interface are free.
    void arrive(const event& message) {
        const std::int64_t i = message.code / 2, time = message.time;
        const goal_program::operation& send = program_[i];
        processor& state = at(send.peer);
        const std::int64_t free = std::max(state.cpu, state.in);
        if (free > time) return postpone(message, free);
        keep(state.cpu, state.cpu_busy, time, model_.receiving(send.amount));
        keep(state.in, state.in_busy, time, model_.interface(send.amount));
        if (progress_[send.match].is_there) meet(i, send.match, time);
        else progress_[i].is_there = true;
    }

    void meet(std::int64_t send, std::int64_t received, std::int64_t time) {
        done(received);
        if (!model_.waits_for_receiver(program_[send].amount)) return;
        processor& sender = at(program_[send].rank);
        sender.cpu = std::max(sender.cpu, time);
        sender.out = std::max(sender.out, time);
        done(send);
    }

    const goal_program& program_;
    const loggops_model& model_;
    std::vector<processor> processors_;
    owned_array<progress> progress_;   // per operation; the last entry ends the last list
    owned_array<std::int64_t> after_;  // after_[first_after of i .. first_after of i+1 - 1] wait for i
    std::vector<std::int64_t> freed_;
    heap<event> events_;
    std::deque<event> arrivals_;  // further arrivals, in order
    std::int64_t pushed_ = 0, done_ = 0;
    bool overflowed_ = false;
};

}  // namespace detail

/// Runs a GOAL program under LogGOPS, to the nanosecond as LogGOPSim does. A rank's finish is the end of its
/// processor's last work, or 0 without work. A receive takes no time itself; the arrival of its message does. O(n log
/// n) for n operations.
/// @param program  a GOAL program
/// @param model    costs in nanoseconds
/// @return times in picoseconds. Failure: an error of the program or the model; a wrong model throws bad_argument where
///         exceptions are on.
inline simulation simulate(const goal_program& program, const loggops_model& model) {
    simulation none;
    none.error = program.check();
    if (!none.error) none.error = refuse_if(model.check());
    return none.error ? none : detail::loggops_run(program, model).run();
}

}}  // namespace collsched::COLLSCHED_ABI
