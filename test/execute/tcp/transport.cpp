#include "collsched/execute/tcp/transport.hpp"

#include <doctest/doctest.h>

#include <poll.h>

#include <csignal>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "forked_ranks/forked_ranks.hpp"
#include "support/transport_checks.hpp"
#include "test/execute/tcp/hostile_peer.hpp"

using namespace collsched::detail::tcp;
using namespace collsched;
using namespace examples;
using namespace support;
using namespace std::chrono_literals;

namespace {

/// Connected ranks in one process. One thread polls them in turn.
struct connected_ranks {
    explicit connected_ranks(rank_t ranks) {
        std::vector<std::string> addresses;
        for (rank_t r = 0; r < ranks; ++r) {
            at.push_back(std::make_unique<tcp_transport>(r, "127.0.0.1:0"));
            addresses.push_back("127.0.0.1:" + std::to_string(at.back()->port()));
        }
        std::vector<int> errors(at.size(), -1);
        {
            std::vector<std::jthread> all;
            for (std::size_t r = 0; r < at.size(); ++r)
                all.emplace_back([&, r] { errors[r] = at[r]->connect(addresses, 10s).error; });
        }
        for (const int e : errors) REQUIRE(e == 0);
    }

    std::map<std::int64_t, completion> collect(std::size_t number, std::chrono::nanoseconds timeout = 30s) {
        return support::collect(at, number, timeout);
    }

    std::vector<std::unique_ptr<tcp_transport>> at;
};

bool is_readable(int descriptor, int milliseconds = 0) {
    pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&one, 1, milliseconds) == 1;
}

}  // namespace

TEST_CASE(
    "tcp_transport: messages posted in opposite orders, cut differently at both ends, arrive over many channels") {
    connected_ranks two(2);
    check_any_order(two.at);
}

TEST_CASE("tcp_transport: two ranks that send each other more than the network holds do not block") {
    connected_ranks two(2);
    constexpr bytes_t size = 48 << 20;
    const cut_bytes sent(size), also_sent(size, 1 << 20, 1);
    cut_bytes got(size, 1 << 30, 2), also_got(size, 3 << 20, 3);
    CHECK(two.at[0]->post_send(key(1, 0), sent.out) == 0);
    CHECK(two.at[1]->post_send(key(0, 1), also_sent.out) == 0);
    CHECK(two.at[0]->post_recv(key(1, 2), also_got.in) == 0);
    CHECK(two.at[1]->post_recv(key(0, 3), got.in) == 0);
    CHECK(two.collect(4, 60s).size() == 4);
    CHECK(got.bytes == sent.bytes);
    CHECK(also_got.bytes == also_sent.bytes);
}

TEST_CASE("tcp_transport: ends that differ in schedule or size both get an error") {
    for (const bool send_first : {true, false}) {
        connected_ranks two(2);
        const cut_bytes sent(10);
        cut_bytes got(10), small(9);
        message::key other = key(1, 0, 0);
        other.fingerprint = 1;
        const auto send = [&] {
            CHECK(two.at[0]->post_send(other, sent.out) == 0);
            CHECK(two.at[0]->post_send(key(1, 1, 1), sent.out) == 0);
        };
        if (send_first) send();
        CHECK(two.at[1]->post_recv(key(0, 2, 0), got.in) == 0);
        CHECK(two.at[1]->post_recv(key(0, 3, 1), small.in) == 0);
        if (!send_first) send();
        auto seen = two.collect(4);
        CHECK(seen[0].error == tcp_transport::errors::disagreement);
        CHECK(seen[1].error == tcp_transport::errors::size_mismatch);
        CHECK(seen[2].error == tcp_transport::errors::disagreement);
        CHECK(seen[3].error == tcp_transport::errors::size_mismatch);
        CHECK(seen[0].peer == 1);
        CHECK(seen[2].peer == 0);
    }
}

