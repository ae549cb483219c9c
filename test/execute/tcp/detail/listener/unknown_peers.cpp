// Programs outside of the group during connect(): they cannot prevent the ranks from connecting.

#include "collsched/execute/tcp/detail/listener.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "collsched/execute/tcp/transport.hpp"
#include "test/execute/tcp/hostile_peer.hpp"
#include "support/transport_checks.hpp"

using namespace collsched::detail::tcp;
using namespace collsched;
using namespace support;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t job = 0x1234'5678'9abc'def0;
constexpr std::size_t half_open = 8;
const tcp_transport::options options{.job = job, .half_open = half_open};

/// Ranks 0 to 2 of a group. Unknown peers connect before the ranks and while the ranks connect.
struct besieged {
    besieged() {
        for (rank_t r = 0; r < 3; ++r) {
            at.push_back(std::make_unique<tcp_transport>(r, "127.0.0.1:0", options));
            addresses.push_back("127.0.0.1:" + std::to_string(at.back()->port()));
        }
    }
    std::uint16_t port() const { return at[0]->port(); }

    void check_connects() {
        int errors[3] = {-1, -1, -1};
        {
            std::vector<std::jthread> all;
            for (std::size_t r = 0; r < 3; ++r)
                all.emplace_back([&, r] { errors[r] = at[r]->connect(addresses, 60s).error; });
        }
        for (std::size_t r = 0; r < 3; ++r) {
            REQUIRE(errors[r] == 0);
            CHECK(at[r]->current_usage().half_open <= half_open);
        }
        const cut_bytes sent(1000, 7);
        cut_bytes got(1000, 50, 3);
        CHECK(at[0]->post_send(key(2, 0), sent.out) == 0);
        CHECK(at[2]->post_recv(key(0, 1), got.in) == 0);
        const auto seen = collect(at, 2);
        REQUIRE(seen.size() == 2);
        for (const auto& [node, c] : seen) CHECK(c.error == 0);
        CHECK(got.bytes == sent.bytes);
    }

    std::vector<std::unique_ptr<tcp_transport>> at;
    std::vector<std::string> addresses;
};

/// Returns hellos with one wrong field.
std::vector<frame> wrong_hellos() {
    std::vector<frame> all;
    const frame right = hello_of(1, 3, job);
    for (const std::int64_t rank : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{3}, INT64_MIN, INT64_MAX})
        all.push_back(hello_of(rank, 3, job));
    for (const std::int64_t ranks : {std::int64_t{-3}, std::int64_t{0}, std::int64_t{2}, std::int64_t{4}, INT64_MAX})
        all.push_back(hello_of(1, ranks, job));
    for (const std::uint64_t other : {std::uint64_t{0}, job + 1, ~job}) all.push_back(hello_of(1, 3, other));
    for (const std::uint64_t mark : {std::uint64_t{0}, hello_mark + 1, __builtin_bswap64(hello_mark)}) {
        all.push_back(right);
        all.back().id = mark;
    }
    for (const std::uint32_t kind : {0u, 2u, 3u, 4u, 5u, 6u, 7u, 77u})
        all.push_back(with_kind(static_cast<frame_kind>(kind), right));
    all.push_back(with_kind(frame_kind::hello, right, 1));
    all.push_back(right);
    all.back().epoch = 1;
    for (const std::uint64_t requests :
         {std::uint64_t{0}, std::uint64_t{tcp_transport::options::most_requests + 1}, ~std::uint64_t{0}})
        all.push_back(hello_of(1, 3, job, requests));
    return all;
}

}  // namespace

TEST_CASE("unknown peers: silent ones, more than the system keeps for a listener, do not block the ranks") {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 6000);
    setrlimit(RLIMIT_NOFILE, &files);
    besieged group;
    std::vector<hostile_peer> peers;
    while (peers.size() < std::min<rlim_t>(files.rlim_cur - 200, 4200)) {
        peers.emplace_back(group.port(), false);
        REQUIRE(peers.back().has_socket());
    }
    group.check_connects();
    CHECK(group.at[0]->current_usage().half_open == half_open);
}

