#include "collsched/execute/shared_memory/detail/early_messages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

/// A rank's end of a ring of its own.
struct one_link {
    one_link() : data(1024), link({&control, data.data(), 1024, 1}, 24, 32) {}
    ring_control control{};
    std::vector<std::byte> data;
    inbox_link link;
};

sent_message of(std::int64_t sequence, const std::byte* bytes, bytes_t size) {
    return {static_cast<std::uint64_t>(sequence) + 1, {3, 5, sequence, 77, size, {}}, bytes, false};
}

}  // namespace

TEST_CASE("early_messages: they are kept with their bytes until they are dropped, so many of each rank") {
    one_link zero, two;
    early_messages early(3);
    std::vector<std::byte> bytes(24, std::byte{9});
    CHECK(early.put(zero.link, 0, of(0, bytes.data(), 24)));
    CHECK(!early.put(zero.link, 0, of(1, bytes.data(), 25)));  // longer than any small message
    CHECK(early.put(zero.link, 0, of(1, nullptr, 5000)));
    CHECK(early.put(two.link, 2, of(0, bytes.data(), 1)));
    CHECK(early.put(zero.link, 0, of(2, bytes.data(), 3)));
    CHECK(!early.put(zero.link, 0, of(3, bytes.data(), 3)));
    CHECK((zero.link.early == 3 && two.link.early == 1));
    bytes.assign(24, std::byte{});
    early_messages::entry* const first = early.find({0, 3, 5, 0});
    REQUIRE(first != nullptr);
    CHECK((first->message.bytes[23] == std::byte{9} && first->message.envelope.size == 24));
    early.drop(zero.link, *first);
    CHECK((early.find({0, 3, 5, 0}) == nullptr && early.find({2, 3, 5, 0}) != nullptr));
    early.drop_if(zero.link, 0, [](const sent_message& sent) { return sent.bytes == nullptr; });
    CHECK((early.find({0, 3, 5, 1}) == nullptr && early.find({0, 3, 5, 2}) != nullptr));
    CHECK((zero.link.early == 1 && two.link.early == 1));
}

TEST_CASE("early_messages: small messages of cancelled starts make room when the places fill up") {
    one_link one;
    early_messages all(1000);
    const std::byte byte{};
    const auto put = [&](std::uint64_t id, std::uint64_t channel, std::uint64_t epoch, bool awaited) {
        REQUIRE(all.put(one.link, 2, {id, {channel, epoch, static_cast<std::int64_t>(id), 0, 1, {}}, &byte, awaited}));
    };
    std::vector<std::uint64_t> dropped;
    const auto make_room = [&] { all.make_room(one.link, 2, [&](std::uint64_t id) { dropped.push_back(id); }); };
    for (std::uint64_t id = 1; id <= 15; ++id) put(id, id % 2, 7, id == 15);
    all.note_cancelled(1, 7);
    make_room();
    CHECK(dropped.empty());
    put(16, 1, 8, false);
    make_room();
    std::sort(dropped.begin(), dropped.end());
    CHECK(dropped == std::vector<std::uint64_t>{1, 3, 5, 7, 9, 11, 13});  // 15 is awaited, 16 of another epoch
    CHECK(one.link.early == 9);
    CHECK((all.find({2, 0, 7, 2}) != nullptr && all.find({2, 1, 7, 15}) != nullptr &&
           all.find({2, 1, 8, 16}) != nullptr));
}
