#include "search_time.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace {

using cpu_time = std::chrono::microseconds;

volatile std::sig_atomic_t interrupts = 0;

void interrupt(int) { interrupts = 1; }

/// The next interrupt calls the handler, those after it end the program.
void handle_interrupt() {
    struct sigaction action{};
    action.sa_handler = interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    struct sigaction before{};
    sigaction(SIGINT, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
}

cpu_time processor_time() {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::duration_cast<cpu_time>(std::chrono::seconds(used.tv_sec) +
                                                std::chrono::nanoseconds(used.tv_nsec));
}

}  // namespace

/// Reads the processor time at most once a millisecond, since this takes a microsecond.
struct search_time::clock {
    using steady = std::chrono::steady_clock;
    static constexpr cpu_time never = cpu_time::max();

    explicit clock(cpu_time allowed) : begin(processor_time()), budget(allowed) {}

    cpu_time used() {
        const std::int64_t now = steady::now().time_since_epoch().count();
        if (now >= next_look) {
            next_look = now + std::chrono::duration_cast<steady::duration>(std::chrono::milliseconds(1)).count();
            last_seen = (processor_time() - begin).count();
        }
        return cpu_time(last_seen.load());
    }
    bool is_over() {
        if (interrupts == 0) return used() >= budget / 4 * 3;
        std::int64_t unset = never.count();
        end.compare_exchange_strong(unset, (processor_time() - begin + std::chrono::seconds(1)).count());
        return true;
    }
    bool is_late() {
        if (interrupts != 0) is_over();
        return used() >= std::min(budget, cpu_time(end.load()));
    }

    const cpu_time begin, budget;
    std::atomic<std::int64_t> next_look{0}, last_seen{0}, end{never.count()};
};

search_time::search_time(cpu_time budget) : clock_(std::make_shared<clock>(budget)) {
    if (!is_interrupted()) handle_interrupt();
}

std::function<bool()> search_time::is_over() const {
    return [clock = clock_] { return clock->is_over(); };
}
std::function<bool()> search_time::is_late() const {
    return [clock = clock_] { return clock->is_late(); };
}
cpu_time search_time::used() const { return processor_time() - clock_->begin; }
bool search_time::is_interrupted() { return interrupts != 0; }
