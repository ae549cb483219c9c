#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "collsched/execute/engine.hpp"
#include "collsched/execute/resilient_communicator.hpp"
#include "collsched/group/group_options.hpp"
#include "collsched/group/outcome.hpp"
#include "collsched/group/detail/call_request.hpp"
#include "collsched/group/detail/kept_plan.hpp"
#include "collsched/group/detail/kept_plans.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The transport of a group: calls a function after each failure of an execution, which cancels its messages.
template <polled_transport Inner>
class group_transport : public resilient_communicator<Inner> {
  public:
    explicit group_transport(resilient_communicator<Inner> over) : resilient_communicator<Inner>(std::move(over)) {}

    void cancel(const void* owner) {
        resilient_communicator<Inner>::cancel(owner);
        if (on_cancel_ != nullptr) on_cancel_(context_);
    }
    void on_cancel(void (*function)(void* context), void* context) {
        on_cancel_ = function;
        context_ = context;
    }

  private:
    void (*on_cancel_)(void* context) = nullptr;
    void* context_ = nullptr;
};

/// An execution of a plan, for one operation at a time, with the memory that it needs beside the caller's.
template <polled_transport Inner>
class group_run {
  public:
    group_run(const kept_plan<group_run>& of, group_transport<Inner>& over, std::uint64_t channel)
        : steps_(of.steps, over, {.channel = channel, .compare = of.compares}),
          scratch_(static_cast<std::size_t>(of.steps.scratch_bytes())),
          staging_(static_cast<std::size_t>(steps_.staging_bytes())),
          copy_(static_cast<std::size_t>(of.copied)) {}

    group_run* next = nullptr;  ///< of the idle ones of a plan

    execution<group_transport<Inner>>& steps() { return steps_; }
    const run_status& status() const { return steps_.state(); }
    /// Returns the memory of a start. @param given  input and output
    bound_buffers with_memory(bound_buffers given) {
        if (!copy_.empty()) {
            std::memcpy(copy_.data(), given.input, copy_.size());
            given.input = copy_.data();
        }
        given.scratch = scratch_.data();
        given.staging = staging_.data();
        return given;
    }
    bytes_t memory() const {
        return static_cast<bytes_t>(sizeof(*this) + scratch_.size() + staging_.size() + copy_.size()) +
               steps_.footprint();
    }

  private:
    execution<group_transport<Inner>> steps_;
    std::vector<std::byte> scratch_, staging_, copy_;
};

/// The state that a group shares with its operations.
template <polled_transport Inner>
class group_state {
  public:
    using run = group_run<Inner>;
    using plans_of_group = kept_plans<kept_plan<run>>;
    using entry = typename plans_of_group::entry;

    group_state(resilient_communicator<Inner> over, group_options options)
        : options_(std::move(options)), budget_{options_.kept_bytes}, over_(std::move(over)) {
        if (options_.timeout > forever / 2) options_.timeout = forever;
        if (!over_.members().empty()) channel_ = over_.members().open_channel().channel;
        over_.on_cancel([](void* self) { static_cast<group_state*>(self)->note_failure(); }, this);
    }
    group_state(const group_state&) = delete;
    group_state& operator=(const group_state&) = delete;
    /// After a failure the other ranks are given the time to receive it.
    ~group_state() {
        if (over_.is_revoked()) over_.flush(std::chrono::seconds(1));
    }

    group_transport<Inner>& over() { return over_; }
    const group_options& options() const { return options_; }
    const plans_of_group& plans() const { return plans_; }
    rank_t rank() { return over_.members().rank(); }
    rank_t ranks() { return over_.members().ranks(); }

