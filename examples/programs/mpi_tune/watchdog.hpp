#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include <unistd.h>

/// Ends the process if it makes no progress: a rank that waits for a dead rank would wait forever. A thread watches a
/// count. It prints one line and ends the process with status 1, and mpirun then ends the other ranks. MPI_Abort is not
/// called, since the thread of MPI may be within MPI.
class watchdog {
  public:
    explicit watchdog(std::int64_t seconds) : seconds_(seconds), thread_([this] { watch(); }) {}
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;
    ~watchdog() {
        ended_ = true;
        thread_.join();
    }

    /// Sets the largest time without progress in seconds, and the rank for the message.
    void set(std::int64_t seconds, int rank) {
        rank_ = rank;
        seconds_ = seconds;
        progress();
    }
    void progress() { ++count_; }

  private:
    void watch() {
        using clock = std::chrono::steady_clock;
        constexpr std::chrono::milliseconds pause(50);
        std::int64_t seen = -1;
        for (clock::time_point since = clock::now(); !ended_; std::this_thread::sleep_for(pause)) {
            if (const std::int64_t count = count_; count != seen) {
                seen = count;
                since = clock::now();
            } else if (clock::now() - since >= std::chrono::seconds(seconds_)) {
                std::fprintf(stderr, "mpi_tune: rank %d: no progress for %lld seconds\n", rank_.load(),
                             static_cast<long long>(seconds_.load()));
                _exit(1);
            }
        }
    }

    std::atomic<std::int64_t> seconds_, count_ = 0;
    std::atomic<int> rank_ = 0;
    std::atomic<bool> ended_ = false;
    std::thread thread_;  // last: it uses all others
};
