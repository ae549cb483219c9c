#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/transport_checks.hpp"
#include "test/execute/tcp/hostile_peer.hpp"
#include "collsched/execute/tcp/transport.hpp"

namespace support {

using namespace collsched;
using namespace collsched::detail::tcp;

/// Ranks 0 and 1, and a hostile rank 2, with which rank 1 has a receive (node 0) and a send (node 1) in flight.
struct attack {
    static constexpr rank_t victim = 1, evil = 2, ranks = 3;
    static constexpr bytes_t size = 100;

    attack() {
        std::vector<std::string> addresses;
        for (rank_t r = 0; r < 2; ++r) {
            at.push_back(std::make_unique<tcp_transport>(r, "127.0.0.1:0"));
            addresses.push_back("127.0.0.1:" + std::to_string(at.back()->port()));
        }
        addresses.emplace_back("127.0.0.1:1");
        for (rank_t r = 0; r < 2; ++r) peers.emplace_back(at[static_cast<std::size_t>(r)]->port());
        completion met[2];
        std::int64_t entered[2] = {-1, -1};
        {
            const std::jthread intruder([&] {
                for (std::size_t r = 0; r < 2; ++r) entered[r] = peers[r].enter(hello_of(evil, ranks, 0));
            });
            const std::jthread other([&] { met[0] = at[0]->connect(addresses, std::chrono::seconds(20)); });
            met[1] = at[1]->connect(addresses, std::chrono::seconds(20));
        }
        REQUIRE(met[0].error == 0);
        REQUIRE(met[1].error == 0);
        REQUIRE(entered[0] == 0);
        REQUIRE(entered[1] == 0);
        REQUIRE(at[1]->post_recv(key(evil, 0), got.in) == 0);
        REQUIRE(at[1]->post_send(key(evil, 1), sent.out) == 0);
        CHECK(peer().remote.hello == hello_of(victim, ranks, 0));
        REQUIRE(peer().receive(request));
        CHECK(request.kind == frame_kind::request);
    }

    hostile_peer& peer() { return peers[1]; }
    frame request_for(std::int64_t sequence, std::uint64_t id) const {
        return {.kind = frame_kind::request, .id = id, .sequence = sequence, .size = size};
    }

    /// Checks that both messages have failed with this error, no byte has been written, and ranks 0 and 1 continue.
    void check_ended(int error) {
        const auto seen = collect(at, 2, std::chrono::seconds(20));
        REQUIRE(seen.size() == 2);
        for (const auto& [node, c] : seen) CHECK(c.error == error);
        CHECK(got.bytes == untouched.bytes);
        CHECK(at[1]->post_send(key(evil, 2), sent.out) == error);
        CHECK(at[1]->post_recv(key(evil, 3), got.in) == error);
        check_others();
    }
    void check_others() {
        cut_bytes also(size, 7, 3);
        CHECK(at[1]->post_send(key(0, 4), sent.out) == 0);
        CHECK(at[0]->post_recv(key(1, 5), also.in) == 0);
        const auto seen = collect(at, 2, std::chrono::seconds(20));
        REQUIRE(seen.size() == 2);
        for (const auto& [node, c] : seen) CHECK(c.error == 0);
        CHECK(also.bytes == sent.bytes);
        CHECK(at[1]->wait_any(std::chrono::seconds(0)).error == 0);
    }

    std::vector<std::unique_ptr<tcp_transport>> at;
    std::vector<hostile_peer> peers;
    cut_bytes sent{size, 30, 7}, got{size, 30, 99}, untouched{size, 30, 99};
    frame request;
};

}  // namespace support
