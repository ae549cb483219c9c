#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <span>
#include <thread>
#include <vector>

#include "collsched/execute/transport.hpp"

namespace support {

using namespace collsched;

/// A sequence of bytes, and the parts into which it is cut.
struct cut_bytes {
    explicit cut_bytes(bytes_t size, bytes_t part_size = 1 << 30, int first = 0)
        : bytes(static_cast<std::size_t>(size)) {
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(first + static_cast<int>(i % 251));
        for (bytes_t from = 0; from < size; from += part_size) {
            in.push_back({bytes.data() + from, std::min(part_size, size - from)});
            out.push_back({in.back().data, in.back().size});
        }
    }
    std::vector<std::byte> bytes;
    std::vector<message::receive_part> in;
    std::vector<message::send_part> out;
};

inline int owner_a, owner_b;
inline message::key key(rank_t peer, std::int64_t node, std::int64_t sequence = 0, void* owner = &owner_a) {
    return {.peer = peer, .sequence = sequence, .request = {owner, node}};
}

/// Polls all endpoints in turn. Returns the completions by node, once `number` have arrived or the time is up.
template <class Endpoints>
std::map<std::int64_t, completion> collect(const Endpoints& at, std::size_t number,
                                           std::chrono::nanoseconds timeout = std::chrono::seconds(30)) {
    std::map<std::int64_t, completion> seen;
    const auto until = std::chrono::steady_clock::now() + timeout;
    while (seen.size() < number && std::chrono::steady_clock::now() < until)
        for (const auto& one : at) {
            const completion c = one != nullptr ? one->poll() : completion{};
            if (c.request.owner == nullptr) continue;
            CHECK(!seen.contains(c.request.node));
            seen[c.request.node] = c;
        }
    return seen;
}

/// Checks messages with no bytes, few, and many, over several channels: sends in one order, receives in the opposite
/// order, either first, cut into parts differently at both ends. If there are two endpoints, rank 0 sends.
template <class Endpoints>
void check_any_order(const Endpoints& at) {
    constexpr int channels = 5, messages = 40, all = channels * messages;
    std::vector<cut_bytes> sent, got;
    for (int i = 0; i < all; ++i) {
        const bytes_t size = i % 7 == 0 ? 0 : i % 11 == 0 ? 200'000 + i : 1 + i * 37;
        const bytes_t longer = size > 10'000 ? 2'000 : 1;
        sent.emplace_back(size, i % 3 == 0 ? size + 1 : longer * (1 + i % 50), i);
        got.emplace_back(size, i % 4 == 0 ? size + 1 : longer * (1 + (i + 20) % 70));
    }
    const auto named = [](rank_t peer, int i, std::int64_t node) {
        message::key k = key(peer, node, i / channels);
        k.channel = static_cast<std::uint64_t>(i % channels);
        return k;
    };
    for (const bool sends_first : {true, false}) {
        const auto send = [&] {
            for (int i = 0; i < all; ++i)
                REQUIRE(at[0]->post_send(named(1, i, i), sent[static_cast<std::size_t>(i)].out) == 0);
        };
        if (sends_first) send();
        for (int i = all; i-- > 0;)
            REQUIRE(at[1]->post_recv(named(0, i, all + i), got[static_cast<std::size_t>(i)].in) == 0);
        if (!sends_first) send();
        const auto seen = collect(at, 2 * all);
        CHECK(seen.size() == 2 * all);
        for (const auto& [node, c] : seen) CHECK(c.error == 0);
        for (std::size_t i = 0; i < sent.size(); ++i) {
            CHECK(sent[i].bytes == got[i].bytes);
            std::fill(got[i].bytes.begin(), got[i].bytes.end(), std::byte{});
        }
    }
}

/// Checks that a wait of two endpoints without messages takes the given time, and ends when a message arrives.
template <class Endpoints>
void check_waiting(const Endpoints& at) {
    using namespace std::chrono_literals;
    const auto begin = std::chrono::steady_clock::now();
    const completion none = at[0]->wait_any(30ms);
    const auto taken = std::chrono::steady_clock::now() - begin;
    CHECK(none.request.owner == nullptr);
    CHECK(none.error == 0);
    CHECK(taken >= 30ms);
    CHECK(taken < 3s);
    cut_bytes got(3, 1, 7);
    CHECK(at[0]->post_recv(key(1, 0), got.in) == 0);
    const std::jthread other([&] {
        const cut_bytes sent(3);
        std::this_thread::sleep_for(20ms);
        CHECK(at[1]->post_send(key(0, 1), sent.out) == 0);
        CHECK(at[1]->wait_any(10s).request.node == 1);
    });
    CHECK(at[0]->wait_any(forever).request.node == 0);
    CHECK(got.bytes == cut_bytes(3).bytes);
}

}  // namespace support
