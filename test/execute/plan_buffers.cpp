#include "collsched/execute/plan_buffers.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace collsched;

TEST_CASE("plan::buffers: a memory range maps to bytes of the buffer that it names") {
    std::array<std::byte, 8> input{}, output{}, scratch{}, staging{};
    const plan::buffers bound{input.data(), output.data(), scratch.data(), staging.data()};

    const std::array<const std::byte*, 3> read = {input.data(), output.data(), scratch.data()};
    const std::array<message::area, 3> sources = {message::area::input, message::area::output, message::area::scratch};
    for (std::size_t i = 0; i < 3; ++i) {
        const message::send_part found = bound.readable({sources[i], 3, 2});
        CHECK(found.data == read[i] + 3);
        CHECK(found.size == 2);
    }
    const std::array<std::byte*, 3> written = {output.data(), scratch.data(), staging.data()};
    const std::array<message::area, 3> targets = {message::area::output, message::area::scratch,
                                                  message::area::staging};
    for (std::size_t i = 0; i < 3; ++i) {
        const message::receive_part found = bound.writable({targets[i], 5, 1});
        CHECK(found.data == written[i] + 5);
        CHECK(found.size == 1);
    }
}

TEST_CASE("plan::buffers: a part of a buffer without an address has none") {
    const plan::buffers none;
    for (const message::area area : {message::area::output, message::area::scratch, message::area::staging}) {
        CHECK(none.readable({area, 956, 4}).data == nullptr);
        CHECK(none.writable({area, 956, 4}).data == nullptr);
        CHECK(none.writable({area, 956, 4}).size == 4);
    }
    CHECK(none.readable({message::area::input, 956, 4}).data == nullptr);
}
