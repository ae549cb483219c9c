// A rank of the group that violates the protocol: its frames fail the messages with it, and nothing else.

#include "collsched/execute/tcp/detail/connection.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <random>

#include "test/execute/tcp/attack.hpp"

using namespace collsched::detail::tcp;
using namespace collsched;
using namespace support;
using namespace std::chrono_literals;

namespace {

constexpr rank_t victim = attack::victim, evil = attack::evil, ranks = attack::ranks;
constexpr bytes_t size = attack::size;

using values = std::vector<std::uint64_t>;

/// Returns values for a field: boundaries, neighbors, and random numbers.
values numbers(std::uint64_t now, std::mt19937_64& random) {
    values all{0,
               1,
               now + 1,
               now - 1,
               1u << 31,
               std::uint64_t{1} << 62,
               std::uint64_t{1} << 63,
               ~std::uint64_t{0},
               ~std::uint64_t{0} >> 1,
               random()};
    std::erase(all, now);
    return all;
}

/// Returns frames that differ from this one in one field, except in the fields that `spare` selects.
std::vector<frame> changed(const frame& from, std::mt19937_64& random,
                           const std::function<bool(const frame&)>& allowed) {
    std::vector<frame> all;
    const auto add = [&](auto frame::* field) {
        for (const std::uint64_t value : numbers(static_cast<std::uint64_t>(from.*field), random)) {
            frame f = from;
            f.*field = static_cast<std::remove_reference_t<decltype(f.*field)>>(value);
            if (f != from && !allowed(f)) all.push_back(f);
        }
    };
    add(&frame::error);
    add(&frame::id);
    add(&frame::channel);
    add(&frame::epoch);
    add(&frame::sequence);
    add(&frame::fingerprint);
    add(&frame::size);
    return all;
}

void check_forbidden(const std::vector<frame>& frames, const std::function<void(attack&)>& before = {}) {
    CHECK(frames.size() > 5);
    for (const frame& f : frames) {
        CAPTURE(static_cast<std::uint32_t>(f.kind));
        CAPTURE(f.error);
        CAPTURE(f.id);
        CAPTURE(f.channel);
        CAPTURE(f.sequence);
        CAPTURE(f.size);
        attack a;
        if (before) before(a);
        a.peer().send(f);
        a.check_ended(tcp_transport::errors::protocol_violation);
    }
}

}  // namespace

TEST_CASE("hostile peer: no field of a reply may differ from its request") {
    std::mt19937_64 random(1);
    const frame request = attack().request;
    const auto none = [](const frame&) { return false; };
    const auto reason = [](const frame& f) {
        return f.error == tcp_transport::errors::disagreement || f.error == tcp_transport::errors::size_mismatch;
    };
    check_forbidden(changed(with_kind(frame_kind::data, request), random, none));
    check_forbidden(
        changed(with_kind(frame_kind::refused, request, tcp_transport::errors::disagreement), random, reason));
    frame refusal = with_kind(frame_kind::refused, request);
    check_forbidden({refusal, with_kind(frame_kind::refused, request, tcp_transport::errors::withdrawn),
                     with_kind(frame_kind::refused, request, -1),
                     with_kind(frame_kind::refused, request, tcp_transport::errors::peer_died),
                     with_kind(frame_kind::refused, request, tcp_transport::errors::protocol_violation),
                     with_kind(frame_kind::refused, request, 1000)});
}

TEST_CASE("hostile peer: ids, numbers and sizes of requests and withdrawals are checked") {
    std::mt19937_64 random(2);
    const frame first = attack().request_for(5, 7), last = with_kind(frame_kind::withdrawn, first);
    check_forbidden(changed(first, random,
                            [](const frame& f) { return f.error == 0 && f.id > 0 && f.sequence >= 0 && f.size >= 0; }));
    const auto request_first = [&](attack& a) { CHECK(a.peer().send(first)); };
    check_forbidden(changed(last, random,
                            [&](const frame& f) {
                                return f.error == 0 && f.id > 0 && f.id <= 7 && f.fingerprint == 0 && f.size == size;
                            }),
                    request_first);
    // The id is not new; the message has been requested already.
    check_forbidden(
        {attack().request_for(6, 7), attack().request_for(6, 6), attack().request_for(6, 1), attack().request_for(5, 8),
         attack().request_for(5, 9), attack().request_for(5, ~std::uint64_t{0})},
        request_first);
    const auto withdraw_first = [&](attack& a) {
        request_first(a);
        CHECK(a.peer().send(last));
    };
    check_forbidden(std::vector<frame>(6, last), withdraw_first);
}

