#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "collsched/cost/loggp.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Model of a measured network, or the error of the transport that ended the measurement.
struct calibration_result {
    loggp_model model;
    int error = 0;
};

/// Messages between two ranks, one after the other, each end knowing what the other does next.
template <polled_transport Transport, class Clock = std::chrono::steady_clock>
class calibration {
    using clock = Clock;

  public:
    calibration(Transport& transport, rank_t self, rank_t peer, std::uint64_t channel, int rounds)
        : transport_(transport),
          peer_(peer),
          leads_(self < peer),
          channel_(channel),
          rounds_(std::max(1, rounds)),
          memory_(large_bytes),
          operands_(2 * small_bytes / 8, 1.0) {}

    calibration_result run() {
        (void)exchange(1, 100);  // both are awake
        const double small = exchange(1, 20), large = exchange(large_bytes, 2);
        const double posting = posts(), gap = stream();
        loggp_model model;
        model.overhead_ps = picoseconds_of(posting);
        model.latency_ps = std::max<picoseconds>(0, picoseconds_of(small) - 2 * model.overhead_ps);
        model.gap_ps = picoseconds_of(gap);  // which contains o: the model has them overlap
        model.byte_fs = femtoseconds_a_byte(large - small, large_bytes - 1);
        model.copy_fs = femtoseconds_a_byte(copies(), small_bytes);
        model.combine_fs = femtoseconds_a_byte(sums(), small_bytes);
        if (pending_count_ > 0) transport_.cancel(this);  // after an error: the memory ends with this
        return {model, error_};
    }

  private:
    static constexpr bytes_t small_bytes = 1 << 18, large_bytes = 1 << 22;
    static constexpr int burst_length = 32;

    static picoseconds picoseconds_of(double seconds) { return static_cast<picoseconds>(seconds * 1e12); }
    static std::int64_t femtoseconds_a_byte(double seconds, bytes_t bytes) {
        return std::max<std::int64_t>(0, static_cast<std::int64_t>(seconds * 1e15 / static_cast<double>(bytes)));
    }

    /// Message `number` of a phase. Tokens: sends even, receives odd.
    void post_send(std::int64_t number, bytes_t bytes, std::uint64_t phase) {
        message::send_part& from = from_[static_cast<std::size_t>(number)];
        from = {memory_.data(), bytes};
        count_post(transport_.post_send({peer_, channel_, phase, number, 0, {this, 2 * number}}, {&from, 1}));
    }
    void post_recv(std::int64_t number, bytes_t bytes, std::uint64_t phase) {
        message::receive_part& into = into_[static_cast<std::size_t>(number)];
        into = {memory_.data(), bytes};
        count_post(transport_.post_recv({peer_, channel_, phase, number, 0, {this, 2 * number + 1}}, {&into, 1}));
    }
    void count_post(int code) {
        if (code == 0) ++pending_count_;
        else if (code != already_complete && error_ == 0) error_ = code;
    }
    void wait_for_all() {
        while (pending_count_ > 0 && error_ == 0) {
            completion c = transport_.poll();
            if (c.empty()) c = transport_.wait_any(forever);
            if (c.error != 0) error_ = c.error;
            --pending_count_;
        }
    }
    void send(bytes_t bytes) {
        post_send(0, bytes, phase_++);
        wait_for_all();
    }
    void receive(bytes_t bytes) {
        post_recv(0, bytes, phase_++);
        wait_for_all();
    }

    /// The least time that f takes, of all rounds.
    double minimum(auto f) {
        double best = std::numeric_limits<double>::max();
        for (int i = 0; i < rounds_ && error_ == 0; ++i) best = std::min(best, f());
        return error_ == 0 ? best : 0;
    }
    static double seconds(auto f) {
        const auto start = clock::now();
        f();
        return std::chrono::duration<double>(clock::now() - start).count();
    }

    /// One way of a message, from how long it goes to and fro.
    double exchange(bytes_t bytes, int times) {
        return minimum([&] {
            return seconds([&] {
                       for (int i = 0; i < times && error_ == 0; ++i) {
                           if (leads_) send(bytes), receive(bytes);
                           else receive(bytes), send(bytes);
                       }
                   }) /
                   (2 * times);
        });
    }
    /// Returns the time that the post of a small send takes, in seconds.
    double posts() {
        return minimum([&] { return burst(burst_length).posting; }) / burst_length;
    }
    /// Returns the time from one small message to the next in a sequence of them, in seconds.
    double stream() {
        const double burst_seconds = minimum([&] { return burst(burst_length).duration; }),
                     message_seconds = minimum([&] { return burst(1).duration; });
        return std::max(0.0, burst_seconds - message_seconds) / (burst_length - 1);
    }

    struct burst_times {
        double posting, duration;
    };
    /// Sends small messages from the leader to posted receives, and one reply back.
    burst_times burst(int messages) {
        const std::uint64_t phase = phase_++;
        for (int i = 0; i < messages && !leads_; ++i) post_recv(i, 1, phase);
        if (leads_) receive(1);
        else post_send(0, 1, phase_++);
        burst_times times{};
        times.duration = seconds([&] {
            times.posting = seconds([&] {
                for (int i = 0; i < messages && leads_; ++i) post_send(i, 1, phase);
            });
            wait_for_all();
            if (leads_) receive(1);
            else send(1);
        });
        return times;
    }

    double copies() {
        return minimum([&] {
            return seconds([&] {
                std::memcpy(memory_.data() + small_bytes, memory_.data(), static_cast<std::size_t>(small_bytes));
                sink_ = memory_[static_cast<std::size_t>(small_bytes)];
            });
        });
    }
    double sums() {
        return minimum([&] {
            return seconds([&] {
                const std::size_t n = operands_.size() / 2;
                for (std::size_t i = 0; i < n; ++i) operands_[i] += operands_[n + i];
                sink_ = static_cast<std::byte>(operands_[n / 2] > 0);
            });
        });
    }

    Transport& transport_;
    rank_t peer_;
    bool leads_;
    std::uint64_t channel_, phase_ = 0;
    int rounds_;
    std::vector<std::byte> memory_;
    std::vector<double> operands_;
    std::array<message::send_part, burst_length> from_;  // of the messages that are under way, by number
    std::array<message::receive_part, burst_length> into_;
    volatile std::byte sink_{};  // the result of each computation is used
    std::int64_t pending_count_ = 0;
    int error_ = 0;
};

}  // namespace detail

/// Measures the parameters of a LogGP model between two ranks of a transport. Both ranks call it at the same time.
///
/// o: post of a small send. L: a small message beyond 2 o. g: distance of small messages in a row. G: difference of 4
/// MiB and 1 byte, per byte. Also the time per byte of a copy and of a sum of doubles of this rank. Each value is the
/// least of all rounds. On a busy node the values are too large. Memory: 4.5 MiB.
/// @param transport  transport of this rank
/// @param self       this rank
/// @param peer       the other rank
/// @param channel    channel without other messages
/// @param rounds     number of measurements of each value, 1 or more
/// @return the model, and 0 or the error of the transport that ended the measurement. Only the lower of the two ranks
///         measures o and g.
template <polled_transport Transport>
detail::calibration_result calibrate(Transport& transport, rank_t self, rank_t peer, std::uint64_t channel = 0,
                                     int rounds = 50) {
    return detail::calibration<Transport>(transport, self, peer, channel, rounds).run();
}

}}  // namespace collsched::COLLSCHED_ABI
