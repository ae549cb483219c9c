#include "collsched/execute/shared_memory/detail/ring.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "support/brief.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// A ring with both its ends in this process.
struct both_ends {
    explicit both_ends(bytes_t bytes)
        : data(static_cast<std::size_t>(bytes)),
          memory{control.get(), data.data(), static_cast<std::uint64_t>(bytes), 0x9e3779b97f4a7c15},
          writer(memory),
          reader(memory) {}

    /// A record whose body contains its id and size; false if there is no room.
    bool put(std::uint64_t id, std::uint32_t bytes) {
        std::byte* const at = writer.reserve({bytes, 7, id, id * 3});
        if (at == nullptr) return false;
        std::memset(at, static_cast<int>(id % 251), bytes);
        writer.commit();
        return true;
    }
    /// Whether the next record is this one.
    bool is_next(std::uint64_t id, std::uint32_t bytes) {
        const ring_entry* const found = reader.front();
        if (found == nullptr || found->kind != 7 || found->id != id || found->value != id * 3 || found->bytes != bytes)
            return false;
        for (std::uint32_t i = 0; i < bytes; ++i)
            if (found->body[i] != static_cast<std::byte>(id % 251)) return false;
        return true;
    }

    std::unique_ptr<ring_control> control = std::make_unique<ring_control>();
    std::vector<std::byte> data;
    ring_memory memory;
    ring_writer writer;
    ring_reader reader;
};

/// More records than that are not in a ring of so many bytes.
constexpr std::uint64_t most_records(std::uint64_t bytes) { return bytes / sizeof(stamped_record); }

/// Waits for a record, but not for ever.
bool has_record(ring_reader& reader) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (reader.front() == nullptr) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::yield();
    }
    return true;
}

}  // namespace

TEST_CASE("ring: it is full if the next record and its gap would overwrite unread records") {
    // At every place of the ring's end, with every size of the next record: the writer may take a place only when the reader
    // has given it back.
    for (std::uint32_t first = 0; first <= longest_body(1024); first += 8)
        for (std::uint32_t next = 0; next <= longest_body(1024); next += 8) {
            both_ends ring(1024);
            CAPTURE(first);
            CAPTURE(next);
            std::uint64_t in = 0;
            while (in <= most_records(1024) && ring.put(in, first)) ++in;
            REQUIRE(in <= most_records(1024));
            std::uint64_t out = 0;
            while (!ring.put(in, next)) {
                REQUIRE(out < in);
                REQUIRE(ring.is_next(out, first));
                ring.reader.pop();
                ++out;
            }
            for (; out < in; ++out) {
                REQUIRE(ring.is_next(out, first));
                ring.reader.pop();
            }
            REQUIRE(ring.is_next(in, next));
            ring.reader.pop();
            REQUIRE(ring.reader.front() == nullptr);
        }
}

TEST_CASE("ring: records of any length are read unchanged across the end of the ring") {
    both_ends ring(1024);
    CHECK(ring.reader.front() == nullptr);
    std::uint64_t in = 0, out = 0;
    const auto size = [](std::uint64_t id) {
        return static_cast<std::uint32_t>(id * 37 % static_cast<std::uint64_t>(longest_body(1024) + 1));
    };
    for (int round = 0; round < 1000; ++round) {
        while (in - out <= most_records(1024) && ring.put(in, size(in))) ++in;
        REQUIRE(in > out);
        REQUIRE(in - out <= most_records(1024));
        for (int i = 0; i <= round % 5 && out < in; ++i, ++out) {
            REQUIRE(ring.is_next(out, size(out)));
            ring.reader.pop();
        }
    }
    CHECK(in > 2000);
}

