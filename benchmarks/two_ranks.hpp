#pragma once

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "collsched/execute/threads.hpp"

/// Measures collectives of two ranks beside one memcpy of the same bytes.
namespace two_ranks {

using namespace collsched;
using clock_type = std::chrono::steady_clock;

inline double seconds_since(clock_type::time_point before) {
    return std::chrono::duration<double>(clock_type::now() - before).count();
}

/// Seconds for so many copies of one buffer of these bytes to another.
inline double copy(std::vector<std::byte>& into, const std::vector<std::byte>& from, int times) {
    const auto before = clock_type::now();
    for (int i = 0; i < times; ++i) {
        std::memcpy(into.data(), from.data(), from.size());
        asm volatile("" : : "r"(into.data()) : "memory");  // somebody may look at it
    }
    return seconds_since(before);
}

/// One rank of a schedule with memory for it, over a transport.
template <class Transport>
class one_rank {
  public:
    template <class X>
    one_rank(const X& x, rank_t rank, Transport& over, binding how)
        : output_(static_cast<std::size_t>(lower(x).contract().output_bytes(rank)), std::byte{1}),
          input_(how == binding::in_place ? 0 : static_cast<std::size_t>(lower(x).contract().input_bytes(rank)),
                 std::byte{2}),
          own_(x, rank, memory(lower(x).contract(), rank, how), how),
          run_(own_.plan(), over) {}

    bool once() {
        run_.start(own_.buffers());
        return run_.wait_for(std::chrono::seconds(20)).done();
    }
    run_status state() const { return run_.state(); }

  private:
    rank_memory memory(const contract& contract, rank_t rank, binding how) {
        const auto alias = contract.alias(rank, how);
        if (!alias.any()) return {input_, output_};
        const auto size = static_cast<std::size_t>(contract.input_bytes(rank));
        return {std::span(output_).subspan(static_cast<std::size_t>(alias.offset), size), output_};
    }

    std::vector<std::byte> output_, input_;
    bound_plan own_;
    execution<Transport> run_;
};

/// Two ranks over threads: rank 1 in a thread of its own, which runs as often as rank 0 does.
template <class X>
class pair_of_threads {
  public:
    pair_of_threads(const X& x, binding how)
        : fabric_(2), at_{fabric_.at(0), fabric_.at(1)}, zero_(x, 0, at_[0], how), one_(x, 1, at_[1], how) {
        other_ = std::jthread([this](std::stop_token stop) {
            for (together_.arrive_and_wait(); !stop.stop_requested(); together_.arrive_and_wait())
                for (int i = 0; i < times_; ++i) failed_ = failed_ || !one_.once();
        });
    }
    ~pair_of_threads() {
        other_.request_stop();
        together_.arrive_and_wait();
    }

    /// Seconds for so many runs one after another, on rank 0, after one that brings the two together.
    double run(int times) {
        times_ = times + 1;
        together_.arrive_and_wait();
        failed_ = failed_ || !zero_.once();
        const auto before = clock_type::now();
        for (int i = 0; i < times; ++i) failed_ = failed_ || !zero_.once();
        return seconds_since(before);
    }
    bool failed() const { return failed_; }

  private:
    using endpoint = thread_fabric::endpoint;

    thread_fabric fabric_;
    endpoint at_[2];
    one_rank<endpoint> zero_, one_;
    std::barrier<> together_{2};
    int times_ = 0;
    std::atomic<bool> failed_ = false;
    std::jthread other_;
};

}  // namespace two_ranks