    /// Returns the plan of a call, made if none is kept; null for a call that is refused, with the reason in `wrong`.
    entry* prepare(const collective_call& call, argument_error& wrong) {
        if (ranks() == 0) wrong = {"group", 0, "a group with this rank"};
        else wrong = call.wrong;
        if (wrong) return nullptr;
        entry* found = plans_.find(call);
        if (found == nullptr) found = make(call, wrong);
        if (found != nullptr) wrong = check_memory(*found, call);
        return found != nullptr && !wrong ? found : nullptr;
    }
    /// Returns an idle run of a plan, made if there is none. Give it back.
    run& take(entry& of) {
        ++of.in_use;
        if (of.idle == nullptr) return make_run(of);
        return *std::exchange(of.idle, of.idle->next);
    }
    void give_back(entry& of, run& used) {
        --of.in_use;
        used.next = std::exchange(of.idle, &used);
    }
    /// Ends the operations of all ranks, if one of this rank has failed. O(runs).
    void note_failure() {
        if (over_.is_revoked()) return;
        plans_.for_each([&](const entry& one) {
            for (const auto& by : one.runs)
                if (by->status().failed() && !is_refusal(by->status().error)) over_.revoke(by->status());
        });
    }
    /// Starts the next operation of the group. Returns the wrong argument of a call that is refused, without effect.
    argument_error start(entry& of, run& by, const collective_call& call) {
        by.steps().start(by.with_memory(of.buffers(call)), call.op, {next_++, call.values});
        if (!by.status().failed() || !is_refusal(by.status().error)) return {};
        --next_;
        return refusal_of(by.status().error, call);
    }
    outcome outcome_of(const run_status& status) const {
        if (!status.failed()) return {.status = status};
        return {.status = status, .cause = over_.cause()};
    }
    /// Returns the end of an operation that does not start, since the group has failed.
    outcome refused_as_revoked() {
        return outcome_of({.state = run_state::failed, .error = transport_error::revoked, .rank = rank()});
    }

  private:
    /// Returns whether it is an error of a start whose arguments are wrong, before any message.
    static bool is_refusal(int error) {
        return error == missing_reduction || error == not_in_place || error == element_mismatch ||
               error == not_commutative;
    }
    static argument_error refusal_of(int error, const collective_call& call) {
        if (error == missing_reduction) return {"op", 0, "an operation, since the collective reduces"};
        if (error == element_mismatch)
            return {"op", call.op.element, "an operation on values of the size of those of the arrays"};
        return {"call", error, "buffers and an operation that the schedule can take"};
    }

    static argument_error check_memory(const entry& of, const collective_call& call) {
        if (std::ssize(call.input) < of.input)
            return {"input", std::ssize(call.input) / call.value, "as many values as the call has on this rank"};
        if (std::ssize(call.output) < of.output)
            return {"output", std::ssize(call.output) / call.value, "as many values as the call has on this rank"};
        const auto input = std::bit_cast<std::uintptr_t>(call.input.data()),
                   output = std::bit_cast<std::uintptr_t>(call.output.data());
        const bool apart = input + static_cast<std::uintptr_t>(of.input) <= output ||
                           output + static_cast<std::uintptr_t>(of.output) <= input;
        if (apart || call.binding == binding::in_place) return {};
        return {"output", std::ssize(call.output) / call.value,
                "memory apart from the input; a call with one array runs in place"};
    }

