#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/group/calls.hpp"
#include "collsched/group/group_options.hpp"
#include "collsched/group/detail/operation.hpp"
#include "collsched/group/outcome.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The collectives as member functions of Group, which has run(call): each makes the call of the function of its name in
/// `calls` from its arguments, and runs it. Temporary arguments live until the end.
template <class Group>
class collective_functions {
  public:
    outcome barrier() { return run(calls::barrier()); }
    outcome broadcast(auto&&... arrays) { return run(calls::broadcast(arrays...)); }
    outcome scatter(auto&&... arrays) { return run(calls::scatter(arrays...)); }
    outcome gather(auto&&... arrays) { return run(calls::gather(arrays...)); }
    outcome allgather(auto&&... arrays) { return run(calls::allgather(arrays...)); }
    outcome reduce(auto&&... arrays) { return run(calls::reduce(arrays...)); }
    outcome allreduce(auto&&... arrays) { return run(calls::allreduce(arrays...)); }
    outcome reduce_scatter(auto&&... arrays) { return run(calls::reduce_scatter(arrays...)); }
    outcome scan(auto&&... arrays) { return run(calls::scan(arrays...)); }
    outcome exscan(auto&&... arrays) { return run(calls::exscan(arrays...)); }
    outcome alltoall(auto&&... arrays) { return run(calls::alltoall(arrays...)); }
    outcome neighbor_allgather(auto&&... arrays) { return run(calls::neighbor_allgather(arrays...)); }
    outcome neighbor_alltoall(auto&&... arrays) { return run(calls::neighbor_alltoall(arrays...)); }

    outcome scatterv(auto&&... arrays) { return run(calls::scatterv(arrays...)); }
    outcome gatherv(auto&&... arrays) { return run(calls::gatherv(arrays...)); }
    outcome allgatherv(auto&&... arrays) { return run(calls::allgatherv(arrays...)); }
    outcome reduce_scatterv(auto&&... arrays) { return run(calls::reduce_scatterv(arrays...)); }
    outcome alltoallv(auto&&... arrays) { return run(calls::alltoallv(arrays...)); }
    outcome neighbor_allgatherv(auto&&... arrays) { return run(calls::neighbor_allgatherv(arrays...)); }
    outcome neighbor_alltoallv(auto&&... arrays) { return run(calls::neighbor_alltoallv(arrays...)); }

  private:
    outcome run(const collective_call& call) { return static_cast<Group&>(*this).run(call); }
};

}  // namespace detail

/// Ranks of a transport that run collectives together. A group chooses a schedule for each kind of call by its policy,
/// keeps its plan, and runs it; a repeated call allocates nothing.
///
/// The member functions of the collectives take the arguments of the functions of `calls`, which describe them, and
/// block. start() begins an operation that runs beside other work, prepare() one that is started often. All ranks start
/// the same operations in the same order; several may be in progress at once.
///
/// A failure is a value. It ends the operations of the group on all ranks: all later ones fail too, with the first
/// failure as their cause. Then agree() and shrink() work on, and shrink() makes a group of the living ranks, of all of
/// them if none has died. A call that is refused for its arguments has no effect.
///
/// One thread at a time uses a transport and its groups. Memory: plans and their executions, bounded by
/// group_options::kept_bytes, and 40 + p/8 bytes per rank for the messages of failures.
template <polled_transport Inner>
class group : public detail::collective_functions<group<Inner>> {
  public:
    using operation = detail::operation<Inner>;  ///< operation that start() and prepare() return
    using agreement = detail::agreement_result;  ///< result of agree()

    /// Group of all ranks of a transport. All ranks make it. A transport has one; further ones are made of it. O(p)
    /// messages are posted. Failure: wrong arguments throw bad_argument, or give a group without ranks.
    /// @param transport  transport, which outlives the group and all that are made of it
    /// @param ranks      number of its ranks, 1 or more
    /// @param rank       its own rank, 0 .. ranks-1
    /// @param options    policy, and others
    group(Inner& transport, rank_t ranks, rank_t rank, group_options options)
        : group(communicator<Inner>(transport, ranks, rank, checked_channels(options.channels)), options) {}
    /// Group of the ranks of a communicator, which has no other use. All members make it.
    /// @param members  such as the result of communicator::subset()
    /// @param options  policy, and others
    group(const communicator<Inner>& members, const group_options& options)
        : group(resilient_communicator<Inner>(members), options) {}

