#include "polled_ring.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

using namespace collsched;
using namespace collsched::preload;

namespace {

constexpr std::uint64_t key = 0x9e3779b97f4a7c15;

/// A ring with both its ends in this process.
struct both_ends {
    explicit both_ends(std::uint64_t bytes)
        : data(bytes / 8), memory{control.get(), reinterpret_cast<std::byte*>(data.data()), bytes, key} {}

    /// Writes a record whose body contains its id. Returns false if there is no room.
    bool put(std::uint64_t id, std::uint32_t bytes) {
        std::byte* const at = writer.reserve({bytes, 7, id, 0});
        if (at == nullptr) return false;
        std::memset(at, static_cast<int>(id % 251), bytes);
        writer.set_value(id * 3);
        writer.commit();
        return true;
    }
    /// Takes a record. Returns whether it is this one.
    bool take(std::uint64_t id, std::uint32_t bytes) {
        const ring_entry* const found = reader.front();
        if (found == nullptr || found->kind != 7 || found->id != id || found->value != id * 3 || found->bytes != bytes)
            return false;
        for (std::uint32_t i = 0; i < bytes; ++i)
            if (found->body[i] != static_cast<std::byte>(id % 251)) return false;
        reader.pop();
        return true;
    }

    std::unique_ptr<collsched::detail::ring_control> control = std::make_unique<collsched::detail::ring_control>();
    std::vector<std::uint64_t> data;
    ring_memory memory;
    polled_writer writer{memory};
    polled_reader reader{memory};
};

std::uint32_t size_of(std::uint64_t id) {
    return static_cast<std::uint32_t>(id * 37 % static_cast<std::uint64_t>(ring_memory::longest_body(1024) + 1));
}

}  // namespace

TEST_CASE("polled_ring: records of any length are read unchanged across the end of the ring") {
    both_ends ring(1024);
    CHECK(ring.reader.front() == nullptr);
    std::uint64_t in = 0, out = 0;
    for (int round = 0; round < 2000; ++round) {
        while (ring.put(in, size_of(in))) REQUIRE(++in - out <= 32);
        REQUIRE(in > out);
        for (int i = 0; i <= round % 5 && out < in; ++i, ++out) REQUIRE(ring.take(out, size_of(out)));
    }
    for (; out < in; ++out) REQUIRE(ring.take(out, size_of(out)));
    CHECK(ring.reader.front() == nullptr);
    CHECK(!ring.reader.is_broken());
}

TEST_CASE("polled_ring: four of the longest records fit") {
    both_ends ring(1024);
    const auto longest = static_cast<std::uint32_t>(ring_memory::longest_body(1024));
    for (std::uint64_t i = 0; i < 4; ++i) CHECK(ring.put(i, longest));
    CHECK(!ring.put(4, 0));
    CHECK(ring.take(0, longest));
    CHECK(ring.put(4, longest));
}

TEST_CASE("polled_ring: a record is not visible before its commit, nor is what earlier ones have left there") {
    both_ends ring(1024);
    for (std::uint64_t lap = 0; lap < 8; ++lap)
        for (std::uint64_t id = 0; id < 8; ++id) {
            CHECK(ring.writer.reserve({96, 7, id, 0}) != nullptr);
            CHECK(ring.reader.front() == nullptr);
            ring.writer.commit();
            REQUIRE(ring.reader.front() != nullptr);
            ring.reader.pop();
        }
}

TEST_CASE("polled_ring: a concurrent writer and reader lose and reorder no record") {
    both_ends ring(1024);
    constexpr std::uint64_t records = 50'000;
    std::thread writing([&] {
        for (std::uint64_t i = 0; i < records; ++i)
            while (!ring.put(i, size_of(i))) std::this_thread::yield();
    });
    bool right = true;
    for (std::uint64_t i = 0; i < records; ++i) {
        while (ring.reader.front() == nullptr) std::this_thread::yield();
        if (ring.take(i, size_of(i))) continue;
        right = false;
        ring.reader.pop();
    }
    writing.join();
    CHECK(right);
}

TEST_CASE("polled_ring: a record that does not fit into the ring ends the reading") {
    for (const std::uint32_t kind : {0U, 7U})
        for (const std::uint32_t bytes : {1024U - 31, 1024U, 0x7fffffffU, 0xfffffff9U, 0xffffffffU}) {
            both_ends ring(1024);
            const stamped_record wrong{ring.memory.stamp(0), {bytes, kind, 1, 3}};
            std::memcpy(ring.memory.data, &wrong, sizeof wrong);
            CHECK(ring.reader.front() == nullptr);
            CHECK(ring.reader.is_broken());
            CHECK(ring.reader.position() == 0);
        }
}

TEST_CASE("polled_ring: the writer stays behind any counter of its reader") {
    for (const std::uint64_t read : {std::uint64_t{961}, std::uint64_t{1} << 63, ~std::uint64_t{0} - 1000}) {
        both_ends ring(1024);
        ring.control->read.store(read);
        std::uint64_t in = 0;
        while (in < 1000 && ring.put(in, 208)) ++in;
        CHECK(in == 4);
    }
}
