#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "collsched/execute/threads.hpp"
#include "collsched/group/group.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns what a body returns for a group, as an exit status: 0 if it returns nothing.
template <class Body, class Group>
int exit_status(Body& body, Group& rank_group) {
    if constexpr (std::is_void_v<std::invoke_result_t<Body&, Group&>>) return body(rank_group), 0;
    else return static_cast<int>(body(rank_group));
}

}  // namespace detail

/// Runs body(group) in one thread per rank, each with its rank of one group. The same body runs over processes with
/// run_processes() and over MPI with run_mpi(). Failure: an exception of the body is thrown again after all threads have
/// ended; it ends the waits of the others. A lack of threads throws std::system_error.
/// @param ranks    number of ranks, 1 or more
/// @param options  of the group, such as {.policy = policies::named(allreduce::ring{})}
/// @param body     callable, body(auto& group); returns nothing, or an int: 0 for success
/// @return the first status other than 0, by rank; or 0
int run_threads(rank_t ranks, const group_options& options, auto body) {
    if (refuse_if(ranks < 1 ? argument_error{"ranks", ranks, "1 or more"} : argument_error{})) return 2;
    thread_fabric fabric(ranks);
    std::vector<int> statuses(static_cast<std::size_t>(ranks), 0);
    detail::on_threads(fabric, [&](rank_t rank) {
        thread_fabric::endpoint endpoint = fabric.at(rank);
        group rank_group(endpoint, ranks, rank, options);
        statuses[static_cast<std::size_t>(rank)] = detail::exit_status(body, rank_group);
    });
    for (const int status : statuses)
        if (status != 0) return status;
    return 0;
}

}}  // namespace collsched::COLLSCHED_ABI