    /// Returns the number of ranks. @return 1 or more; 0 for a group without this rank
    rank_t ranks() const { return state_->ranks(); }
    /// Returns the rank of this process. @return 0 .. ranks()-1; -1 for a group without it
    rank_t rank() const { return state_->rank(); }
    /// Returns whether this rank is in no group: calls are refused, and groups made of it are empty.
    bool empty() const { return ranks() == 0; }

    /// Runs a call, and blocks until it has ended.
    /// @param call  result of a function of `calls`, or any other
    outcome run(const collective_call& call) {
        argument_error error;
        auto* const plan = state_->prepare(call, error);
        if (plan == nullptr) return {.wrong = error};
        if (state_->transport().is_revoked()) return state_->refused_as_revoked();
        detail::held_run<Inner> active(*state_, *plan);
        if ((error = active.start(call))) return {.wrong = error};
        if (active->status().running() && active->steps().wait_for(state_->options().timeout).running())
            active->steps().fail(timed_out);
        return active.result();
    }
    /// Begins a call. The result of the operation of a refused call has the reason.
    /// @param call  as above; its arrays live until the end
    [[nodiscard]] operation start(const collective_call& call) {
        operation result = prepare(call);
        result.start();
        return result;
    }
    /// Makes an operation without starting it: for calls that are started often (MPI_Allreduce_init).
    /// @param call  as above; its arrays live as long as the operation is started
    [[nodiscard]] operation prepare(const collective_call& call) {
        argument_error error;
        auto* const plan = state_->prepare(call, error);
        return plan == nullptr ? operation(error) : operation(state_, detail::held_run<Inner>(*state_, *plan), call);
    }
    /// Returns why the policy chose the schedule of a call, as one line; or why the call is refused. Makes its plan if
    /// none is kept, and runs nothing.
    /// @param call  as above
    std::string explain(const collective_call& call) {
        argument_error error;
        auto* const plan = state_->prepare(call, error);
        return plan == nullptr ? std::string("refused: ") + error.text().c_str() : plan->reason;
    }

    /// Makes a group of the same ranks. All ranks call it. O(p).
    group dup() { return empty() ? empty_group() : group(members().dup(), options()); }
    /// Makes a group of some ranks. All ranks call it with the same list.
    /// @param list  ranks of this group, each at most once, in the order of their ranks in the result
    /// @return without ranks on those that are not in the list
    group subset(std::span<const rank_t> list) {
        return empty() ? empty_group() : group(members().subset(list), options());
    }
    /// Makes a group per color, of the ranks with that color in order of keys. All ranks call it with the same lists.
    /// @param colors  of each rank: 0 or more, or communicator::undefined
    /// @param keys    of each rank; none: all are equal
    /// @return the group of this rank's color
    group split(std::span<const std::int64_t> colors, std::span<const std::int64_t> keys = {}) {
        return empty() ? empty_group() : group(members().split(colors, keys), options());
    }

    /// Ends the operations of all ranks, now and later, as a failure does. Any rank may call it, alone.
    void revoke() { state_->transport().revoke(); }
    /// Returns whether the group has failed, as far as this rank has received.
    bool is_revoked() const { return state_->transport().is_revoked(); }
    /// Agrees with the living ranks on the bitwise AND of their flags, and on those that have failed. All living ranks
    /// call it. Works after failures.
    /// @param flags  bits of this rank
    agreement agree(std::uint64_t flags) { return empty() ? agreement{} : state_->transport().agree(flags); }
    /// Makes a group of the living ranks, in the same order. All living ranks call it, after a failure or without one.
    group shrink() { return empty() ? empty_group() : group(state_->transport().shrink(), options()); }

    /// Returns the memory of the plans that are kept, and of their executions.
    /// @return bytes
    bytes_t kept_bytes() const { return state_->plans().memory(); }

  private:
    group empty_group() const { return group(communicator<Inner>(), options()); }
    group(resilient_communicator<Inner> members, const group_options& options)
        : state_(std::make_shared<detail::group_state<Inner>>(std::move(members), options)) {}

    /// A communicator needs channels for failures and for operations, beside its own two.
    static std::uint64_t checked_channels(std::uint64_t channels) {
        if (channels < 4) refuse_if({"channels", static_cast<std::int64_t>(channels), "4 or more"});
        return channels;
    }
    communicator<Inner>& members() const { return state_->transport().members(); }
    const group_options& options() const { return state_->options(); }

    std::shared_ptr<detail::group_state<Inner>> state_;
};

}}  // namespace collsched::COLLSCHED_ABI
