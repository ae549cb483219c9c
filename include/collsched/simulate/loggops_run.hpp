#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "collsched/cost/loggops.hpp"
#include "collsched/simulate/goal_program.hpp"
#include "collsched/simulate/simulate.hpp"

namespace collsched {

namespace detail {

/// One run of a GOAL program under LogGOPS: one queue of what is to happen, by time, then by when it was put in.
class loggops_run {
    using kind = goal_program::kind;

    struct event {
        std::int64_t time, number;
        std::int64_t operation;  // to be started; or the send whose message arrives
        bool arrives;

        bool operator>(const event& other) const {
            return time != other.time ? time > other.time : number > other.number;
        }
    };

    struct machine {
        std::int64_t cpu = 0, out = 0, in = 0;  // when each is free
        std::int64_t cpu_busy = 0, out_busy = 0, in_busy = 0;
        std::map<std::pair<rank_t, std::int64_t>, std::deque<std::int64_t>> receives, messages;  // by source and tag
    };

  public:
    loggops_run(const goal_program& program, const loggops_model& model)
        : program_(program),
          model_(model),
          machines_(static_cast<std::size_t>(program.ranks())),
          waits_(program.operations().size()),
          successors_(program.operations().size()) {
        for (std::int64_t i = 0; i < count(); ++i) {
            waits_[static_cast<std::size_t>(i)] = std::ssize(program.required(i));
            for (const std::int64_t before : program.required(i))
                successors_[static_cast<std::size_t>(before)].push_back(i);
            if (program.required(i).empty()) freed_.push_back(i);
        }
    }

    simulation run() {
        start_freed();
        while (!events_.empty() && !overflowed_) {
            const event now = events_.front();
            std::ranges::pop_heap(events_, std::greater<>());
            events_.pop_back();
            if (now.arrives) arrive(now);
            else start(now);
            start_freed();
        }
        if (overflowed_) return too_long();
        if (done_ < count()) return failed({"schedule", count() - done_, "a schedule in which no edge waits for ever"});
        simulation result;
        for (auto* times : {&result.finish, &result.cpu_busy, &result.out_busy, &result.in_busy})
            *times = owned_array<picoseconds>(program_.ranks());
        for (rank_t r = 0; r < program_.ranks(); ++r) {
            result.finish[r] = in_picoseconds(at(r).cpu);
            result.cpu_busy[r] = in_picoseconds(at(r).cpu_busy);
            result.out_busy[r] = in_picoseconds(at(r).out_busy);
            result.in_busy[r] = in_picoseconds(at(r).in_busy);
            result.completion = std::max(result.completion, result.finish[r]);
        }
        return overflowed_ ? too_long() : result;
    }

  private:
    static simulation too_long() { return failed({"time", 0, "a run of less than 2^63 picoseconds"}); }
    static simulation failed(const error& e) {
        simulation none;
        none.wrong = refuse_if(e);
        return none;
    }
    std::int64_t count() const { return std::ssize(program_.operations()); }
    machine& at(rank_t r) { return machines_[static_cast<std::size_t>(r)]; }
    std::int64_t value_of(const checked& time) {
        overflowed_ = overflowed_ || !time.ok();
        return time.ok() ? time.value() : 0;
    }
    picoseconds in_picoseconds(std::int64_t ns) { return value_of(checked(ns) * 1000); }
    std::int64_t later(std::int64_t time, const checked& duration) { return value_of(checked(time) + duration); }
    void keep(std::int64_t& free, std::int64_t& busy, std::int64_t now, const checked& duration) {
        free = later(now, duration);
        busy = later(busy, duration);
    }

    void push(std::int64_t time, std::int64_t operation, bool arrives) {
        events_.push_back({time, pushed_++, operation, arrives});
        std::ranges::push_heap(events_, std::greater<>());
    }

