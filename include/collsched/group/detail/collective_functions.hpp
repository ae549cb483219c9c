#pragma once

#include <utility>

#include "collsched/group/irregular_calls.hpp"
#include "collsched/group/outcome.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The collectives as member functions of Group, which has run(call): each makes the call of the function of its name in
/// `calls` from its arguments, and runs it.
template <class Group>
class collective_functions {
  public:
    outcome barrier() { return run(calls::barrier()); }
    template <class... A>
    outcome broadcast(A&&... a) {
        return run(calls::broadcast(std::forward<A>(a)...));
    }
    template <class... A>
    outcome scatter(A&&... a) {
        return run(calls::scatter(std::forward<A>(a)...));
    }
    template <class... A>
    outcome gather(A&&... a) {
        return run(calls::gather(std::forward<A>(a)...));
    }
    template <class... A>
    outcome allgather(A&&... a) {
        return run(calls::allgather(std::forward<A>(a)...));
    }
    template <class... A>
    outcome reduce(A&&... a) {
        return run(calls::reduce(std::forward<A>(a)...));
    }
    template <class... A>
    outcome allreduce(A&&... a) {
        return run(calls::allreduce(std::forward<A>(a)...));
    }
    template <class... A>
    outcome reduce_scatter(A&&... a) {
        return run(calls::reduce_scatter(std::forward<A>(a)...));
    }
    template <class... A>
    outcome scan(A&&... a) {
        return run(calls::scan(std::forward<A>(a)...));
    }
    template <class... A>
    outcome exscan(A&&... a) {
        return run(calls::exscan(std::forward<A>(a)...));
    }
    template <class... A>
    outcome alltoall(A&&... a) {
        return run(calls::alltoall(std::forward<A>(a)...));
    }
    template <class... A>
    outcome neighbor_allgather(A&&... a) {
        return run(calls::neighbor_allgather(std::forward<A>(a)...));
    }
    template <class... A>
    outcome neighbor_alltoall(A&&... a) {
        return run(calls::neighbor_alltoall(std::forward<A>(a)...));
    }

    template <class... A>
    outcome scatterv(A&&... a) {
        return run(calls::scatterv(std::forward<A>(a)...));
    }
    template <class... A>
    outcome gatherv(A&&... a) {
        return run(calls::gatherv(std::forward<A>(a)...));
    }
    template <class... A>
    outcome allgatherv(A&&... a) {
        return run(calls::allgatherv(std::forward<A>(a)...));
    }
    template <class... A>
    outcome reduce_scatterv(A&&... a) {
        return run(calls::reduce_scatterv(std::forward<A>(a)...));
    }
    template <class... A>
    outcome alltoallv(A&&... a) {
        return run(calls::alltoallv(std::forward<A>(a)...));
    }
    template <class... A>
    outcome neighbor_allgatherv(A&&... a) {
        return run(calls::neighbor_allgatherv(std::forward<A>(a)...));
    }
    template <class... A>
    outcome neighbor_alltoallv(A&&... a) {
        return run(calls::neighbor_alltoallv(std::forward<A>(a)...));
    }

  private:
    outcome run(const collective_call& call) { return static_cast<Group&>(*this).run(call); }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
