// Connections of programs that lack nothing but the key: none becomes a rank, and no proof is valid twice.

#include "collsched/execute/tcp/detail/handshake.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "test/execute/tcp/false_listener.hpp"
#include "test/execute/tcp/keyed_group.hpp"

using namespace collsched::detail::tcp;
using namespace collsched;
using namespace support;
using namespace std::chrono_literals;

namespace {

/// Runs attacks on rank 0 of two while it waits for rank 1, which then connects.
void check_unharmed(const std::function<void(std::uint16_t port)>& attack) {
    keyed_group two(2);
    std::jthread attacker([&] { attack(two.port()); });
    const std::jthread later([&] {
        attacker.join();
        CHECK(two.at[1]->connect(two.addresses, 60s).error == 0);
    });
    CHECK(two.at[0]->connect(two.addresses, 60s).error == 0);
}

}  // namespace

TEST_CASE("key: ranks with different keys, or with and without one, do not connect, and the error states it") {
    for (const tcp_transport::key& wrong : {other_secret, tcp_transport::key(), key_of(33), key_of(31)}) {
        tcp_transport zero(0, "127.0.0.1:0", {.key = secret}), one(1, "127.0.0.1:0", {.key = wrong});
        const std::vector<std::string> addresses{"127.0.0.1:" + std::to_string(zero.port()), "there:1"};
        completion met[2];
        {
            const std::jthread other([&] { met[1] = one.connect(addresses, 300ms); });
            met[0] = zero.connect(addresses, 300ms);
        }
        for (const rank_t r : {0, 1}) {
            CHECK(met[r].error == tcp_transport::errors::not_authenticated);
            CHECK(met[r].peer == 1 - r);
        }
    }
}

TEST_CASE("key: a connecting program without the key receives no proof, and the rank connects afterwards") {
    const std::vector<std::function<std::int64_t(hostile_peer&)>> proofs{
        [](hostile_peer& p) { return p.prove_key(other_secret); },
        [](hostile_peer& p) { return p.prove_key(); },
        [](hostile_peer& p) { return p.prove_key(key_of(31)); },
        [](hostile_peer& p) { return p.send(&p.remote.nonce, 32) && !is_closed(p) ? 0 : -1; },  // reflects the nonce
        [](hostile_peer& p) { return p.send(&p.local.nonce, 32) && !is_closed(p) ? 0 : -1; },
        [](hostile_peer& p) { return p.send(std::string(100'000, '\0').data(), 100'000) && !is_closed(p) ? 0 : -1; },
        [](hostile_peer& p) {  // the proof of the other side
            const digest proof = prove(secret, side::accepting, p.local, p.remote);
            return p.send(&proof, sizeof proof) && !is_closed(p) ? 0 : -1;
        },
        [](hostile_peer& p) {  // of another job with the same key
            p.local.hello.channel = p.remote.hello.channel = job + 1;
            return p.prove_key(secret);
        },
        [](hostile_peer& p) {  // of another rank
            p.local.hello.sequence = 2;
            return p.prove_key(secret);
        },
    };
    for (const auto& proof : proofs) {
        check_unharmed([&](std::uint16_t port) {
            hostile_peer peer(port);
            CHECK(peer.greet(rank_one()));
            CHECK(proof(peer) == -1);
        });
    }
    check_unharmed([&](std::uint16_t port) {  // frames of a rank instead of a proof
        hostile_peer peer(port);
        CHECK(peer.greet(rank_one()));
        const frame request{.kind = frame_kind::request, .id = 1, .size = 8};
        CHECK(peer.send(request));
        CHECK(is_closed(peer));
    });
}

TEST_CASE("key: the greeting and the proof of an earlier connection are not accepted again") {
    hostile_peer recorded(-1);
    {
        keyed_group two(2);
        recorded = two.enter();
    }
    const digest proof = prove(secret, side::connecting, recorded.local, recorded.remote);
    check_unharmed([&](std::uint16_t port) {
        hostile_peer again(port);
        CHECK(again.send(&recorded.local, sizeof recorded.local));
        greeting reply;
        CHECK(again.receive(reply));
        CHECK(reply.nonce != recorded.remote.nonce);
        CHECK(again.send(&proof, sizeof proof));
        CHECK(is_closed(again));
    });
}

TEST_CASE("key: the proof that a rank makes for one rank is of no use with another") {
    keyed_group three(3);
    std::atomic<bool> refused = false;
    // The attacker listens in place of rank 1 and forwards the proof of rank 2 to rank 0.
    const false_listener relay([&](hostile_peer& from_two) {
        greeting remote;
        digest proof;
        hostile_peer to_zero(three.port());
        if (!from_two.receive(remote) || !to_zero.send(&remote, sizeof remote) || !to_zero.receive(to_zero.remote))
            return;
        greeting reply = to_zero.remote;
        reply.hello.sequence = 1;
        if (from_two.send(&reply, sizeof reply) && from_two.receive(proof) && to_zero.send(&proof, sizeof proof))
            refused = is_closed(to_zero);
    });
    std::vector<std::string> mislead = three.addresses;
    mislead[1] = relay.address;
    {
        const std::jthread zero(
            [&] { CHECK(three.at[0]->connect(three.addresses, 500ms).error == tcp_transport::errors::unreachable); });
        const completion c = three.at[2]->connect(mislead, 500ms);
        CHECK(c.error == tcp_transport::errors::not_authenticated);
        CHECK(c.peer == 1);
    }
    CHECK(refused);
}