    /// What became free together begins in this order: ranks; in a rank sends, receives, calculations; program order.
    void start_freed() {
        std::ranges::sort(freed_, [this](std::int64_t a, std::int64_t b) {
            const goal_program::operation &one = program_[a], &other = program_[b];
            if (one.rank != other.rank) return one.rank < other.rank;
            return one.what != other.what ? one.what < other.what : a < b;
        });
        for (const std::int64_t i : freed_) {
            const machine& here = at(program_[i].rank);
            push(program_[i].what == kind::send ? std::max(here.cpu, here.out) : here.cpu, i, false);
        }
        freed_.clear();
    }

    void done(std::int64_t i) {
        ++done_;
        for (const std::int64_t next : successors_[static_cast<std::size_t>(i)])
            if (--waits_[static_cast<std::size_t>(next)] == 0) freed_.push_back(next);
    }

    void start(const event& now) {
        const goal_program::operation& operation = program_[now.operation];
        machine& here = at(operation.rank);
        if (operation.what == kind::receive) return receive(now.operation, now.time);
        const std::int64_t free = operation.what == kind::send ? std::max(here.cpu, here.out) : here.cpu;
        if (free > now.time) return push(free, now.operation, false);
        if (operation.what == kind::calc) {
            keep(here.cpu, here.cpu_busy, now.time, operation.amount);
            return done(now.operation);
        }
        keep(here.cpu, here.cpu_busy, now.time, model_.sending(operation.amount));
        keep(here.out, here.out_busy, now.time, model_.interface(operation.amount));
        push(later(now.time, model_.arrival()), now.operation, true);
        if (!model_.waits_for_receiver(operation.amount)) done(now.operation);
    }

    /// The processor has no part in it before the message is there.
    void receive(std::int64_t i, std::int64_t now) {
        const goal_program::operation& operation = program_[i];
        machine& here = at(operation.rank);
        auto& waiting = here.messages[{operation.peer, operation.tag}];
        if (waiting.empty()) return here.receives[{operation.peer, operation.tag}].push_back(i);
        const std::int64_t send = waiting.front();
        waiting.pop_front();
        meet(send, i, now);
    }

    /// The first byte of a message is there, and taken in when processor and interface are free.
    void arrive(const event& now) {
        const goal_program::operation& send = program_[now.operation];
        machine& here = at(send.peer);
        const std::int64_t free = std::max(here.cpu, here.in);
        if (free > now.time) return push(free, now.operation, true);
        keep(here.cpu, here.cpu_busy, now.time, model_.receiving(send.amount));
        keep(here.in, here.in_busy, now.time, model_.interface(send.amount));
        auto& waiting = here.receives[{send.rank, send.tag}];
        if (waiting.empty()) return here.messages[{send.rank, send.tag}].push_back(now.operation);
        const std::int64_t received = waiting.front();
        waiting.pop_front();
        meet(now.operation, received, now.time);
    }

    void meet(std::int64_t send, std::int64_t received, std::int64_t now) {
        done(received);
        if (!model_.waits_for_receiver(program_[send].amount)) return;
        machine& there = at(program_[send].rank);
        there.cpu = std::max(there.cpu, now);
        there.out = std::max(there.out, now);
        done(send);
    }

    const goal_program& program_;
    const loggops_model& model_;
    std::vector<machine> machines_;
    std::vector<std::int64_t> waits_;
    std::vector<std::vector<std::int64_t>> successors_;
    std::vector<std::int64_t> freed_;
    std::vector<event> events_;  // a heap, the earliest on top
    std::int64_t pushed_ = 0, done_ = 0;
    bool overflowed_ = false;
};

}  // namespace detail

/// Runs a GOAL program under LogGOPS, to the nanosecond as LogGOPSim does: a rank's finish is the end of its processor's
/// last work, 0 where it has none. A receive takes no time itself; the arrival of its message does. O(n log n) for n
/// operations.
inline simulation simulate(const goal_program& program, const loggops_model& model) {
    simulation none;
    none.wrong = program.check();
    if (!none.wrong) none.wrong = refuse_if(model.check());
    return none.wrong ? none : detail::loggops_run(program, model).run();
}

}  // namespace collsched