TEST_CASE("ring: four of the longest records fit, and the reader sees that its writer waits") {
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

TEST_CASE("ring: a concurrent writer and reader lose and reorder no record") {
    both_ends ring(2048);
    const std::uint64_t records = 100'000 / support::one_of();
    const auto size = [](std::uint64_t id) { return static_cast<std::uint32_t>(id * 13 % 200); };
    std::atomic<bool> over = false;  // the reader has all, or gives up: then the writer ends too
    std::thread writing([&] {
        for (std::uint64_t i = 0; i < records; ++i)
            while (!ring.put(i, size(i))) {
                if (over) return;
                std::this_thread::yield();
            }
    });
    std::uint64_t right = 0;
    while (right < records && has_record(ring.reader) && ring.is_next(right, size(right))) {
        ++right;
        ring.reader.pop();
    }
    over = true;
    writing.join();
    CHECK(right == records);
}

TEST_CASE("ring: a record is not visible before its commit, nor what earlier ones have left there") {
    both_ends ring(1024);
    for (std::uint64_t lap = 0; lap < 8; ++lap)
        for (std::uint64_t id = 0; id < 8; ++id) {
            REQUIRE(ring.writer.reserve({96, 7, id, 0}) != nullptr);
            CHECK((ring.reader.front() == nullptr && !ring.reader.has_record()));
            ring.writer.commit();
            REQUIRE((ring.reader.has_record() && ring.reader.front() != nullptr));
            ring.reader.pop();
        }
}

TEST_CASE("ring_reader: room is given back in eighths of the ring, and to a writer that waits for it") {
    both_ends ring(1024);
    for (std::uint64_t i = 0; i < 4; ++i) REQUIRE(ring.put(i, 0));  // a line each
    for (std::uint64_t i = 0; i < 4; ++i) {
        REQUIRE(ring.is_next(i, 0));
        CHECK(!ring.reader.pop());
        CHECK(ring.control->read.load() == (i + 1) / 2 * 128);
    }
}

TEST_CASE("ring_reader: a record that ends beyond the ring, or is a mark at its beginning, ends the reading") {
    for (const std::uint32_t kind : {0U, 7U})
        for (const std::uint32_t bytes : {1024U - 31, 1024U, 0x7fffffffU, 0xfffffff9U, 0xffffffffU}) {
            both_ends ring(1024);
            const stamped_record wrong{ring.memory.stamp(0), {bytes, kind, 1, 3}};
            std::memcpy(ring.data.data(), &wrong, sizeof wrong);
            CHECK(ring.reader.front() == nullptr);
            CHECK(ring.reader.is_broken());
            CHECK(ring.reader.position() == 0);
            CHECK(ring.put(1, 0));
            CHECK(ring.reader.front() == nullptr);  // for good
        }
    both_ends whole(1024);
    const stamped_record longest{whole.memory.stamp(0), {1024U - 32, 7, 1, 3}};
    std::memcpy(whole.data.data(), &longest, sizeof longest);
    CHECK((whole.reader.front() != nullptr && !whole.reader.is_broken()));
}

TEST_CASE("ring_reader: a record that the writer changes after the check is read as checked") {
    both_ends ring(1024);
    REQUIRE(ring.put(1, 8));
    REQUIRE(ring.put(2, 8));
    const ring_entry* const found = ring.reader.front();
    REQUIRE(found != nullptr);
    const stamped_record changed{9, {0x7fffffff, 5, 6, 7}};
    std::memcpy(ring.data.data(), &changed, sizeof changed);
    CHECK((found->bytes == 8 && found->kind == 7 && found->id == 1 && found->value == 3));
    ring.reader.pop();
    CHECK(ring.reader.position() == 64);
    CHECK(ring.is_next(2, 8));
}

TEST_CASE("ring: a writer writes within its ring for any counter of the reader") {
    for (const std::uint64_t read : {std::uint64_t{1025}, std::uint64_t{1} << 63, ~std::uint64_t{0} - 1000}) {
        both_ends ring(1024);
        ring.control->read.store(read);
        std::uint64_t in = 0;
        while (in < 1000 && ring.put(in, 192)) ++in;
        CHECK(in == 4);
        CHECK(ring.writer.is_broken());
        ring.control->read.store(4 * 256);
        CHECK(!ring.put(4, 0));  // for good
    }
}