TEST_CASE(
    "unknown peers: those that come all the time, silent, slow, noisy or with the hello of a rank, do not block the "
    "ranks") {
    besieged group;
    std::atomic<bool> stop = false;
    std::atomic<int> came = 0;
    const auto come = [&](const std::function<void(hostile_peer&)>& act) {
        return std::jthread([&, act] {
            std::vector<hostile_peer> some;
            while (!stop) {
                some.emplace_back(group.port());
                act(some.back());
                ++came;
                if (some.size() > 2 * half_open) some.erase(some.begin());
                std::this_thread::sleep_for(100us);
            }
        });
    };
    {
        const frame right = hello_of(1, 3, job);
        const std::vector<char> noise(100'000, 'G');
        const auto silent = come([](hostile_peer&) {});
        const auto noisy = come([&](hostile_peer& one) { one.send(noise.data(), noise.size()); });
        const auto slow = come([&](hostile_peer& one) { one.send(&right, 55); });
        const auto gone = come([](hostile_peer& one) { one.hang_up(); });
        const greeting claim{.hello = right};
        const auto claimant = come([&](hostile_peer& one) { one.send(&claim, sizeof claim); });
        while (came < 500) std::this_thread::sleep_for(1ms);
        group.check_connects();
        stop = true;
    }
}

TEST_CASE("unknown peers: a hello that is wrong in one field gets no reply, and its connection is closed") {
    for (const frame& wrong : wrong_hellos()) {
        CAPTURE(wrong.id);
        CAPTURE(wrong.channel);
        CAPTURE(wrong.sequence);
        CAPTURE(wrong.size);
        besieged group;
        hostile_peer peer(group.port());
        const greeting first{.hello = wrong};
        CHECK(peer.send(&first, sizeof first));
        group.check_connects();
        frame reply;
        CHECK(!peer.receive(reply));
    }
}

TEST_CASE(
    "unknown peers: a hello or a proof that does not come in time closes the connection, and the rank continues to "
    "wait") {
    tcp_transport zero(0, "127.0.0.1:0", {.handshake_timeout = 30ms});
    const frame right = hello_of(1, 2, 0);
    hostile_peer silent(zero.port()), slow(zero.port()), unproved(zero.port());
    CHECK(slow.send(&right, 20));
    std::atomic<bool> dropped = false;
    const std::jthread rank([&] {
        CHECK(unproved.greet(right));
        char none = 0;
        dropped = !silent.receive(none) && !slow.receive(none) && !unproved.receive(none);
        hostile_peer late(zero.port());
        CHECK(late.enter(right) == 0);
        CHECK(late.remote.hello == hello_of(0, 2, 0));
    });
    CHECK(zero.connect(std::vector<std::string>{"here:1", "there:1"}, 60s).error == 0);
    CHECK(dropped);
}

TEST_CASE("unknown peers: one byte at a time does not extend the time for the hello") {
    tcp_transport zero(0, "127.0.0.1:0", {.handshake_timeout = 100ms});
    std::atomic<bool> dropped = false;
    const std::jthread slow([&] {
        hostile_peer one(zero.port());
        const greeting right{.hello = hello_of(1, 2, 0)};
        std::size_t sent = 0;
        for (; sent < sizeof right && one.send(reinterpret_cast<const char*>(&right) + sent, 1); ++sent)
            std::this_thread::sleep_for(10ms);
        dropped = sent < sizeof right;
        CHECK(sent < 80);  // 10 where nothing else uses the processor
    });
    CHECK(zero.connect(std::vector<std::string>{"here:1", "there:1"}, 1500ms).error ==
          tcp_transport::errors::unreachable);
    CHECK(dropped);
}

TEST_CASE("unknown peers: the timeout of connect is for all of them together, and the error names the missing rank") {
    tcp_transport zero(0, "127.0.0.1:0");
    std::atomic<bool> stop = false;
    const std::jthread coming([&] {
        while (!stop) {
            hostile_peer one(zero.port());
            one.send("hello", 5);
        }
    });
    const completion c = zero.connect(std::vector<std::string>{"here:1", "there:1", "there:2"}, 200ms);
    stop = true;
    CHECK(c.error == tcp_transport::errors::unreachable);
    CHECK(c.peer == 1);
}

TEST_CASE("unknown peers: a second rank of a number that is connected is refused with the reason") {
    tcp_transport zero(0, "127.0.0.1:0");
    hostile_peer first(zero.port()), second(zero.port());
    const std::jthread ranks([&] {
        CHECK(first.enter(hello_of(1, 3, 0)) == 0);
        CHECK(second.enter(hello_of(1, 3, 0)) == tcp_transport::errors::already_connected);
        char none = 0;
        CHECK(!second.receive(none));
        hostile_peer third(zero.port());
        CHECK(third.enter(hello_of(2, 3, 0)) == 0);
    });
    CHECK(zero.connect(std::vector<std::string>{"here:1", "there:1", "there:2"}, 60s).error == 0);
    CHECK(zero.post_recv(key(1, 0), {}) == 0);
    frame request;
    CHECK(first.receive(request));
    CHECK(request.kind == frame_kind::request);
}

TEST_CASE("unknown peers: ranks of different jobs do not connect") {
    tcp_transport zero(0, "127.0.0.1:0", {.job = 1}), one(1, "127.0.0.1:0", {.job = 2});
    const std::vector<std::string> addresses{"127.0.0.1:" + std::to_string(zero.port()), "there:1"};
    const std::jthread other([&] { CHECK(one.connect(addresses, 300ms).error == tcp_transport::errors::unreachable); });
    CHECK(zero.connect(addresses, 300ms).error == tcp_transport::errors::unreachable);
}
