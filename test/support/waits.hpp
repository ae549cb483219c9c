#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace support {

/// The shortest of several waits of a time, and of sleeps of that time beside them: where others hold the processor, both
/// take longer.
struct shortest_waits {
    std::chrono::nanoseconds wait = std::chrono::nanoseconds::max(), sleep = wait;

    /// Waits and sleeps in turns, until a wait takes at most `slack` longer than the shortest sleep, or `tries` times.
    template <class Wait>
    shortest_waits(Wait wait_once, std::chrono::nanoseconds time, std::chrono::nanoseconds slack, int tries) {
        for (int i = 0; i < tries && (i == 0 || wait > sleep + slack); ++i) {
            wait = std::min(wait, duration_of(wait_once));
            sleep = std::min(sleep, duration_of([&] { std::this_thread::sleep_for(time); }));
        }
    }

  private:
    template <class F>
    static std::chrono::nanoseconds duration_of(F f) {
        const auto before = std::chrono::steady_clock::now();
        f();
        return std::chrono::steady_clock::now() - before;
    }
};

}  // namespace support
