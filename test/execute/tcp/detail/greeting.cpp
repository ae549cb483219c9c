#include "collsched/execute/tcp/detail/greeting.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <vector>

#include "test/execute/tcp/keyed_group.hpp"

using namespace collsched;
using namespace collsched::detail::tcp;
using namespace support;

TEST_CASE("key: a proof differs with every field of both greetings, the side, the error and the key") {
    const greeting connecting{.hello = rank_one(), .nonce = {1}}, accepting{.hello = hello_of(0, 2, job), .nonce = {2}};
    const digest proof = prove(secret, side::connecting, connecting, accepting);
    CHECK(equal_digests(proof, prove(secret, side::connecting, connecting, accepting)));
    std::vector<digest> others{
        prove(other_secret, side::connecting, connecting, accepting),
        prove({}, side::connecting, connecting, accepting), prove(secret, side::accepting, connecting, accepting),
        prove(secret, side::connecting, accepting, connecting),
        prove(secret, side::connecting, connecting, accepting, tcp_transport::errors::already_connected)};
    for (std::size_t i = 0; i < sizeof(greeting); ++i)
        for (const bool of_connecting : {true, false}) {
            greeting a = connecting, b = accepting;
            reinterpret_cast<unsigned char*>(of_connecting ? &a : &b)[i] ^= 1;
            others.push_back(prove(secret, side::connecting, a, b));
        }
    for (const digest& other : others) CHECK(!equal_digests(proof, other));
    const std::vector<std::byte> zeros(33);  // HMAC pads keys with zeros
    CHECK(!equal_digests(prove(detail::tcp_key(std::span(zeros).first(32)), side::connecting, connecting, accepting),
                         prove(detail::tcp_key(zeros), side::connecting, connecting, accepting)));
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
        const greeting connecting{.hello = rank_one(), .nonce = {1}},
            accepting{.hello = hello_of(0, 2, job), .nonce = {2}};
        CHECK(prove(secret, side::connecting, connecting, accepting) == expected);
    }
}
