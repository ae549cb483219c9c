#pragma once

#include <algorithm>
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
#include "collsched/group/detail/plan_cache.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The transport of a group: calls a function after each failure of an execution, which cancels its messages.
template <polled_transport Inner>
class group_transport : public resilient_communicator<Inner> {
  public:
    explicit group_transport(resilient_communicator<Inner> transport)
        : resilient_communicator<Inner>(std::move(transport)) {}

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
    group_run(const cached_plan<group_run>& plan, group_transport<Inner>& transport, std::uint64_t channel)
        : steps_(plan.steps, transport, {.channel = channel, .compare = plan.compares}),
          scratch_(static_cast<std::size_t>(plan.steps.scratch_bytes())),
          staging_(static_cast<std::size_t>(steps_.staging_bytes())),
          copy_(static_cast<std::size_t>(plan.copied_bytes)) {}

    group_run* next = nullptr;  ///< of the idle ones of a plan

    execution<group_transport<Inner>>& steps() { return steps_; }
    const run_status& status() const { return steps_.state(); }
    /// Returns the memory of a start. @param buffers  input and output
    plan::buffers with_memory(plan::buffers buffers) {
        if (!copy_.empty()) {
            std::memcpy(copy_.data(), buffers.input, copy_.size());
            buffers.input = copy_.data();
        }
        buffers.scratch = scratch_.data();
        buffers.staging = staging_.data();
        return buffers;
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
    using run_type = group_run<Inner>;
    using plans_of_group = plan_cache<cached_plan<run_type>>;
    using entry = typename plans_of_group::entry;

    group_state(resilient_communicator<Inner> transport, group_options options)
        : options_(std::move(options)), budget_{options_.kept_bytes}, transport_(std::move(transport)) {
        if (options_.timeout > forever / 2) options_.timeout = forever;
        if (!transport_.members().empty()) channel_ = transport_.members().open_channel().channel;
        transport_.on_cancel([](void* self) { static_cast<group_state*>(self)->note_failure(); }, this);
    }
    group_state(const group_state&) = delete;
    group_state& operator=(const group_state&) = delete;
    /// After a failure the other ranks are given the time to receive it.
    ~group_state() {
        if (transport_.is_revoked()) transport_.flush(std::chrono::seconds(1));
    }

    group_transport<Inner>& transport() { return transport_; }
    const group_options& options() const { return options_; }
    const plans_of_group& plans() const { return plans_; }
    rank_t rank() { return transport_.members().rank(); }
    rank_t ranks() { return transport_.members().ranks(); }

    /// Returns the plan of a call, made if none is kept; null for a call that is refused, with the reason in `error`.
    entry* prepare(const collective_call& call, argument_error& error) {
        if (ranks() == 0) error = {"group", 0, "a group with this rank"};
        else error = call.wrong;
        if (error) return nullptr;
        entry* plan = plans_.find(call);
        if (plan == nullptr) plan = make(call, error);
        if (plan != nullptr) error = check_memory(*plan, call);
        return plan != nullptr && !error ? plan : nullptr;
    }
    /// Returns an idle run of a plan, made if there is none. Give it back.
    run_type& take(entry& plan) {
        ++plan.in_use;
        if (plan.idle == nullptr) return make_run(plan);
        return *std::exchange(plan.idle, plan.idle->next);
    }
    void give_back(entry& plan, run_type& run) {
        --plan.in_use;
        run.next = std::exchange(plan.idle, &run);
    }
    /// Ends the operations of all ranks, if one of this rank has failed. O(runs).
    void note_failure() {
        if (transport_.is_revoked()) return;
        plans_.for_each([&](const entry& plan) {
            for (const auto& run : plan.runs)
                if (run->status().failed() && !is_refusal(run->status().error)) transport_.revoke(run->status());
        });
    }
    /// Starts the next operation of the group. Returns the wrong argument of a call that is refused, without effect.
    argument_error start(entry& plan, run_type& run, const collective_call& call) {
        run.steps().start(run.with_memory(plan.buffers(call)), call.op, {next_++, call.values});
        if (!run.status().failed() || !is_refusal(run.status().error)) return {};
        --next_;
        return refusal_of(run.status().error, call);
    }
    outcome outcome_of(const run_status& status) const {
        if (!status.failed()) return {.status = status};
        return {.status = status, .cause = transport_.cause()};
    }
    /// Returns the end of an operation that does not start, since the group has failed.
    outcome refused_as_revoked() {
        return outcome_of({.state = run_status::phase::failed, .error = message::error::revoked, .rank = rank()});
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

    static argument_error check_memory(const entry& plan, const collective_call& call) {
        if (std::ssize(call.input) < plan.input)
            return {"input", std::ssize(call.input) / call.value, "as many values as the call has on this rank"};
        if (std::ssize(call.output) < plan.output)
            return {"output", std::ssize(call.output) / call.value, "as many values as the call has on this rank"};
        const auto input = std::bit_cast<std::uintptr_t>(call.input.data()),
                   output = std::bit_cast<std::uintptr_t>(call.output.data());
        const bool disjoint = input + static_cast<std::uintptr_t>(plan.input) <= output ||
                              output + static_cast<std::uintptr_t>(plan.output) <= input;
        if (disjoint || call.binding == binding::in_place) return {};
        return {"output", std::ssize(call.output) / call.value,
                "memory apart from the input; a call with one array runs in place"};
    }

    run_type& make_run(entry& plan) {
        plan.runs.push_back(std::make_unique<run_type>(plan, transport_, channel_));
        plans_.add_memory(plan, plan.runs.back()->memory());
        return *plan.runs.back();
    }
    entry* make(const collective_call& call, argument_error& error) {
        cached_plan<run_type> result{.key = call_key(call)};
        result.key.keep_numbers(result.numbers);
        if (call.neighbors != nullptr) result.neighbors = *call.neighbors;
        if (call.has_own_counts()) error = plan_exchange(call, result);
        else error = plan_chosen(call, result);
        return error ? nullptr : &plans_.add(std::move(result));
    }
    argument_error plan_exchange(const collective_call& call, cached_plan<run_type>& result) {
        exchange_blocks exchange_memory;
        if (const argument_error error = find_exchange_blocks(call, ranks(), rank(), exchange_memory)) return error;
        const rank_exchange exchange{ranks(), rank(), exchange_memory.blocks, ranks() <= 32 ? 0 : 8};
        result.steps = plan(exchange, rank());
        result.reason = "direct exchange, since each rank has its own counts alone";
        result.compares = false;
        result.input = exchange_memory.input;
        result.output = exchange_memory.output;
        return result.steps.check();
    }
    argument_error plan_chosen(const collective_call& call, cached_plan<run_type>& result) {
        choice::request request;
        request.parameters.placement = options_.placement;
        if (const argument_error error = fill_request(call, ranks(), rank(), request)) return error;
        if (!options_.policy) return {"policy", 0, "a policy that chooses schedules"};
        choice::selection selection = options_.policy(request);
        refusal_ = "one that the policy serves (" + selection.text() + ")";
        if (!selection.schedule) return {"collective", static_cast<std::int64_t>(call.collective), refusal_.c_str()};
        // The blocks of an exchange overwrite others that have not been sent.
        const bool copies = call.collective == collective::alltoall && call.binding == binding::in_place;
        const collsched::binding binding = copies ? binding::separate : call.binding;
        result.steps = plan(*selection.schedule, rank(), binding);
        if (!serves(selection.schedule->contract(), request))
            return {"policy", 0, "a policy whose schedules are of the collective and the sizes of the call"};
        result.copied_bytes = copies ? result.steps.input_bytes() : 0;
        result.reason = selection.text();
        if (result.steps.check()) return result.steps.check();
        set_memory(selection.schedule->contract(), binding, result);
        return {};
    }
    /// Returns whether a schedule is of the collective, the ranks, the root and this rank's sizes of a request.
    bool serves(const contract& offered, const choice::request& request) {
        const shape& sizes = request.parameters;
        contract expected{
            .collective = request.collective, .ranks = sizes.ranks, .root = sizes.root, .blocks = sizes.block};
        expected.bytes = sizes.bytes;
        if (request.collective == collective::alltoall) expected.blocks = block_matrix(sizes.block);
        if (request.collective == collective::neighbor_allgather)
            expected.blocks = {sizes.neighbors, slot_layout::gathered(sizes.neighbors, sizes.block, sizes.ranks)};
        if (request.collective == collective::neighbor_alltoall)
            expected.blocks = {sizes.neighbors, slot_layout::exchanged(sizes.neighbors, sizes.block)};
        return offered.collective == expected.collective && offered.ranks == expected.ranks &&
               (!is_rooted(expected.collective) || offered.root == expected.root) &&
               offered.input_bytes(rank()) == expected.input_bytes(rank()) &&
               offered.output_bytes(rank()) == expected.output_bytes(rank());
    }
    void set_memory(const contract& contract, binding binding, cached_plan<run_type>& result) {
        result.input = contract.input_bytes(rank());
        result.output = contract.output_bytes(rank());
        if (binding == binding::separate) return;
        const buffer_alias alias = contract.alias(rank(), binding);
        const bytes_t minimum = alias.any() ? contract.reach(rank(), alias.host, alias) : 0;
        if (alias.any()) (alias.guest == buffer::input ? result.input_at : result.output_at) = alias.offset;
        for (bytes_t* const size : {&result.input, &result.output}) *size = std::max(*size, minimum);
    }

    group_options options_;
    plan_budget budget_;
    group_transport<Inner> transport_;
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
    held_run(state& group, typename state::entry& plan) : run_(&group.take(plan), release{&group, &plan}) {}

    explicit operator bool() const { return run_ != nullptr; }
    typename state::run_type* operator->() const { return run_.get(); }
    state& group() const { return *run_.get_deleter().group; }
    argument_error start(const collective_call& call) { return group().start(*run_.get_deleter().plan, *run_, call); }
    outcome result() const { return group().outcome_of(run_->status()); }

  private:
    struct release {
        state* group = nullptr;
        typename state::entry* plan = nullptr;

        void operator()(typename state::run_type* run) const {
            if (run->status().running()) run->steps().cancel();
            run->steps().on_end(nullptr, nullptr);
            group->give_back(*plan, *run);
        }
    };

    std::unique_ptr<typename state::run_type, release> run_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
