#include "collsched/execute/part_cursor.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "support/pieces.hpp"

using namespace collsched;
using support::cut;
using support::noise;

TEST_CASE("part_cursor: bytes are copied in order for any division into parts") {
    detail::splitmix64 random(1);
    for (int round = 0; round < 200; ++round) {
        const bytes_t size = random.between(0, 300);
        const std::vector<std::byte> out = noise(size, random());
        std::vector<std::byte> in(out.size());
        const auto sent = cut<send_part>(out.data(), size, random.between(1, 40), random);
        const auto received = cut<receive_part>(in.data(), size, random.between(1, 40), random);
        part_cursor from{std::span<const send_part>(sent)};
        part_cursor into{std::span<const receive_part>(received)};
        const bytes_t first = random.between(0, size);
        copy_bytes(from, into, first);
        copy_bytes(from, into, size - first);
        REQUIRE(in == out);
    }
}

TEST_CASE("part_cursor: skip moves across parts") {
    const std::array<std::byte, 6> data{};
    const send_part parts[] = {{data.data(), 2}, {nullptr, 0}, {data.data() + 2, 4}};
    part_cursor at{std::span<const send_part>(parts)};
    at.skip(3);
    CHECK(at.here().data == data.data() + 3);
    CHECK(at.here().size == 3);
}
