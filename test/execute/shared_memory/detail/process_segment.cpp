#include "collsched/execute/shared_memory/detail/process_segment.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <utility>

#include "support/processes.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

open_file memory() { return open_file(::memfd_create("test", MFD_CLOEXEC)); }
open_file again(const open_file& file) {
    return open_file(::open(("/proc/self/fd/" + std::to_string(file.number())).c_str(), O_RDWR | O_CLOEXEC));
}

}  // namespace

TEST_CASE("process_segment: its size follows the formula, and any two ranks have a ring of their own") {
    for (const rank_t p : {1, 2, 5}) {
        const open_file file = memory();
        process_segment segment;
        REQUIRE(!segment.map(file, p, 1024));
        struct stat found{};
        REQUIRE(::fstat(file.number(), &found) == 0);
        CHECK(found.st_size == 128 + p * (128 + 128) + p * (p - 1) * (128 + 1024));
        for (rank_t from = 0; from < p; ++from)
            for (rank_t to = 0; to < p; ++to) {
                if (from == to) continue;
                CHECK(reinterpret_cast<std::uintptr_t>(segment.memory(from, to).control) % alignof(ring_control) == 0);
                ring_writer writer(segment.memory(from, to));
                REQUIRE(writer.reserve({200, 1, static_cast<std::uint64_t>(from * 10 + to), 0}) != nullptr);
                writer.commit();
            }
        process_segment other;
        REQUIRE(!other.map(file, p, 1024));
        for (rank_t from = 0; from < p; ++from)
            for (rank_t to = 0; to < p; ++to) {
                if (from == to) continue;
                ring_reader reader(other.memory(from, to));
                REQUIRE(reader.front() != nullptr);
                CHECK(reader.front()->id == static_cast<std::uint64_t>(from * 10 + to));
            }
    }
}

TEST_CASE("process_segment: map fails for a segment with other ranks or ring_bytes") {
    const open_file file = memory();
    process_segment segment, other;
    REQUIRE(!segment.map(file, 3, 1024));
    CHECK(other.map(file, 2, 1024).number == EPROTO);
    CHECK(other.map(file, 3, 2048).number == EPROTO);
    CHECK(!other.map(file, 3, 1024));
}

TEST_CASE("open_file: a byte is locked until its holder unlocks it or ends") {
    const open_file mine = memory();
    const open_file other = again(mine);
    CHECK(mine.lock(3) == 0);
    CHECK(mine.lock(3) == 0);
    CHECK(other.lock(3) == EAGAIN);
    CHECK(other.lock(2) == 0);
    CHECK(other.is_locked(3));
    CHECK(!mine.is_locked(3));
    CHECK(other.is_locked(3, 0));
    CHECK(!other.is_locked(4, 0));
    CHECK(mine.unlock(3) == 0);
    CHECK(!other.is_locked(3));
    // One that ends as a zombie has ended.
    const auto lock_and_end = [&](rank_t) -> std::string { return again(mine).lock(7) == 0 ? "" : "not locked"; };
    CHECK(support::run_processes_of(1, lock_and_end) == "");
    CHECK(!mine.is_locked(7));
}

TEST_CASE("futex_wait: another process wakes the thread that sleeps") {
    const open_file file = memory();
    process_segment segment;
    REQUIRE(!segment.map(file, 1, 1024));
    std::atomic<std::uint32_t>& word = segment.joined_count();
    futex_wait::wait(word, 1, std::chrono::hours(1));  // it is 0
    const auto start = std::chrono::steady_clock::now();
    futex_wait::wait(word, 0, std::chrono::milliseconds(20));
    CHECK(std::chrono::steady_clock::now() - start > std::chrono::milliseconds(15));
    support::rank_processes waker(1, [&](rank_t) -> std::string {
        word.store(1);
        futex_wait::wake(word);
        return "";
    });
    while (word.load() == 0) futex_wait::wait(word, 0, std::chrono::seconds(50));
    CHECK(waker.faults()[0] == "");
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(40));
}

TEST_CASE("process_segment: positions of rings do not depend on the contents of the segment") {
    const open_file file = memory();
    process_segment segment;
    REQUIRE(!segment.map(file, 3, 1024));
    const auto* const before = &segment.member(0);
    std::byte* const head = reinterpret_cast<std::byte*>(&segment.member(0)) - 128;
    std::memset(head, 0x7f, 24);  // layout, ranks and ring_bytes
    CHECK(&segment.member(0) == before);
    process_segment moved = std::move(segment);
    for (rank_t from = 0; from < 3; ++from)
        for (rank_t to = 0; to < 3; ++to) {
            if (from == to) continue;
            ring_writer writer(moved.memory(from, to));
            ring_reader reader(moved.memory(from, to));
            const std::byte* const at = writer.reserve({8, 1, 1, 0});
            REQUIRE((at >= head && at + 8 <= head + process_segment::bytes(3, 1024)));
            writer.commit();
            CHECK((reader.front() != nullptr && reader.front()->body == at));
        }
}

TEST_CASE("process_segment: map rejects files of wrong size, and seals files against truncation") {
    const bytes_t wanted = process_segment::bytes(2, 1024);
    for (const bytes_t size : {bytes_t{1}, wanted - 1, wanted + 1}) {
        const open_file file = memory();
        REQUIRE(::ftruncate(file.number(), size) == 0);
        process_segment segment;
        CHECK(segment.map(file, 2, 1024).number == EPROTO);
    }
    const open_file empty_head = memory();  // of the right size, and not made by a rank
    REQUIRE(::ftruncate(empty_head.number(), wanted) == 0);
    process_segment segment;
    CHECK(segment.map(empty_head, 2, 1024).number == EPROTO);
    const open_file sealed(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    REQUIRE(!segment.map(sealed, 2, 1024));
    CHECK(::ftruncate(sealed.number(), 0) != 0);
    CHECK(::ftruncate(sealed.number(), wanted + 1) != 0);
}
