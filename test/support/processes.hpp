#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <vector>

#include "collsched/core/rank.hpp"

namespace support {

using namespace collsched;

/// Processes forked from the test, one per rank. Each runs f(rank), which returns a fault or "". A process that takes
/// longer than a minute is killed.
class rank_processes {
  public:
    template <class F>
    rank_processes(rank_t ranks, F f) {
        for (rank_t r = 0; r < ranks; ++r) {
            int ends[2];
            if (::pipe(ends) != 0) std::terminate();
            const pid_t child = ::fork();
            if (child < 0) std::terminate();
            if (child == 0) {
                ::alarm(60);
                ::_exit(report(ends[1], f, r));
            }
            ::close(ends[1]);
            pids_.push_back(child);
            pipes_.push_back(ends[0]);
        }
    }
    rank_processes(const rank_processes&) = delete;
    rank_processes& operator=(const rank_processes&) = delete;
    ~rank_processes() { faults(); }

    pid_t pid(rank_t rank) const { return pids_[static_cast<std::size_t>(rank)]; }

    /// Waits for all processes. Returns the fault of each, or its signal or exit status.
    std::vector<std::string> faults() {
        std::vector<std::string> all;
        for (std::size_t r = 0; r < pids_.size(); ++r) {
            std::string text;
            char buffer[512];
            for (ssize_t n; (n = ::read(pipes_[r], buffer, sizeof buffer)) > 0;)
                text.append(buffer, static_cast<std::size_t>(n));
            ::close(pipes_[r]);
            int status = 0;
            ::waitpid(pids_[r], &status, 0);
            if (WIFSIGNALED(status)) text += "killed by signal " + std::to_string(WTERMSIG(status));
            else if (WEXITSTATUS(status) != 0) text += "exit status " + std::to_string(WEXITSTATUS(status));
            all.push_back(text);
        }
        pids_.clear();
        return all;
    }

  private:
    template <class F>
    static int report(int pipe, F& f, rank_t rank) {
        std::string text;
        try {
            text = f(rank);
        } catch (const std::exception& e) {
            text = e.what();
        }
        const auto size = static_cast<ssize_t>(text.size());
        return ::write(pipe, text.data(), text.size()) == size ? 0 : 3;
    }

    std::vector<pid_t> pids_;
    std::vector<int> pipes_;
};

/// Returns the faults of the ranks, one line per rank with a fault.
inline std::string run_processes_of(rank_t ranks, auto f) {
    std::string wrong;
    rank_processes all(ranks, f);
    rank_t rank = 0;
    for (const std::string& text : all.faults()) {
        if (!text.empty()) wrong += "rank " + std::to_string(rank) + ": " + text + "\n";
        ++rank;
    }
    return wrong;
}

/// Users that no process of the test runs as.
constexpr uid_t some_user = 65534, other_user = 65533;

/// Makes this process one of another user permanently. Returns false if it may not.
inline bool become(uid_t user) { return ::setresgid(user, user, user) == 0 && ::setresuid(user, user, user) == 0; }

/// Whether this process may act as another user and give files away. Root may, except where a container has only one user or
/// has taken these rights from root.
inline bool may_act_as_others() {
    if (::geteuid() != 0) return false;
    const int file = ::memfd_create("given-away", 0);
    const bool gives = file >= 0 && ::fchown(file, some_user, some_user) == 0;
    if (file >= 0) ::close(file);
    return gives &&
           run_processes_of(1, [](rank_t) -> std::string { return become(some_user) ? "" : "may not"; }).empty();
}

}  // namespace support
