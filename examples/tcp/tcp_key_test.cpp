// Connections of programs that lack nothing but the key: none becomes a rank, and no proof is valid twice.

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <atomic>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "impostor.hpp"
#include "keyed_group.hpp"

using namespace examples;
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

TEST_CASE("key: a proof differs with every field of both greetings, the side, the error and the key") {
    const greeting caller{.hello = rank_one(), .nonce = {1}}, acceptor{.hello = hello_of(0, 2, job), .nonce = {2}};
    const digest proof = prove(secret, side::connecting, caller, acceptor);
    CHECK(same(proof, prove(secret, side::connecting, caller, acceptor)));
    std::vector<digest> others{
        prove(other_secret, side::connecting, caller, acceptor), prove({}, side::connecting, caller, acceptor),
        prove(secret, side::accepting, caller, acceptor), prove(secret, side::connecting, acceptor, caller),
        prove(secret, side::connecting, caller, acceptor, tcp_error::already_connected)};
    for (std::size_t i = 0; i < sizeof(greeting); ++i)
        for (const bool of_caller : {true, false}) {
            greeting a = caller, b = acceptor;
            reinterpret_cast<unsigned char*>(of_caller ? &a : &b)[i] ^= 1;
            others.push_back(prove(secret, side::connecting, a, b));
        }
    for (const digest& other : others) CHECK(!same(proof, other));
    const std::vector<std::byte> zeros(33);  // HMAC pads keys with zeros
    CHECK(!same(prove(tcp_key(std::span(zeros).first(32)), side::connecting, caller, acceptor),
                prove(tcp_key(zeros), side::connecting, caller, acceptor)));
    digest first, second;
    CHECK(renew(first));
    CHECK(renew(second));
    CHECK(first != second);
}

TEST_CASE("key: a proof equals the HMAC-SHA-256 of another implementation") {
    if constexpr (std::endian::native == std::endian::little) {  // computed by the module hmac of Python
        const digest expected{0x7f, 0xea, 0xdf, 0x40, 0x5d, 0x0c, 0x43, 0x43, 0xcb, 0xa3, 0x32,
                              0x7d, 0x50, 0x33, 0x15, 0xd4, 0x8b, 0xe2, 0x1b, 0x1b, 0xb1, 0x58,
                              0x7f, 0x91, 0x74, 0x04, 0x1f, 0x9e, 0x7e, 0x26, 0xbc, 0xd3};
        const greeting caller{.hello = rank_one(), .nonce = {1}}, acceptor{.hello = hello_of(0, 2, job), .nonce = {2}};
        CHECK(prove(secret, side::connecting, caller, acceptor) == expected);
    }
}