TEST_CASE("hostile peer: no other type of frame, no second hello, no rank outside of the group in a goodbye") {
    std::mt19937_64 random(3);
    std::vector<frame> all = changed({.kind = frame_kind::goodbye, .sequence = -1}, random, [](const frame& f) {
        return f == frame{.kind = frame_kind::goodbye, .sequence = f.sequence} && f.sequence >= -1 && f.sequence < 2;
    });
    for (const std::int64_t dead : {std::int64_t{evil}, ranks, -2L, 123'456'789'012'345L})
        all.push_back({.kind = frame_kind::goodbye, .sequence = dead});
    for (const rank_t r : {rank_t{0}, victim, evil}) all.push_back(hello_of(r, ranks, 0));
    for (const std::uint64_t kind : numbers(7, random))
        if (const auto k = static_cast<frame_kind>(kind); k == frame_kind{} || k > frame_kind::goodbye)
            all.push_back(with_kind(k, attack().request));
    check_forbidden(all);
}

TEST_CASE("hostile peer: one reply for each request, which a second one does not change") {
    for (const frame_kind second : {frame_kind::data, frame_kind::refused}) {
        attack a;
        CHECK(a.peer().send(with_kind(frame_kind::refused, a.request, tcp_transport::errors::size_mismatch)));
        CHECK(a.peer().send(
            with_kind(second, a.request, second == frame_kind::data ? 0 : tcp_transport::errors::disagreement)));
        CHECK(a.peer().send(a.sent.bytes.data(), a.sent.bytes.size()));
        const auto seen = collect(a.at, 2, 20s);
        REQUIRE(seen.size() == 2);
        CHECK(seen.at(0).error == tcp_transport::errors::size_mismatch);
        CHECK(seen.at(1).error == tcp_transport::errors::protocol_violation);
        CHECK(a.got.bytes == a.untouched.bytes);
        a.check_others();
    }
}

TEST_CASE("hostile peer: nothing is read after a goodbye, and a goodbye may name the living") {
    for (const rank_t named : {rank_t{-1}, victim, rank_t{0}}) {
        attack a;
        const frame late[] = {{.kind = frame_kind::goodbye, .sequence = named}, with_kind(frame_kind::data, a.request)};
        CHECK(a.peer().send(late, sizeof late));
        a.peer().send(a.sent.bytes.data(), a.sent.bytes.size());
        if (named != 0) {
            a.check_ended(tcp_transport::errors::peer_left);
            continue;
        }
        const completion c = a.at[1]->wait_any(20s);
        CHECK(c.request.owner == nullptr);
        CHECK(c.error == tcp_transport::errors::peer_died);
        CHECK(c.peer == named);
        CHECK(a.got.bytes == a.untouched.bytes);
    }
}

TEST_CASE("hostile peer: a message that is cut off at any byte ends with the connection") {
    for (std::size_t length = 0; length < sizeof(frame) + size; length += length < sizeof(frame) ? 1 : 33) {
        CAPTURE(length);
        attack a;
        std::vector<std::byte> bytes(sizeof(frame));
        const frame head = with_kind(frame_kind::data, a.request);
        std::memcpy(bytes.data(), &head, sizeof head);
        bytes.insert(bytes.end(), a.sent.bytes.begin(), a.sent.bytes.end());
        CHECK(a.peer().send(bytes.data(), length));
        a.peer().hang_up();
        const auto seen = collect(a.at, 2, 20s);
        REQUIRE(seen.size() == 2);
        for (const auto& [node, c] : seen) CHECK(c.error == tcp_transport::errors::peer_died);
        CHECK(a.at[1]->wait_any(0s).peer == evil);
    }
}

TEST_CASE("hostile peer: any sequence of frames ends in an error or in the right bytes") {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        attack a;
        for (int left = 1 + static_cast<int>(random() % 20); left > 0; --left) {
            frame f =
                random() % 2 == 0 ? a.request : a.request_for(static_cast<std::int64_t>(random() % 3), random() % 9);
            f.kind = static_cast<frame_kind>(random() % 8);
            if (random() % 4 == 0) f.error = static_cast<std::int32_t>(random() % 14) - 1;
            if (random() % 8 == 0) f.size = static_cast<bytes_t>(random() >> random() % 64);
            if (random() % 8 == 0) f.sequence = static_cast<std::int64_t>(random() >> random() % 64);
            a.peer().send(f);
            if (f.kind == frame_kind::data) a.peer().send(a.sent.bytes.data(), size);
        }
        a.peers.clear();
        std::map<std::int64_t, completion> seen;
        for (completion c; seen.size() < 2 && (c = a.at[1]->wait_any(20s)).request.owner != nullptr;) {
            CHECK(seen.insert({c.request.node, c}).second);
            CHECK(c.error >= 0);
            CHECK(c.error <= tcp_transport::errors::protocol_violation);
        }
        for (const std::int64_t node : {0, 1})
            if (!seen.contains(node))
                CHECK(a.at[1]->wait_any(20s).error == tcp_transport::errors::peer_died);  // because of rank 0
        if (seen.contains(0) && seen[0].error == 0) CHECK(a.got.bytes == a.sent.bytes);
    }
}