TEST_CASE("tcp_transport: memory is free after cancel, also half way, and other messages go on") {
    constexpr bytes_t size = 32 << 20;  // more than the network buffers
    for (const bool at_the_sender : {true, false}) {
        CAPTURE(at_the_sender);
        connected_ranks two(2);
        auto sent = std::make_unique<cut_bytes>(size, 1 << 20);
        const cut_bytes next(4), after(1000);
        cut_bytes got(size), got_next(4, 4, 8), got_after(1000, 10, 5);
        got.bytes[1] = {};
        CHECK(two.at[1]->post_recv(key(0, 1), got.in) == 0);
        CHECK(two.at[1]->post_recv(key(0, 2, 1), got_next.in) == 0);
        CHECK(two.at[0]->post_send(key(1, 3), sent->out) == 0);
        CHECK(two.at[0]->post_send(key(1, 4, 1), next.out) == 0);
        while (got.bytes[1] != std::byte{1}) CHECK(two.collect(1, 1ms).empty());
        cut_bytes& freed = at_the_sender ? *sent : got;
        two.at[at_the_sender ? 0 : 1]->cancel(&owner_a);
        std::fill(freed.bytes.begin(), freed.bytes.end(), std::byte{});
        if (at_the_sender) {
            sent.reset();
            CHECK(two.at[0]->post_send(key(1, 5, 1, &owner_b), next.out) == 0);
        }
        CHECK(two.at[0]->post_send(key(1, 6, 7, &owner_b), after.out) == 0);
        CHECK(two.at[1]->post_recv(key(0, 7, 7, &owner_b), got_after.in) == 0);
        const auto seen = two.collect(at_the_sender ? 5 : 4);
        for (const std::int64_t node : {6, 7}) CHECK(seen.contains(node));
        for (const std::int64_t node : {1, 2, 5}) CHECK(seen.contains(node) == at_the_sender);
        for (const std::int64_t node : {3, 4}) CHECK(seen.contains(node) != at_the_sender);
        CHECK(got_after.bytes == after.bytes);
        CHECK((got_next.bytes == next.bytes) == at_the_sender);
        CHECK(got.bytes == (at_the_sender ? cut_bytes(size).bytes : std::vector<std::byte>(got.bytes.size())));
    }
}

TEST_CASE("tcp_transport: a message cancelled before it began can be posted again") {
    connected_ranks two(2);
    const cut_bytes sent(100, 7), other(100, 100, 50);
    cut_bytes got(100, 9, 3), first(100, 9, 9);
    // A send with a matching receive, and one without.
    CHECK(two.at[0]->post_send(key(1, 0), other.out) == 0);
    two.at[0]->cancel(&owner_a);
    CHECK(two.at[1]->post_recv(key(0, 1), first.in) == 0);
    two.at[1]->cancel(&owner_a);
    CHECK(two.collect(1, 20ms).empty());
    CHECK(two.at[1]->post_recv(key(0, 2), got.in) == 0);
    CHECK(two.collect(1, 20ms).empty());
    CHECK(two.at[0]->post_send(key(1, 3), sent.out) == 0);
    CHECK(two.collect(2).size() == 2);
    CHECK(got.bytes == sent.bytes);
    CHECK(first.bytes == cut_bytes(100, 9, 9).bytes);
}

