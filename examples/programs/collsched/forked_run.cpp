#include "forked_run.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

using namespace collsched;
using namespace std::chrono_literals;

shared_pages::shared_pages(std::size_t size) : size_(size) {
    if (size == 0) return;
    void* const pages =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    start_ = static_cast<std::byte*>(pages);
}

shared_pages::~shared_pages() {
    if (start_ != nullptr) ::munmap(start_, size_);
}

namespace {

/// The first failure of any rank, shared with the parent process.
struct report {
    std::atomic<bool> taken = false;
    run_status failure{};
    process_group::join_error
        wrong{};  ///< `about` is a text of this program, which has the same address in all processes

    void record(const run_status& end, const process_group::join_error& why = {}) {
        if (taken.exchange(true)) return;
        failure = end;
        wrong = why;
    }
};

/// Calls f(transport) after all ranks have joined.
template <class F>
void meet(const process_group::anonymous_segment& room, rank_t ranks, rank_t rank, report& result, F f) {
    const run_status lost{.state = run_status::phase::failed, .rank = rank};
    process_group group;
    if (const process_group::join_error wrong = group.join(room, ranks, rank)) return result.record(lost, wrong);
    if (const process_group::join_error wrong = group.wait_for_all(60s)) return result.record(lost, wrong);
    process_group::transport transport(group);
    f(transport);
}

void run_rank(process_group::transport& transport, bound_plan plan, reduction op, int repeat, report& result) {
    if (const run_status wrong = plan.outcome(); wrong.failed()) return result.record(wrong);
    execution<process_group::transport> running(plan.plan(), transport);
    for (int i = 0; i < repeat; ++i) {
        running.start(plan.buffers(), op);
        if (!running.wait().done()) return result.record(running.state());
    }
}

/// The child processes. The destructor kills those that are still running.
class children {
  public:
    ~children() {
        for (const pid_t child : all_) ::kill(child, SIGKILL);
        while (!all_.empty()) wait_for_last();
    }

    template <class F>
    void start(F f) {
        const pid_t child = ::fork();
        if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (child > 0) return all_.push_back(child);
        int end = 1;
        try {
            f();
            end = 0;
        } catch (...) {  // the parent's state in this process is irrelevant; the status reports the failure
        }
        ::_exit(end);
    }

    /// Waits for all children. Returns a rank that did not end successfully; -1: none.
    rank_t wait_for_all() {
        rank_t bad = -1;
        while (!all_.empty())
            if (!wait_for_last()) bad = std::ssize(all_);
        return bad;
    }

  private:
    bool wait_for_last() {
        int how = 0;
        while (::waitpid(all_.back(), &how, 0) < 0 && errno == EINTR) {}
        all_.pop_back();
        return WIFEXITED(how) && WEXITSTATUS(how) == 0;
    }

    std::vector<pid_t> all_;  // by rank
};

}  // namespace

namespace {

/// Calls run(transport, rank, report) in one process per rank. Returns the first reported failure. `bad`: a rank that
/// did not end successfully, or -1.
template <class F>
std::optional<run_status> fork_all(rank_t ranks, rank_t& bad, F run) {
    const process_group::anonymous_segment room;
    const shared_pages page(sizeof(report));
    report& result = *new (page.bytes().data()) report();
    children all;
    for (rank_t r = 0; r < ranks; ++r)
        all.start([&] { meet(room, ranks, r, result, [&](process_group::transport& over) { run(over, r, result); }); });
    bad = all.wait_for_all();
    if (result.wrong)
        throw std::system_error(result.wrong.number, std::generic_category(),
                                "rank " + std::to_string(result.failure.rank) + ", " + result.wrong.object);
    return result.taken ? std::optional(result.failure) : std::nullopt;
}

}  // namespace

bool run_forked(rank_t ranks, const std::function<void(process_group::transport&, rank_t)>& f) {
    rank_t bad = -1;
    const auto failure = fork_all(ranks, bad, [&](process_group::transport& over, rank_t r, report&) { f(over, r); });
    return !failure && bad < 0;
}

run_status run_forked(const any_schedule& s, std::span<const rank_memory> memory, binding how, reduction op,
                      int repeat) {
    // Plans are made before the processes, so that an invalid schedule is rejected here. Memory is private to each
    // process.
    std::vector<plan> plans;
    for (rank_t r = 0; r < s.ranks; ++r) plans.emplace_back(s, r, how);
    rank_t bad = -1;
    const auto failure = fork_all(s.ranks, bad, [&](process_group::transport& over, rank_t r, report& mine) {
        const auto own = static_cast<std::size_t>(r);
        run_rank(over, bound_plan(std::move(plans[own]), memory[own]), op, repeat, mine);
    });
    if (failure) return *failure;
    if (bad >= 0) return {.state = run_status::phase::failed, .error = process_group::error::peer_died, .rank = bad};
    return {.state = run_status::phase::done};
}
