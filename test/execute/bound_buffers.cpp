#include "collsched/execute/bound_buffers.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace collsched;

TEST_CASE("bound_buffers: a memory range maps to bytes of the buffer that it names") {
    std::array<std::byte, 8> input{}, output{}, scratch{}, staging{};
    const bound_buffers bound{input.data(), output.data(), scratch.data(), staging.data()};

    const std::array<const std::byte*, 3> read = {input.data(), output.data(), scratch.data()};
    const std::array<memory_area, 3> sources = {memory_area::input, memory_area::output, memory_area::scratch};
    for (std::size_t i = 0; i < 3; ++i) {
        const send_part found = bound.readable({sources[i], 3, 2});
        CHECK(found.data == read[i] + 3);
        CHECK(found.size == 2);
    }
    const std::array<std::byte*, 3> written = {output.data(), scratch.data(), staging.data()};
    const std::array<memory_area, 3> targets = {memory_area::output, memory_area::scratch, memory_area::staging};
    for (std::size_t i = 0; i < 3; ++i) {
        const receive_part found = bound.writable({targets[i], 5, 1});
        CHECK(found.data == written[i] + 5);
        CHECK(found.size == 1);
    }
}

TEST_CASE("bound_buffers: a part of a buffer without an address has none") {
    const bound_buffers none;
    for (const memory_area area : {memory_area::output, memory_area::scratch, memory_area::staging}) {
        CHECK(none.readable({area, 956, 4}).data == nullptr);
        CHECK(none.writable({area, 956, 4}).data == nullptr);
        CHECK(none.writable({area, 956, 4}).size == 4);
    }
    CHECK(none.readable({memory_area::input, 956, 4}).data == nullptr);
}