TEST_CASE("key: a file must be regular, of 16 to 4096 bytes, and readable by its user alone") {
    const char* const folder = std::getenv("TEST_TMPDIR");
    const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/key_of_tcp_key_test";
    tcp_key key;
    const auto problem = [&](std::size_t size, mode_t mode) {
        std::remove(path.c_str());
        std::ofstream(path) << std::string(size, 'k');
        CHECK(chmod(path.c_str(), mode) == 0);
        return read_key(path, key);
    };
    for (const mode_t mode : {0640u, 0604u, 0660u, 0610u, 0777u})
        CHECK(problem(32, mode) == "got " + path + " with rights of group or others, expected mode 0600 or 0400");
    for (const std::size_t size : {0u, 1u, 15u, 4097u, 100'000u}) {
        const std::string text = size > 4096 ? "4097 or more" : std::to_string(size);
        CHECK(problem(size, 0600) == "got " + path + " of " + text + " bytes, expected 16..4096");
    }
    CHECK(key.empty());
    for (const std::size_t size : {16u, 4096u}) {
        CHECK(problem(size, 0600).empty());
        CHECK(key.bytes().size() == size);
        CHECK(key.bytes().back() == std::byte{'k'});
    }
    CHECK(problem(20, 0400).empty());
    std::remove(path.c_str());
    CHECK(read_key(path, key) == "got " + path + " (No such file or directory), expected a readable file");
    CHECK(mkfifo(path.c_str(), 0600) == 0);
    CHECK(read_key(path, key) == "got " + path + ", expected a regular file");
    std::remove(path.c_str());
    CHECK(tcp_transport(0, "127.0.0.1:0", {.key = key_of(15)}).error() == tcp_error::bad_key);
    CHECK(tcp_transport(0, "127.0.0.1:0", {.key = key_of(4097)}).error() == tcp_error::bad_key);
}

TEST_CASE("key: ranks with different keys, or with and without one, do not connect, and the error states it") {
    for (const tcp_key& wrong : {other_secret, tcp_key(), key_of(33), key_of(31)}) {
        tcp_transport zero(0, "127.0.0.1:0", {.key = secret}), one(1, "127.0.0.1:0", {.key = wrong});
        const std::vector<std::string> addresses{"127.0.0.1:" + std::to_string(zero.port()), "there:1"};
        completion met[2];
        {
            const std::jthread other([&] { met[1] = one.connect(addresses, 300ms); });
            met[0] = zero.connect(addresses, 300ms);
        }
        for (const rank_t r : {0, 1}) {
            CHECK(met[r].error == tcp_error::not_authenticated);
            CHECK(met[r].peer == 1 - r);
        }
    }
}

TEST_CASE("key: a caller without the key receives no proof, and the rank connects afterwards") {
    const std::vector<std::function<std::int64_t(hostile_peer&)>> proofs{
        [](hostile_peer& p) { return p.prove_key(other_secret); },
        [](hostile_peer& p) { return p.prove_key(); },
        [](hostile_peer& p) { return p.prove_key(key_of(31)); },
        [](hostile_peer& p) { return p.send(&p.theirs.nonce, 32) && !is_closed(p) ? 0 : -1; },  // reflects the nonce
        [](hostile_peer& p) { return p.send(&p.mine.nonce, 32) && !is_closed(p) ? 0 : -1; },
        [](hostile_peer& p) { return p.send(std::string(100'000, '\0').data(), 100'000) && !is_closed(p) ? 0 : -1; },
        [](hostile_peer& p) {  // the proof of the other side
            const digest proof = prove(secret, side::accepting, p.mine, p.theirs);
            return p.send(&proof, sizeof proof) && !is_closed(p) ? 0 : -1;
        },
        [](hostile_peer& p) {  // of another job with the same key
            p.mine.hello.channel = p.theirs.hello.channel = job + 1;
            return p.prove_key(secret);
        },
        [](hostile_peer& p) {  // of another rank
            p.mine.hello.sequence = 2;
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
    const digest proof = prove(secret, side::connecting, recorded.mine, recorded.theirs);
    check_unharmed([&](std::uint16_t port) {
        hostile_peer again(port);
        CHECK(again.send(&recorded.mine, sizeof recorded.mine));
        greeting reply;
        CHECK(again.receive(reply));
        CHECK(reply.nonce != recorded.theirs.nonce);
        CHECK(again.send(&proof, sizeof proof));
        CHECK(is_closed(again));
    });
}

TEST_CASE("key: a listener without the key cannot pose as a rank, also with what the rank has sent") {
    const auto respond = [](hostile_peer& one, const std::function<void(const greeting&, const digest&)>& then) {
        greeting theirs, mine{.hello = hello_of(0, 2, job), .nonce = {}};
        digest proof;
        if (!one.receive(theirs)) return;
        mine.nonce = theirs.nonce;  // reflected
        if (one.send(&mine, sizeof mine) && one.receive(proof)) then(mine, proof);
    };
    const auto send = [](hostile_peer& one, std::int64_t error, const digest& proof) {
        const verdict last{error, proof};
        one.send(&last, sizeof last);
    };
    const std::vector<std::function<void(hostile_peer&)>> all{
        [&](hostile_peer& one) { respond(one, [&](const greeting&, const digest& proof) { send(one, 0, proof); }); },
        [&](hostile_peer& one) { respond(one, [&](const greeting&, const digest&) { send(one, 0, {}); }); },
        [&](hostile_peer& one) {  // a refusal without a proof is not believed
            respond(one, [&](const greeting&, const digest&) { send(one, tcp_error::already_connected, {}); });
        },
        [&](hostile_peer& one) {
            respond(one, [&](const greeting& mine, const digest&) {
                send(one, 0, prove(other_secret, side::accepting, mine, mine));
            });
        },
        [&](hostile_peer& one) { respond(one, [&](const greeting&, const digest&) { one.hang_up(); }); },
    };
    for (const auto& treat : all) {
        const impostor false_rank(treat);
        tcp_transport one(1, "127.0.0.1:0", {.job = job, .key = secret});
        const completion c = one.connect(std::vector<std::string>{false_rank.address, "here:1"}, 200ms);
        CHECK(c.error == tcp_error::not_authenticated);
        CHECK(c.peer == 0);
    }
    const impostor mirror([](hostile_peer& one) {  // the rank's own greeting names the wrong rank
        greeting theirs;
        if (one.receive(theirs)) one.send(&theirs, sizeof theirs);
    });
    tcp_transport one(1, "127.0.0.1:0", {.job = job, .key = secret});
    CHECK(one.connect(std::vector<std::string>{mirror.address, "here:1"}, 200ms).error == tcp_error::unreachable);
}

TEST_CASE("key: the proof that a rank makes for one rank is of no use with another") {
    keyed_group three(3);
    std::atomic<bool> refused = false;
    // The attacker listens in place of rank 1 and forwards the proof of rank 2 to rank 0.
    const impostor relay([&](hostile_peer& from_two) {
        greeting theirs;
        digest proof;
        hostile_peer to_zero(three.port());
        if (!from_two.receive(theirs) || !to_zero.send(&theirs, sizeof theirs) || !to_zero.receive(to_zero.theirs))
            return;
        greeting reply = to_zero.theirs;
        reply.hello.sequence = 1;
        if (from_two.send(&reply, sizeof reply) && from_two.receive(proof) && to_zero.send(&proof, sizeof proof))
            refused = is_closed(to_zero);
    });
    std::vector<std::string> mislead = three.addresses;
    mislead[1] = relay.address;
    {
        const std::jthread zero(
            [&] { CHECK(three.at[0]->connect(three.addresses, 500ms).error == tcp_error::unreachable); });
        const completion c = three.at[2]->connect(mislead, 500ms);
        CHECK(c.error == tcp_error::not_authenticated);
        CHECK(c.peer == 1);
    }
    CHECK(refused);
}

TEST_CASE("tcp_error_text: every error has its own text") {
    std::vector<std::string> texts;
    for (int e = 0; e <= tcp_error::revoked; ++e) texts.emplace_back(tcp_error_text(e));
    for (int e = tcp_error::bad_address; e <= tcp_error::bad_key; ++e) texts.emplace_back(tcp_error_text(e));
    std::sort(texts.begin(), texts.end());
    CHECK(std::unique(texts.begin(), texts.end()) == texts.end());
    CHECK(std::find(texts.begin(), texts.end(), "an error of the transport") == texts.end());
    CHECK(tcp_error_text(tcp_error::bad_key + 1) == std::string("an error of the transport"));
}