TEST_CASE("tcp_transport: a message that both ends cancel on its way can be posted again") {
    constexpr bytes_t much = 32 << 20;  // more than the network buffers
    connected_ranks two(2);
    const cut_bytes big(much), old(100, 7), sent(100, 7, 50);
    cut_bytes got_big(much, 1 << 30, 1), first(100, 9, 9), got(100, 9, 3);
    CHECK(two.at[1]->post_recv(key(0, 0, 0, &owner_b), got_big.in) == 0);
    CHECK(two.at[1]->post_recv(key(0, 1, 1), first.in) == 0);
    CHECK(two.at[0]->post_send(key(1, 2, 0, &owner_b), big.out) == 0);
    CHECK(two.at[0]->post_send(key(1, 3, 1), old.out) == 0);
    while (two.at[0]->current_usage().queued < 2) CHECK(two.at[0]->poll().request.owner == nullptr);
    two.at[1]->cancel(&owner_a);
    // The withdrawal arrives while the message waits behind the large one.
    for (int i = 0; i < 20; ++i) CHECK(two.at[0]->wait_any(1ms).request.owner == nullptr);
    two.at[0]->cancel(&owner_a);
    CHECK(two.at[1]->post_recv(key(0, 4, 1), got.in) == 0);
    CHECK(two.at[0]->post_send(key(1, 5, 1), sent.out) == 0);
    const auto seen = two.collect(4);
    CHECK(seen.size() == 4);
    for (const auto& [node, c] : seen) CHECK(c.error == 0);
    CHECK(got.bytes == sent.bytes);
    CHECK(got_big.bytes == big.bytes);
    CHECK(first.bytes == cut_bytes(100, 9, 9).bytes);
    CHECK(two.at[0]->current_usage().requests == 0);
}

TEST_CASE("tcp_transport: a rank that leaves ends its messages only") {
    connected_ranks three(3);
    const cut_bytes sent(10, 3);
    cut_bytes got(10, 10, 1), never(4);
    CHECK(three.at[1]->post_recv(key(2, 0), never.in) == 0);
    CHECK(three.at[0]->post_send(key(2, 1), sent.out) == 0);
    three.at[2].reset();
    auto seen = three.collect(2);
    CHECK(seen[0].error == tcp_transport::errors::peer_left);
    CHECK(seen[1].error == tcp_transport::errors::peer_left);
    CHECK(seen[1].peer == 2);
    CHECK(three.at[0]->post_send(key(2, 3), sent.out) == tcp_transport::errors::peer_left);
    CHECK(three.at[0]->post_send(key(1, 4), sent.out) == 0);
    CHECK(three.at[1]->post_recv(key(0, 5), got.in) == 0);
    CHECK(three.collect(2).size() == 2);
    CHECK(got.bytes == sent.bytes);
    three.at[1].reset();
    CHECK(three.at[0]->wait_any(forever).error == tcp_transport::errors::would_block);
}

TEST_CASE("tcp_transport: messages sent before the goodbye arrive") {
    connected_ranks two(2);
    const cut_bytes sent(1 << 16);
    cut_bytes got(1 << 16, 10, 1);
    CHECK(two.at[1]->post_recv(key(0, 1), got.in) == 0);
    CHECK(two.at[0]->post_send(key(1, 0), sent.out) == 0);
    while (two.at[0]->poll().request.owner == nullptr) {}
    two.at[0].reset();
    CHECK(two.collect(1).at(1).error == 0);
    CHECK(got.bytes == sent.bytes);
}

TEST_CASE("tcp_transport: a wait ends when its time is up, and when a message comes") {
    connected_ranks two(2);
    check_waiting(two.at);
}

