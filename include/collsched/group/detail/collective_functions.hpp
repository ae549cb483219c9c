#pragma once

#include "collsched/group/irregular_calls.hpp"
#include "collsched/group/outcome.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The collectives as member functions of Group, which has run(call): each makes the call of the function of its name in
/// `calls` from its arguments, and runs it. Temporary arguments live until the end.
template <class Group>
class collective_functions {
  public:
    outcome barrier() { return run(calls::barrier()); }
    template <class... A>
    outcome broadcast(A&&... a) {
        return run(calls::broadcast(a...));
    }
    template <class... A>
    outcome scatter(A&&... a) {
        return run(calls::scatter(a...));
    }
    template <class... A>
    outcome gather(A&&... a) {
        return run(calls::gather(a...));
    }
    template <class... A>
    outcome allgather(A&&... a) {
        return run(calls::allgather(a...));
    }
    template <class... A>
    outcome reduce(A&&... a) {
        return run(calls::reduce(a...));
    }
    template <class... A>
    outcome allreduce(A&&... a) {
        return run(calls::allreduce(a...));
    }
    template <class... A>
    outcome reduce_scatter(A&&... a) {
        return run(calls::reduce_scatter(a...));
    }
    template <class... A>
    outcome scan(A&&... a) {
        return run(calls::scan(a...));
    }
    template <class... A>
    outcome exscan(A&&... a) {
        return run(calls::exscan(a...));
    }
    template <class... A>
    outcome alltoall(A&&... a) {
        return run(calls::alltoall(a...));
    }
    template <class... A>
    outcome neighbor_allgather(A&&... a) {
        return run(calls::neighbor_allgather(a...));
    }
    template <class... A>
    outcome neighbor_alltoall(A&&... a) {
        return run(calls::neighbor_alltoall(a...));
    }

    template <class... A>
    outcome scatterv(A&&... a) {
        return run(calls::scatterv(a...));
    }
    template <class... A>
    outcome gatherv(A&&... a) {
        return run(calls::gatherv(a...));
    }
    template <class... A>
    outcome allgatherv(A&&... a) {
        return run(calls::allgatherv(a...));
    }
    template <class... A>
    outcome reduce_scatterv(A&&... a) {
        return run(calls::reduce_scatterv(a...));
    }
    template <class... A>
    outcome alltoallv(A&&... a) {
        return run(calls::alltoallv(a...));
    }
    template <class... A>
    outcome neighbor_allgatherv(A&&... a) {
        return run(calls::neighbor_allgatherv(a...));
    }
    template <class... A>
    outcome neighbor_alltoallv(A&&... a) {
        return run(calls::neighbor_alltoallv(a...));
    }

  private:
    outcome run(const collective_call& call) { return static_cast<Group&>(*this).run(call); }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
