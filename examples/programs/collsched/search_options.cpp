#include "search_options.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "model_option.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

constexpr std::int64_t most_threads = 1024;

/// Calls f(0) .. f(n-1) in this number of threads. The first exception ends the calls and is thrown again.
void call_in_threads(std::int64_t threads, std::int64_t n, const std::function<void(std::int64_t)>& f) {
    std::atomic<std::int64_t> next = 0;
    std::exception_ptr failure;
    std::mutex lock;
    const auto work = [&] {
        try {
            for (std::int64_t i; (i = next++) < n;) f(i);
        } catch (...) {
            const std::lock_guard guard(lock);
            if (!failure) failure = std::current_exception();
            next = n;
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::int64_t t = 1; t < std::min(threads, n); ++t) others.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace

search_options::search_options(CLI::App& command)
    : threads(command, option_group::other, "--threads", "N", "threads of the search (default: one per core)"),
      budget(command, option_group::other, "--budget", "SECONDS",
             "processor time of the search, which then ends with the best schedule so far (default: "
             "COLLSCHED_BUDGET, or 2 up to 64 ranks, 5 up to 256, 10 up to 1000, then 0.01 per rank up to 60)") {}

std::chrono::microseconds search_options::read_budget(rank_t ranks) const {
    constexpr std::chrono::microseconds per_rank(10'000);
    constexpr std::chrono::seconds most(60);
    const std::chrono::seconds least(ranks <= 64 ? 2 : ranks <= 256 ? 5 : 10);
    if (budget.given()) return std::chrono::microseconds(read_decimal(budget.name(), budget.text()));
    const char* const usual = std::getenv("COLLSCHED_BUDGET");
    if (usual != nullptr && *usual != '\0') return std::chrono::microseconds(read_decimal("COLLSCHED_BUDGET", usual));
    return std::clamp<std::chrono::microseconds>(ranks * per_rank, least, most);
}

choice::resources search_options::read() const {
    const std::int64_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::int64_t wanted = threads.number(1, std::min(cores, most_threads));
    if (wanted > most_threads) throw usage_error(threads.name(), threads.text(), "1 to 1024");
    choice::resources use;
    if (wanted > 1)
        use.for_each = [wanted](std::int64_t n, const std::function<void(std::int64_t)>& f) {
            call_in_threads(wanted, n, f);
        };
    return use;
}
