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

inline constexpr std::uint64_t job = 77;

inline tcp_transport::key key_of(std::size_t size, int first = 1) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(first + static_cast<int>(i));
    return tcp_transport::key(bytes);
}
inline const tcp_transport::key secret = key_of(32), other_secret = key_of(32, 2);

/// Ranks 0 .. p-1 of one process, with the key of the group.
struct keyed_group {
    explicit keyed_group(rank_t ranks, tcp_transport::options options = {.job = job, .key = secret}) {
        for (rank_t r = 0; r < ranks; ++r) {
            at.push_back(std::make_unique<tcp_transport>(r, "127.0.0.1:0", options));
            addresses.push_back("127.0.0.1:" + std::to_string(at.back()->port()));
        }
    }
    std::uint16_t port(std::size_t rank = 0) const { return at[rank]->port(); }

    void connect() {
        std::vector<int> errors(at.size(), -1);
        {
            std::vector<std::jthread> all;
            for (std::size_t r = 0; r < at.size(); ++r)
                all.emplace_back([&, r] { errors[r] = at[r]->connect(addresses, std::chrono::seconds(60)).error; });
        }
        for (const int e : errors) REQUIRE(e == 0);
    }
    /// Connects rank 0 with a program that has the key and uses it as rank 1.
    hostile_peer enter() {
        hostile_peer peer(port());
        std::jthread rank([&] { CHECK(peer.enter(hello_of(1, 2, job), secret) == 0); });
        CHECK(at[0]->connect(addresses, std::chrono::seconds(60)).error == 0);
        rank.join();
        return peer;
    }
    /// A message from rank 0 to rank 1.
    void check_message() {
        const cut_bytes sent(1000, 7);
        cut_bytes got(1000, 50, 3);
        CHECK(at[0]->post_send(key(1, 0, number), sent.out) == 0);
        CHECK(at[1]->post_recv(key(0, 1, number++), got.in) == 0);
        const auto seen = collect(at, 2);
        REQUIRE(seen.size() == 2);
        for (const auto& [node, c] : seen) CHECK(c.error == 0);
        CHECK(got.bytes == sent.bytes);
    }

    std::vector<std::unique_ptr<tcp_transport>> at;
    std::vector<std::string> addresses;
    std::int64_t number = 0;
};

inline bool is_closed(hostile_peer& peer) {
    char byte = 0;
    return !peer.receive(byte);
}

inline frame rank_one(std::uint64_t of_job = job, rank_t ranks = 2) { return hello_of(1, ranks, of_job); }

}  // namespace support