    run& make_run(entry& of) {
        of.runs.push_back(std::make_unique<run>(of, over_, channel_));
        plans_.add_memory(of, of.runs.back()->memory());
        return *of.runs.back();
    }
    entry* make(const collective_call& call, argument_error& wrong) {
        kept_plan<run> made{.key = call_key(call)};
        made.key.keep_numbers(made.numbers);
        if (call.neighbors != nullptr) made.neighbors = *call.neighbors;
        if (call.has_own_counts()) wrong = plan_own(call, made);
        else wrong = plan_chosen(call, made);
        return wrong ? nullptr : &plans_.keep(std::move(made));
    }
    argument_error plan_own(const collective_call& call, kept_plan<run>& made) {
        own_blocks own;
        if (const argument_error wrong = find_own_blocks(call, ranks(), rank(), own)) return wrong;
        const own_exchange exchange{ranks(), rank(), own.blocks, ranks() <= 32 ? 0 : 8};
        made.steps = plan(exchange, rank());
        made.reason = "direct exchange, since each rank has its own counts alone";
        made.compares = false;
        made.input = own.input;
        made.output = own.output;
        return made.steps.check();
    }
    argument_error plan_chosen(const collective_call& call, kept_plan<run>& made) {
        choice::request request;
        request.parameters.placement = options_.placement;
        if (const argument_error wrong = fill_request(call, ranks(), rank(), request)) return wrong;
        if (!options_.policy) return {"policy", 0, "a policy that chooses schedules"};
        chosen_schedule chosen = options_.policy(request);
        refusal_ = "one that the policy serves (" + chosen.text() + ")";
        if (!chosen.schedule) return {"collective", static_cast<std::int64_t>(call.collective), refusal_.c_str()};
        // The blocks of an exchange overwrite others that have not been sent.
        const bool copies = call.collective == collective::alltoall && call.binding == binding::in_place;
        const binding place = copies ? binding::separate : call.binding;
        made.steps = plan(*chosen.schedule, rank(), place);
        if (!serves(chosen.schedule->contract(), request))
            return {"policy", 0, "a policy whose schedules are of the collective and the sizes of the call"};
        made.copied = copies ? made.steps.input_bytes() : 0;
        made.reason = chosen.text();
        if (made.steps.check()) return made.steps.check();
        set_memory(chosen.schedule->contract(), place, made);
        return {};
    }
    /// Returns whether a schedule is of the collective, the ranks, the root and this rank's sizes of a request.
    bool serves(const contract& promise, const choice::request& request) {
        const shape& sizes = request.parameters;
        contract expected{
            .collective = request.collective, .ranks = sizes.ranks, .root = sizes.root, .blocks = sizes.block};
        expected.bytes = sizes.bytes;
        if (request.collective == collective::alltoall) expected.matrix = block_matrix(sizes.block);
        expected.neighbors = sizes.neighbors;
        if (request.collective == collective::neighbor_allgather)
            expected.slots = slot_layout::gathered(sizes.neighbors, sizes.block, sizes.ranks);
        if (request.collective == collective::neighbor_alltoall)
            expected.slots = slot_layout::exchanged(sizes.neighbors, sizes.block);
        return promise.collective == expected.collective && promise.ranks == expected.ranks &&
               (!is_rooted(expected.collective) || promise.root == expected.root) &&
               promise.input_bytes(rank()) == expected.input_bytes(rank()) &&
               promise.output_bytes(rank()) == expected.output_bytes(rank());
    }
    void set_memory(const contract& promise, binding place, kept_plan<run>& made) {
        made.input = promise.input_bytes(rank());
        made.output = promise.output_bytes(rank());
        if (place == binding::separate) return;
        const buffer_alias alias = promise.alias(rank(), place);
        const bytes_t reach = alias.any() ? promise.reach(rank(), alias.host, alias) : 0;
        if (alias.any()) (alias.guest == buffer::input ? made.input_at : made.output_at) = alias.offset;
        for (bytes_t* const least : {&made.input, &made.output}) *least = *least < reach ? reach : *least;
    }

    group_options options_;
    plan_budget budget_;
    group_transport<Inner> over_;
    std::uint64_t channel_ = 0, next_ = 0;
    std::string refusal_;  // text of the last error of the policy
    plans_of_group plans_{budget_};
};

/// A run of a plan, held until the end of this object. One that is running is cancelled then.
template <polled_transport Inner>
class held_run {
  public:
    using state = group_state<Inner>;

    held_run() = default;
    held_run(state& of, typename state::entry& plan) : state_(&of), plan_(&plan), run_(&of.take(plan)) {}
    held_run(held_run&& other) noexcept
        : state_(std::exchange(other.state_, nullptr)), plan_(other.plan_), run_(other.run_) {}
    held_run& operator=(held_run other) noexcept {
        std::swap(state_, other.state_);
        std::swap(plan_, other.plan_);
        std::swap(run_, other.run_);
        return *this;
    }
    ~held_run() {
        if (state_ == nullptr) return;
        if (run_->status().running()) run_->steps().cancel();
        run_->steps().on_end(nullptr, nullptr);
        state_->give_back(*plan_, *run_);
    }

    explicit operator bool() const { return state_ != nullptr; }
    typename state::run* operator->() const { return run_; }
    state& group() const { return *state_; }
    argument_error start(const collective_call& call) { return state_->start(*plan_, *run_, call); }
    outcome result() const { return state_->outcome_of(run_->status()); }

  private:
    state* state_ = nullptr;
    typename state::entry* plan_ = nullptr;
    typename state::run* run_ = nullptr;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
