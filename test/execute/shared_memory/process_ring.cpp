#include "collsched/execute/shared_memory/process_ring.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace collsched;

namespace {

/// A ring with both its ends in this process.
struct both_ends {
    explicit both_ends(bytes_t bytes)
        : data(static_cast<std::size_t>(bytes)),
          writer(*control, data.data(), bytes),
          reader(*control, data.data(), bytes) {}

    /// A record whose body tells its id and size; false if there is no room.
    bool put(std::uint64_t id, std::uint32_t bytes) {
        std::byte* const at = writer.reserve({bytes, 7, id, id * 3});
        if (at == nullptr) return false;
        std::memset(at, static_cast<int>(id % 251), bytes);
        writer.commit();
        return true;
    }
    /// Whether the next record is this one.
    bool is_next(std::uint64_t id, std::uint32_t bytes) {
        const ring_record* const found = reader.front();
        if (found == nullptr || found->kind != 7 || found->id != id || found->value != id * 3 || found->bytes != bytes)
            return false;
        for (std::uint32_t i = 0; i < bytes; ++i)
            if (found->body()[i] != static_cast<std::byte>(id % 251)) return false;
        return true;
    }

    std::unique_ptr<ring_control> control = std::make_unique<ring_control>();
    std::vector<std::byte> data;
    ring_writer writer;
    ring_reader reader;
};

}  // namespace

TEST_CASE("records of any length come out as they went in, around the end of the ring") {
    both_ends ring(1024);
    CHECK(ring.reader.front() == nullptr);
    std::uint64_t in = 0, out = 0;
    const auto size = [](std::uint64_t id) {
        return static_cast<std::uint32_t>(id * 37 % static_cast<std::uint64_t>(longest_body(1024) + 1));
    };
    for (int round = 0; round < 1000; ++round) {
        while (ring.put(in, size(in))) ++in;
        CHECK(in > out);
        for (int i = 0; i <= round % 5 && out < in; ++i, ++out) {
            REQUIRE(ring.is_next(out, size(out)));
            ring.reader.pop();
        }
    }
    CHECK(in > 2000);
}

TEST_CASE("a ring takes four of the longest records, and tells the reader that its writer waits") {
    both_ends ring(1024);
    const auto longest = static_cast<std::uint32_t>(longest_body(1024));
    for (std::uint64_t i = 0; i < 4; ++i) CHECK(ring.put(i, longest));
    CHECK(!ring.put(4, 0));
    CHECK(ring.is_next(0, longest));
    CHECK(ring.reader.pop());
    CHECK(ring.is_next(1, longest));
    CHECK(!ring.reader.pop());
    CHECK(ring.put(4, longest));
}

TEST_CASE("what is not committed is not there") {
    both_ends ring(1024);
    CHECK(ring.writer.reserve({8, 7, 1, 3}) != nullptr);
    CHECK(ring.reader.front() == nullptr);
    ring.writer.commit();
    CHECK(ring.reader.front() != nullptr);
}

TEST_CASE("a writer and a reader at the same time lose and mix up nothing") {
    both_ends ring(2048);
    constexpr std::uint64_t records = 100'000;
    const auto size = [](std::uint64_t id) { return static_cast<std::uint32_t>(id * 13 % 200); };
    std::thread writing([&] {
        for (std::uint64_t i = 0; i < records; ++i)
            while (!ring.put(i, size(i))) std::this_thread::yield();
    });
    std::uint64_t right = 0;
    for (std::uint64_t i = 0; i < records; ++i) {
        while (ring.reader.front() == nullptr) std::this_thread::yield();
        if (ring.is_next(i, size(i))) ++right;
        ring.reader.pop();
    }
    writing.join();
    CHECK(right == records);
}
