#include "collsched/execute/shared_memory/detail/message_shelf.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

using namespace collsched;

TEST_CASE("message_shelf: it keeps 32 messages of each rank, up to the longest, until they are cleared") {
    detail::message_shelf shelf(3, 24);
    std::array<std::byte, 25> message{};
    const auto put = [&](rank_t from, int number, bytes_t size) {
        message.fill(static_cast<std::byte>(number));
        return shelf.put(from, message.data(), size);
    };
    CHECK(put(0, 1, 25) == nullptr);
    struct kept {
        rank_t from;
        const std::byte* at;
        int number;
    };
    std::vector<kept> all;
    for (int number = 1; number <= 96; ++number) {
        all.push_back({number % 3, put(number % 3, number, number % 25), number});
        REQUIRE(all.back().at != nullptr);
    }
    for (rank_t from = 0; from < 3; ++from) CHECK(put(from, 200, 1) == nullptr);
    for (const kept& one : all)
        for (int i = 0; i < one.number % 25; ++i) CHECK(one.at[i] == static_cast<std::byte>(one.number));
    shelf.clear(1, all[51].at);  // of rank 1
    CHECK(put(1, 201, 24) == all[51].at);
    CHECK(put(1, 202, 0) == nullptr);
    CHECK(put(2, 202, 0) == nullptr);
    CHECK(all[51].at[23] == static_cast<std::byte>(201));
}
