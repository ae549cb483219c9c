#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>
#include <vector>

#include "collsched/execute/processes.hpp"
#include "collsched/group/threads.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Status of a process whose body has thrown an exception, or that could not join the others.
inline constexpr int failed_body = 125;

/// Runs the body of one rank in a forked process. Returns its exit status.
int run_forked(const process_group::anonymous_segment& memory, rank_t ranks, rank_t rank, const group_options& options,
               auto& body) {
    process_group membership;
    if (const auto error = membership.join(memory, ranks, rank); error) return failed_body;
    process_group::transport transport(membership);
    group rank_group(transport, ranks, rank, options);
    return exit_status(body, rank_group);
}

/// Waits for a process. Returns its exit status, or 128 and the number of the signal that ended it.
inline int wait_for(pid_t process) {
    int status = 0;
    while (::waitpid(process, &status, 0) < 0)
        if (errno != EINTR) return failed_body;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace detail

/// Runs body(group) in one process per rank, forked from this one, each with its rank of one group over shared memory.
/// As run_threads(); memory that a body writes is that of its process. Fork before threads are started. Failure: a
/// lack of processes or memory throws std::system_error; the text of an exception of a body is printed on stderr.
/// @param ranks    number of ranks, 1 or more
/// @param options  of the group
/// @param body     callable, body(auto& group); returns nothing, or an int: 0 for success
/// @return the first status other than 0, by rank; 125 for an exception, 128 + n for signal n; or 0
int run_processes(rank_t ranks, const group_options& options, auto body) {
    if (refuse_if(ranks < 1 ? argument_error{"ranks", ranks, "1 or more"} : argument_error{})) return 2;
    const process_group::anonymous_segment memory;
    if (memory.check()) throw std::system_error(memory.check().number, std::generic_category(), memory.check().object);
    std::vector<pid_t> processes;
    std::fflush(nullptr);  // a child would print what is buffered once more
    for (rank_t r = 0; r < ranks; ++r) {
        const pid_t child = ::fork();
        if (child == 0) {
            int status = detail::failed_body;
            try {
                status = detail::run_forked(memory, ranks, r, options, body);
            } catch (const std::exception& error) {
                std::fprintf(stderr, "rank %lld: %s\n", static_cast<long long>(r), error.what());
            } catch (...) {
                std::fprintf(stderr, "rank %lld: an exception\n", static_cast<long long>(r));
            }
            std::fflush(nullptr);
            ::_exit(status);
        }
        if (child < 0) {
            const int error = errno;
            for (const pid_t process : processes) ::kill(process, SIGKILL);
            for (const pid_t process : processes) detail::wait_for(process);
            throw std::system_error(error, std::generic_category(), "fork");
        }
        processes.push_back(child);
    }
    int first = 0;
    for (const pid_t process : processes)
        if (const int status = detail::wait_for(process); first == 0) first = status;
    return first;
}

}}  // namespace collsched::COLLSCHED_ABI
