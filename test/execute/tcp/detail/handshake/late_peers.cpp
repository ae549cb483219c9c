// Connections to ranks that have started, and limits for ranks that have the key.

#include "collsched/execute/tcp/detail/handshake.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "test/execute/tcp/keyed_group.hpp"

using namespace collsched::detail::tcp;
using namespace collsched;
using namespace support;
using namespace std::chrono_literals;

TEST_CASE("start: after the start a rank with the key is refused with the reason, and others are cut off") {
    keyed_group three(3, {.job = job, .key = secret, .handshake_timeout = 200ms});
    three.connect();
    std::atomic<bool> done = false;
    const std::jthread later([&] {
        hostile_peer again(three.port()), forged(three.port()), noise(three.port()), silent(three.port());
        CHECK(noise.send(std::string(50'000, 'x').data(), 50'000));
        CHECK(again.enter(rank_one(job, 3), secret) == tcp_transport::errors::already_connected);
        CHECK(forged.enter(rank_one(job, 3), other_secret) == -1);
        CHECK(is_closed(noise));
        CHECK(is_closed(silent));
        tcp_transport restarted(2, "127.0.0.1:0", {.job = job, .key = secret});
        const completion c = restarted.connect(three.addresses, 60s);
        CHECK(c.error == tcp_transport::errors::already_connected);
        CHECK((c.peer == 0 || c.peer == 1));
        done = true;
    });
    while (!done)
        for (const auto& one : three.at) CHECK(one->wait_any(1ms).empty());
    three.check_message();
    CHECK(three.at[0]->connect(three.addresses, 1s).error == tcp_transport::errors::already_connected);
}

TEST_CASE("start: half-open connections do not grow what is kept, and do not hold up messages, after the start") {
    keyed_group two(2, {.job = job, .key = secret, .half_open = 8});
    two.connect();
    std::atomic<bool> stop = false;
    std::atomic<int> came = 0;
    const std::jthread flood([&] {
        std::vector<hostile_peer> all;
        const greeting claim{.hello = rank_one()};
        while (!stop && all.size() < 500) {
            all.emplace_back(two.port(), false);
            if (all.size() % 2 == 0) all.back().send(&claim, sizeof claim);
            ++came;
            std::this_thread::sleep_for(1ms);
        }
        while (!stop) std::this_thread::sleep_for(1ms);
    });
    while (came < 100) std::this_thread::sleep_for(1ms);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 200; ++i) two.check_message();
    while (std::chrono::steady_clock::now() - begin < 500ms) CHECK(two.at[0]->wait_any(1ms).empty());
    CHECK(std::chrono::steady_clock::now() - begin < 10s);
    CHECK(two.at[0]->current_usage().half_open == 8);
    stop = true;
}

TEST_CASE("start: a rank that breaks off in a message, or resets the connection, ends in time") {
    for (const bool reset : {false, true}) {
        keyed_group two(2);
        hostile_peer peer = two.enter();
        cut_bytes got(1000, 30, 99);
        const cut_bytes untouched(1000, 30, 99);
        CHECK(two.at[0]->post_recv(key(1, 0), got.in) == 0);
        frame request;
        CHECK(peer.receive(request));
        CHECK(peer.send(with_kind(frame_kind::data, request)));
        CHECK(peer.send(std::string(10, 'x').data(), 10));
        if (reset) peer.reset();
        else peer.hang_up();
        const completion c = two.at[0]->wait_any(10s);
        CHECK(c.request.node == 0);
        CHECK(c.error == tcp_transport::errors::peer_died);
        CHECK(std::equal(got.bytes.begin() + 10, got.bytes.end(), untouched.bytes.begin() + 10));
    }
}

TEST_CASE(
    "start: a rank bounds the requests of its peers by pending_bytes, and a rank keeps to the bound of its peer") {
    keyed_group two(2, {.job = job, .key = secret, .pending_bytes = 10 * tcp_transport::options::bytes_per_request});
    two.connect();
    for (int n = 0; n < 10; ++n) CHECK(two.at[1]->post_recv(key(0, n, n), {}) == 0);
    CHECK(two.at[1]->post_recv(key(0, 10, 10), {}) == tcp_transport::errors::too_many);
    for (int n = 0; n < 10; ++n) CHECK(two.at[0]->post_send(key(1, 20 + n, n), {}) == 0);
    CHECK(collect(two.at, 20).size() == 20);
    CHECK(two.at[1]->post_recv(key(0, 10, 10), {}) == 0);

    keyed_group also(2, {.job = job, .key = secret, .pending_bytes = 10 * tcp_transport::options::bytes_per_request});
    hostile_peer peer = also.enter();
    CHECK(peer.remote.hello.fingerprint == 10);
    for (std::int64_t n = 0; n < 11; ++n)
        CHECK(peer.send(frame{.kind = frame_kind::request, .id = static_cast<std::uint64_t>(n + 1), .sequence = n}));
    CHECK(also.at[0]->wait_any(10s).error == tcp_transport::errors::would_block);
    CHECK(also.at[0]->post_send(key(1, 0), {}) == tcp_transport::errors::protocol_violation);
}
