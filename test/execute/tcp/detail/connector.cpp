#include "collsched/execute/tcp/detail/connector.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "test/execute/tcp/false_listener.hpp"
#include "test/execute/tcp/keyed_group.hpp"

using namespace collsched;
using namespace collsched::detail::tcp;
using namespace support;
using namespace std::chrono_literals;

TEST_CASE("connector: a program that listens where a rank should is not taken for the rank") {
    const auto greets = [](const frame& hello) {
        return [hello](hostile_peer& one) {
            const greeting reply{.hello = hello};
            one.send(&reply, sizeof reply);
        };
    };
    const std::vector<std::function<void(hostile_peer&)>> all{
        [](hostile_peer&) {},
        [](hostile_peer& one) { one.hang_up(); },
        [](hostile_peer& one) {
            one.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 11\r\n\r\nBad Request", 60);
            one.hang_up();
        },
        greets(hello_of(1, 2, 0)),
        greets(hello_of(0, 2, 1)),
        greets(hello_of(0, 3, 0)),
        greets(hello_of(-1, 2, 0)),
        greets(with_kind(frame_kind::request, hello_of(0, 2, 0))),
    };
    for (const auto& treat : all) {
        const false_listener wrong(treat);
        tcp_transport one(1, "127.0.0.1:0");
        const completion c = one.connect(std::vector<std::string>{wrong.address, "here:1"}, 100ms);
        CHECK(c.error == tcp_transport::errors::unreachable);
        CHECK(c.peer == 0);
    }
}

TEST_CASE("connector: a listener without the key cannot pose as a rank, also with what the rank has sent") {
    const auto respond = [](hostile_peer& one, const std::function<void(const greeting&, const digest&)>& then) {
        greeting remote, local{.hello = hello_of(0, 2, job), .nonce = {}};
        digest proof;
        if (!one.receive(remote)) return;
        local.nonce = remote.nonce;  // reflected
        if (one.send(&local, sizeof local) && one.receive(proof)) then(local, proof);
    };
    const auto send = [](hostile_peer& one, std::int64_t error, const digest& proof) {
        const acceptance last{error, proof};
        one.send(&last, sizeof last);
    };
    const std::vector<std::function<void(hostile_peer&)>> all{
        [&](hostile_peer& one) { respond(one, [&](const greeting&, const digest& proof) { send(one, 0, proof); }); },
        [&](hostile_peer& one) { respond(one, [&](const greeting&, const digest&) { send(one, 0, {}); }); },
        [&](hostile_peer& one) {  // a refusal without a proof is not believed
            respond(one,
                    [&](const greeting&, const digest&) { send(one, tcp_transport::errors::already_connected, {}); });
        },
        [&](hostile_peer& one) {
            respond(one, [&](const greeting& local, const digest&) {
                send(one, 0, prove(other_secret, side::accepting, local, local));
            });
        },
        [&](hostile_peer& one) { respond(one, [&](const greeting&, const digest&) { one.hang_up(); }); },
    };
    for (const auto& treat : all) {
        const false_listener false_rank(treat);
        tcp_transport one(1, "127.0.0.1:0", {.job = job, .key = secret});
        const completion c = one.connect(std::vector<std::string>{false_rank.address, "here:1"}, 200ms);
        CHECK(c.error == tcp_transport::errors::not_authenticated);
        CHECK(c.peer == 0);
    }
    const false_listener mirror([](hostile_peer& one) {  // the rank's own greeting names the wrong rank
        greeting remote;
        if (one.receive(remote)) one.send(&remote, sizeof remote);
    });
    tcp_transport one(1, "127.0.0.1:0", {.job = job, .key = secret});
    CHECK(one.connect(std::vector<std::string>{mirror.address, "here:1"}, 200ms).error ==
          tcp_transport::errors::unreachable);
}
