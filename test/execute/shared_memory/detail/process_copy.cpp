#include "collsched/execute/shared_memory/detail/process_copy.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <limits>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "support/processes.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// Bytes cut at random into parts, some of them empty, which are apart and in another order in memory.
template <class Part>
struct cut_bytes {
    cut_bytes(bytes_t size, bytes_t longest, std::uint64_t seed) : memory(static_cast<std::size_t>(2 * size + 1)) {
        detail::splitmix64 random(seed);
        for (bytes_t left = size, at = 2 * size; left > 0;) {
            const bytes_t n = random.between(0, left < longest ? left : longest);
            at -= n + (n > 0 && random.between(0, 1) == 1 && at > 2 * left ? 1 : 0);
            parts.push_back({memory.data() + at, n});
            left -= n;
        }
    }
    std::vector<std::byte> memory;
    std::vector<Part> parts;
};

std::byte nth(bytes_t i) { return static_cast<std::byte>((i * 7 + i / 256) & 0xff); }

void fill(const cut_bytes<message::receive_part>& cut) {
    bytes_t i = 0;
    for (const message::receive_part& one : cut.parts)
        for (bytes_t j = 0; j < one.size; ++j) one.data[j] = nth(i++);
}
bytes_t wrong_bytes(const cut_bytes<message::receive_part>& cut) {
    bytes_t i = 0, wrong = 0;
    for (const message::receive_part& one : cut.parts)
        for (bytes_t j = 0; j < one.size; ++j) wrong += one.data[j] != nth(i++) ? 1 : 0;
    return wrong;
}
std::vector<message::send_part> read_only(const std::vector<message::receive_part>& parts) {
    std::vector<message::send_part> all;
    for (const message::receive_part& one : parts) all.push_back({one.data, one.size});
    return all;
}
std::uint64_t at(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

}  // namespace

TEST_CASE("process_memory: a message arrives for any division into parts at both ends") {
    for (const bytes_t size : {bytes_t{1}, bytes_t{5000}, bytes_t{80'000}})
        for (const bytes_t longest : {bytes_t{3}, bytes_t{700}, bytes_t{1} << 40}) {
            cut_bytes<message::receive_part> from(size, longest, 3), into(size, longest == 3 ? 700 : 40, 4);
            fill(from);
            const std::vector<message::send_part> parts = read_only(from.parts);
            const std::uint64_t guard = 5;
            const pid_t parent = ::getpid();
            const auto copy = [&](rank_t) -> std::string {
                for (std::byte& b : from.memory) b = {};  // the child's own, which is not the one to be read
                if (!process_memory{parent, {at(parts.data()), parts.size(), at(&guard), 5}}.copy(size, into.parts))
                    return "not copied";
                return wrong_bytes(into) == 0 ? "" : "wrong bytes";
            };
            CHECK(support::run_processes_of(1, copy) == "");
        }
}

TEST_CASE("process_memory: a message of one part whose bytes are named has the size that its receive expects") {
    const std::vector<std::byte> from(500, std::byte{7});
    const std::uint64_t guard = 5;
    remote_message message{0, 1, at(&guard), 5};
    message.name_bytes(from.data());
    const process_memory memory{::getpid(), message};
    std::vector<std::byte> into(500);
    const message::receive_part parts[2] = {{into.data(), 1}, {into.data() + 1, 499}};
    CHECK(memory.copy(500, parts));
    CHECK(into == from);
    message::send_part part;
    CHECK((memory.read_only_part(500, part) && part.data == from.data() && part.size == 500));
    message.id = 6;
    CHECK(!process_memory{::getpid(), message}.copy(500, parts));  // taken back
}

TEST_CASE("process_memory: a withdrawn or unreadable message is not copied") {
    const std::vector<std::byte> bytes(100);
    std::vector<std::byte> target(100);
    const message::send_part from{bytes.data(), 100};
    const message::receive_part into{target.data(), 100};
    const std::uint64_t guard = 5;
    const auto copies = [&](remote_message what) {
        return process_memory{::getpid(), what}.copy(into.size, {&into, 1});
    };
    CHECK(copies({at(&from), 1, at(&guard), 5}));
    CHECK(!copies({at(&from), 1, at(&guard), 6}));
    CHECK(!copies({at(&from), 1, 8, 5}));
    CHECK(!copies({8, 1, at(&guard), 5}));
    const message::send_part nowhere{reinterpret_cast<const std::byte*>(std::uintptr_t{16}), 100};
    CHECK(!copies({at(&nowhere), 1, at(&guard), 5}));
}

TEST_CASE("process_memory: a message with another size or too many parts is not copied") {
    const std::vector<std::byte> bytes(300, std::byte{1});
    std::vector<std::byte> target(300);  // the receive is the middle third
    const message::receive_part into{target.data() + 100, 100};
    const std::uint64_t guard = 5;
    const auto copies = [&](const std::vector<message::send_part>& parts, std::uint64_t count) {
        return process_memory{::getpid(), {at(parts.data()), count, at(&guard), 5}}.copy(into.size, {&into, 1});
    };
    const std::byte* const p = bytes.data();
    constexpr bytes_t most = std::numeric_limits<bytes_t>::max(), least = std::numeric_limits<bytes_t>::min();
    CHECK(copies({{p, 0}, {p, 60}, {p, 40}, {p, 0}}, 4));
    for (const bytes_t size : {least, bytes_t{-1}, bytes_t{0}, bytes_t{99}, bytes_t{101}, bytes_t{1} << 32, most})
        CHECK(!copies({{p, size}}, 1));
    CHECK(!copies({{p, 200}, {p, -100}}, 2));
    CHECK(!copies({{p, -100}, {p, 200}}, 2));
    CHECK(!copies({{p, 100}, {p, 1}}, 2));
    CHECK(!copies({{p, most}, {p, most}, {p, 102}}, 3));  // 100 modulo 2^64
    CHECK(!copies({{p, 100}}, ~std::uint64_t{0}));
    std::vector<message::send_part> many(1 << 16, {p, 0});
    many.back() = {p, 100};
    CHECK(copies(many, many.size()));
    many.insert(many.begin(), {p, 0});
    CHECK(!copies(many, many.size()));
    for (std::size_t i = 0; i < 300; ++i)
        if (i < 100 || i >= 200) CHECK(target[i] == std::byte{});
}

TEST_CASE("is_own_process: true only for processes of this user") {
    CHECK(is_own_process(::getpid()));
    for (const pid_t who : {0, -1, std::numeric_limits<pid_t>::min(), std::numeric_limits<pid_t>::max()})
        CHECK(!is_own_process(who));
    if (!support::may_act_as_others()) {
        MESSAGE("skipped in part: this process may not act as another user");
        return;
    }
    CHECK(support::run_processes_of(1, [](rank_t) -> std::string {
              if (!support::become(support::some_user)) return "setresuid";
              return is_own_process(1) ? "the process of another user is taken for an own one" : "";
          }) == "");
}
