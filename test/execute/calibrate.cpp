#include "collsched/execute/calibrate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "collsched/execute/thread_fabric.hpp"
#include "support/faulty.hpp"

using namespace collsched;

TEST_CASE("calibrate: every parameter measured between two threads is plausible") {
    thread_fabric fabric(2);
    int other_error = -1;
    std::jthread second([&] {
        auto end = fabric.at(1);
        other_error = calibrate(end, 1, 0, 5, 5).error;
    });
    auto end = fabric.at(0);
    const auto made = calibrate(end, 0, 1, 5, 5);
    second.join();
    CHECK(made.error == 0);
    CHECK(other_error == 0);
    CHECK(!made.model.check());
    CHECK(made.model.overhead_ps > 0);
    CHECK(made.model.latency_ps + made.model.overhead_ps < 1'000'000'000'000);
    // On a loaded machine a large message may be as fast as a small one.
    CHECK((made.model.byte_fs >= 0 && made.model.byte_fs < 1'000'000'000));
    CHECK(made.model.copy_fs > 100);  // no memory moves ten terabytes a second
    CHECK(made.model.combine_fs > 100);
}

TEST_CASE("calibrate: an error of the transport ends the measurement") {
    thread_fabric fabric(2);
    support::faulty<thread_fabric::endpoint> broken(fabric.at(0), support::faulty<thread_fabric::endpoint>::where::send,
                                                    0);
    CHECK(calibrate(broken, 0, 1).error == support::faulty<thread_fabric::endpoint>::failure);
}

namespace {

/// A clock that the transport of a test moves, and that moves by `tick` whenever it is read.
struct virtual_clock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<virtual_clock>;
    [[maybe_unused]] static constexpr bool is_steady = true;
    static inline duration time{}, tick{};

    static time_point now() { return time_point(time += tick); }
};

/// One end of a channel whose other end is always ready: a post of a send takes 20 us, the end of a receive 100 us, of a
/// large one 1175 us, so that 2^22 bytes and one byte less give different numbers of femtoseconds for a byte.
struct virtual_end {
    struct state {
        std::vector<completion> ready;
        std::vector<bytes_t> large;  // per completion: bytes of a receive, or 0
        std::size_t sends = 0, receives = 0, completions = 0, cancels = 0;
        std::size_t fails_at = ~std::size_t{0};
        int answer = 0, error = 0;
        std::uint64_t last_phase = 0;
        rank_t peer = 0;
    };
    state* all;

    int post(const message::key& key, bytes_t size, std::int64_t parity) {
        CHECK((key.peer == all->peer && key.channel == 9 && key.fingerprint == 0));
        CHECK((size == 1 || size == 4'194'304));
        CHECK(key.request.node == 2 * key.sequence + parity);
        CHECK((key.sequence >= 0 && key.sequence < 32 && key.request.owner != nullptr));
        CHECK(key.epoch + 1 >= all->last_phase);  // a reply has the phase after that of its burst
        all->last_phase = std::max(all->last_phase, key.epoch);
        if (all->answer != 0) return all->answer;
        all->ready.push_back({key.request, 0, key.peer});
        all->large.push_back(parity == 0 ? 0 : size);
        return 0;
    }
    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        virtual_clock::time += std::chrono::microseconds(20);
        ++all->sends;
        return post(key, total_bytes(parts), 0);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        ++all->receives;
        return post(key, total_bytes(parts), 1);
    }
    completion poll() { return {}; }
    completion wait_any(std::chrono::nanoseconds timeout) {
        CHECK(timeout == forever);
        REQUIRE(!all->ready.empty());
        if (all->large.front() > 0)
            virtual_clock::time += std::chrono::microseconds(all->large.front() > 1 ? 1175 : 100);
        completion done = all->ready.front();
        all->ready.erase(all->ready.begin());
        all->large.erase(all->large.begin());
        if (all->completions++ == all->fails_at) done.error = all->error;
        return done;
    }
    void cancel(const void* owner) {
        CHECK(owner != nullptr);
        ++all->cancels;
    }
};

detail::calibration_result calibrated(virtual_end::state& state, rank_t self, int rounds) {
    virtual_end end{&state};
    state.peer = 1 - self;
    return detail::calibration<virtual_end, virtual_clock>(end, self, 1 - self, 9, rounds).run();
}

}  // namespace

TEST_CASE("calibrate: each parameter follows from the times of its messages") {
    virtual_clock::tick = {};
    virtual_end::state lower, upper;
    const detail::calibration_result first = calibrated(lower, 0, 3);
    CHECK(first.error == 0);
    CHECK(first.model.overhead_ps == doctest::Approx(20e6));  // the post of a send
    CHECK(first.model.latency_ps == doctest::Approx((20e6 + 100e6) / 2 - 2 * 20e6));
    CHECK(first.model.gap_ps == doctest::Approx(20e6));  // one more message of a sequence
    CHECK(first.model.byte_fs == 128'150);               // (1195 us - 120 us) / 2 / (2^22 - 1), rounded down
    CHECK((first.model.copy_fs == 0 && first.model.combine_fs == 0 && lower.cancels == 0));
    const detail::calibration_result second = calibrated(upper, 1, 3);
    CHECK(second.model.overhead_ps == 0);
    CHECK(second.model.latency_ps == doctest::Approx(60e6));
    CHECK(second.model.gap_ps == doctest::Approx(100e6));  // which only the lower rank measures
    // 100, 20 and 2 messages to and fro, bursts of 32, 32 and 1 message, and a message before and after each.
    CHECK((lower.sends == 3 * (122 + 65) && lower.receives == 3 * (122 + 6)));
    CHECK((upper.receives == lower.sends && upper.sends == lower.receives));
    CHECK(lower.ready.empty());
    virtual_end::state once;
    (void)calibrated(once, 0, 0);  // at least one round
    CHECK(once.sends == 122 + 65);
}

TEST_CASE("calibrate: copies and sums are measured in bytes of the result") {
    virtual_clock::tick = std::chrono::microseconds(1);  // each measured action takes that long
    virtual_end::state state;
    const loggp_model made = calibrated(state, 0, 1).model;
    virtual_clock::tick = {};
    CHECK(made.copy_fs == 3814);  // 10^9 / 2^18, rounded down
    CHECK(made.combine_fs == 3814);
}

TEST_CASE("calibrate: an error ends the measurement, and messages under way are withdrawn") {
    virtual_end::state refused, failed, burst;
    refused.answer = 8;
    CHECK(calibrated(refused, 0, 2).error == 8);
    CHECK((refused.sends == 1 && refused.cancels == 0));
    failed.fails_at = 0, failed.error = 7;
    const detail::calibration_result none = calibrated(failed, 0, 2);
    CHECK((none.error == 7 && failed.sends == 1));
    CHECK((none.model.overhead_ps == 0 && none.model.latency_ps == 0 && none.model.byte_fs == 0));
    // The first of the messages of the first burst fails, the others are under way.
    burst.fails_at = 2 * 122 + 1, burst.error = 6;
    CHECK(calibrated(burst, 0, 1).error == 6);
    CHECK(burst.cancels == 1);
}

TEST_CASE("calibrate: messages that are complete in their post are not waited for") {
    virtual_end::state at_once;
    at_once.answer = already_complete;
    const detail::calibration_result made = calibrated(at_once, 0, 1);
    CHECK((made.error == 0 && at_once.completions == 0 && at_once.cancels == 0));
    CHECK(made.model.overhead_ps == doctest::Approx(20e6));
    CHECK((made.model.latency_ps == 0 && made.model.byte_fs == 0));  // 10 us are less than two posts
}
