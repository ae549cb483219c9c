#include "collsched/execute/detail/part_cursor.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "support/pieces.hpp"

using namespace collsched;
using namespace collsched::detail;
using support::cut;
using support::noise;

TEST_CASE("part_cursor: bytes are copied in order for any division into parts") {
    splitmix64 random(1);
    for (int round = 0; round < 200; ++round) {
        const bytes_t size = random.between(0, 300);
        const std::vector<std::byte> out = noise(size, random());
        std::vector<std::byte> in(out.size());
        const auto sent = cut<message::send_part>(out.data(), size, random.between(1, 40), random);
        const auto received = cut<message::receive_part>(in.data(), size, random.between(1, 40), random);
        part_cursor from{std::span<const message::send_part>(sent)};
        part_cursor into{std::span<const message::receive_part>(received)};
        const bytes_t first = random.between(0, size);
        copy_bytes(from, into, first);
        copy_bytes(from, into, size - first);
        REQUIRE(in == out);
    }
}

TEST_CASE("part_cursor: skip moves across parts") {
    const std::array<std::byte, 6> data{};
    const message::send_part parts[] = {{data.data(), 2}, {nullptr, 0}, {data.data() + 2, 4}};
    part_cursor at{std::span<const message::send_part>(parts)};
    at.skip(3);
    CHECK(at.part().data == data.data() + 3);
    CHECK(at.part().size == 3);
}

TEST_CASE("part_cursor: bytes of all parts are copied in steps of any length") {
    splitmix64 random(1);
    for (const bytes_t step : {1, 7, 100, 5000}) {
        const std::vector<std::byte> from = noise(3000, 2);
        std::vector<std::byte> into(3000), part(static_cast<std::size_t>(step));
        const auto sent = cut<message::send_part>(from.data(), 3000, 90, random);
        const auto received = cut<message::receive_part>(into.data(), 3000, 50, random);
        part_cursor<message::send_part> out(sent);
        part_cursor<message::receive_part> in(received);
        for (bytes_t left = 3000; left > 0; left -= step) {
            CHECK(!out.done());
            out.copy_to(part.data(), step < left ? step : left);
            in.copy_from(part.data(), step < left ? step : left);
        }
        CHECK((out.done() && in.done()));
        CHECK(into == from);
    }
}

TEST_CASE("part_cursor: bytes are named in entries, as many as a list has, up to a number of bytes") {
    struct entry {
        void* at;
        std::size_t size;
    };
    std::vector<std::byte> bytes(100);
    const message::send_part parts[] = {{bytes.data(), 10}, {bytes.data() + 50, 0}, {bytes.data() + 20, 30}};
    part_cursor<message::send_part> walk{std::span<const message::send_part>(parts)};
    entry list[4];
    std::size_t used = 0;
    CHECK(walk.name<entry>(15, list, used) == 15);
    CHECK((used == 2 && list[0].at == bytes.data() && list[0].size == 10 && list[1].size == 5));
    CHECK(walk.name<entry>(1000, std::span(list).first(1), used) == 25);
    CHECK((used == 1 && list[0].at == bytes.data() + 25 && walk.done()));
}