TEST_CASE("descriptor: readable when a message can be read and when a post has completed another") {
    connected_ranks two(2);
    const int zero = two.at[0]->descriptor(), one = two.at[1]->descriptor();
    REQUIRE(zero >= 0);
    CHECK(two.at[0]->descriptor() == zero);
    const cut_bytes sent(10);
    cut_bytes got(10, 10, 1);
    CHECK(!is_readable(zero));
    CHECK(two.at[1]->post_recv(key(0, 1), got.in) == 0);
    CHECK(is_readable(zero, 10'000));
    CHECK(two.at[0]->poll().empty());  // takes the request
    CHECK(!is_readable(zero));
    CHECK(!is_readable(one));
    CHECK(two.at[0]->post_send(key(1, 0), sent.out) == 0);
    CHECK(is_readable(zero));
    CHECK(two.at[0]->poll().request.node == 0);
    CHECK(!is_readable(zero));
    CHECK(is_readable(one, 10'000));
    CHECK(two.at[1]->poll().request.node == 1);
    CHECK(!is_readable(one));
    CHECK(got.bytes == sent.bytes);
}

TEST_CASE("descriptor: not readable after the completion that it reported was cancelled") {
    connected_ranks two(2);
    const int zero = two.at[0]->descriptor();
    const cut_bytes sent(10);
    cut_bytes got(10, 10, 1);
    CHECK(two.at[1]->post_recv(key(0, 1), got.in) == 0);
    CHECK(is_readable(zero, 10'000));
    CHECK(two.at[0]->poll().empty());
    CHECK(two.at[0]->post_send(key(1, 0), sent.out) == 0);
    CHECK(is_readable(zero));
    two.at[0]->cancel(&owner_a);
    CHECK(!is_readable(zero));
}

TEST_CASE("descriptor: two ranks that poll only when it is readable send more than the network holds") {
    connected_ranks two(2);
    constexpr bytes_t size = 48 << 20;
    const cut_bytes sent(size), also_sent(size, 1 << 20, 1);
    cut_bytes got(size, 1 << 30, 2), also_got(size, 3 << 20, 3);
    CHECK(two.at[0]->post_send(key(1, 0), sent.out) == 0);
    CHECK(two.at[1]->post_recv(key(0, 3), got.in) == 0);
    // The last post precedes the first call: messages already wait for space in the network.
    while (two.at[0]->current_usage().queued == 0) CHECK(two.at[0]->poll().empty());
    pollfd both[] = {{two.at[0]->descriptor(), POLLIN, 0}, {two.at[1]->descriptor(), POLLIN, 0}};
    CHECK(two.at[1]->post_send(key(0, 1), also_sent.out) == 0);
    CHECK(two.at[0]->post_recv(key(1, 2), also_got.in) == 0);
    int complete = 0;
    while (complete < 4 && ::poll(both, 2, 10'000) > 0)
        for (std::size_t r = 0; r < 2; ++r)
            if (both[r].revents != 0 && two.at[r]->poll().request.owner != nullptr) ++complete;
    CHECK(complete == 4);
    CHECK(got.bytes == sent.bytes);
    CHECK(also_got.bytes == also_sent.bytes);
    for (const pollfd& each : both) CHECK(!is_readable(each.fd));
}

TEST_CASE("descriptor: readable when another rank leaves, and always after a rank has died") {
    connected_ranks two(2);
    cut_bytes got(10);
    const int zero = two.at[0]->descriptor();
    CHECK(two.at[0]->post_recv(key(1, 0), got.in) == 0);
    two.at[1].reset();
    completion end;
    while (end.empty() && is_readable(zero, 10'000)) end = two.at[0]->poll();
    CHECK(end.error == tcp_transport::errors::peer_left);
    CHECK(!is_readable(zero));

    notice_board board(2);
    CHECK(fork_ranks(2, [&](rank_t rank) {
              tcp_transport over(rank, "127.0.0.1:0");
              board.put(rank, "127.0.0.1:" + std::to_string(over.port()));
              if (over.connect(board.all(2), 10s).error != 0) return 1;
              if (rank == 1) _exit(0);
              const int ready = over.descriptor();
              for (int i = 0; i < 3; ++i) {
                  completion last;
                  while (last.empty() && is_readable(ready, 10'000)) last = over.poll();
                  if (last.error != tcp_transport::errors::peer_died || last.peer != 1) return 2;
              }
              return is_readable(ready) ? 0 : 3;
          }) == 0);
}

TEST_CASE("tcp_transport: a rank that is killed is named on every other rank, with the step where it was missing") {
    constexpr rank_t ranks = 4, victim = 2;
    notice_board board(ranks), connected(ranks);
    const int failed = fork_ranks(ranks, [&](rank_t rank) {
        tcp_transport over(rank, "127.0.0.1:0");
        board.put(rank, "127.0.0.1:" + std::to_string(over.port()));
        if (over.connect(board.all(ranks), 10s).error != 0) return 1;
        connected.put(rank, "");
        std::vector<std::byte> local(1000), all(4000);
        bound_plan plan(allgather::ring{.ranks = ranks, .block = 1000}, rank, {local, all});
        execution run(plan.plan(), over);
        if (rank == victim) {
            connected.all(ranks);
            std::this_thread::sleep_for(50ms);
            return raise(SIGKILL);
        }
        run.start(plan.buffers());
        const run_status end = run.wait_for(20s);
        return end.error == tcp_transport::errors::peer_died && end.peer == victim && end.step >= 0 ? 0 : 2;
    });
    CHECK(failed == 1);
}

TEST_CASE("tcp_transport: the error for an unreachable rank names it") {
    CHECK(tcp_transport(0, "no port").error() == tcp_transport::errors::bad_address);
    for (const char* port : {"127.0.0.1:99999", "127.0.0.1:65536", "127.0.0.1:4294967297"})
        CHECK(tcp_transport(0, port).error() == tcp_transport::errors::bad_address);
    tcp_transport one(1, "127.0.0.1:0");
    CHECK(one.connect(std::vector<std::string>{"127.0.0.1:1", "here:1"}, 100ms).error ==
          tcp_transport::errors::unreachable);
    CHECK(one.connect(std::vector<std::string>{"here", "here:1"}, 100ms).error == tcp_transport::errors::bad_address);
    CHECK(one.connect(std::vector<std::string>{"127.0.0.1:1"}, 100ms).error == tcp_transport::errors::no_such_rank);
    tcp_transport zero(0, "127.0.0.1:0");
    const completion met = zero.connect(std::vector<std::string>{"here:1", "there:1"}, 100ms);
    CHECK(met.error == tcp_transport::errors::unreachable);
    CHECK(met.peer == 1);
    CHECK(zero.post_send(key(1, 0), {}) == tcp_transport::errors::no_such_rank);
    CHECK(zero.post_recv(key(0, 0), {}) == tcp_transport::errors::no_such_rank);
    CHECK(zero.wait_any(forever).error == tcp_transport::errors::would_block);
}

TEST_CASE(
    "tcp_transport: an unknown peer is not taken for a rank, and a rank that violates the protocol is disconnected") {
    tcp_transport zero(0, "127.0.0.1:0");
    hostile_peer unknown(zero.port()), peer(zero.port());
    const char noise[] = "GET / HTTP/1.1\r\nHost: a.host.with.a.long.name\r\nAccept: everything\r\n\r\n";
    CHECK(unknown.send(noise, sizeof noise));
    const std::jthread other([&] {
        CHECK(peer.enter(hello_of(1, 2, 0)) == 0);
        CHECK(peer.send(hello_of(1, 2, 0)));
    });
    CHECK(zero.connect(std::vector<std::string>{"here:1", "there:1"}, 10s).error == 0);
    CHECK(zero.post_recv(key(1, 0), {}) == 0);
    const completion c = zero.wait_any(10s);
    CHECK(c.request.node == 0);
    CHECK(c.error == tcp_transport::errors::protocol_violation);
    const completion after = zero.wait_any(10s);
    CHECK(after.error == tcp_transport::errors::would_block);
    CHECK(after.peer == 1);
}

TEST_CASE("tcp_transport: addresses beyond the loopback interface are an error without a key") {
    CHECK(tcp_transport(0, "0.0.0.0:0").error() == tcp_transport::errors::not_loopback);
    CHECK(tcp_transport(0, "[::]:0").error() == tcp_transport::errors::not_loopback);
    CHECK(tcp_transport(0, "192.0.2.1:0").error() == tcp_transport::errors::not_loopback);
    const std::vector<std::byte> secret(16, std::byte{1});
    CHECK(tcp_transport(0, "0.0.0.0:0", {.key = tcp_transport::key(secret)}).error() == 0);
    tcp_transport one(1, "127.0.0.1:0");
    const completion c = one.connect(std::vector<std::string>{"192.0.2.1:1", "here:1"}, 100ms);
    CHECK(c.error == tcp_transport::errors::not_loopback);
    CHECK(c.peer == 0);
}
