#include "collsched/execute/shared_memory/detail/message_storage.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace collsched;

TEST_CASE("message_storage: it keeps a number of messages, up to the longest, until they are cleared") {
    constexpr int most = 256;
    detail::message_storage storage(24, most);
    std::array<std::byte, 25> message{};
    const auto put = [&](int number, bytes_t size) {
        message.fill(static_cast<std::byte>(number));
        return storage.put(message.data(), size);
    };
    CHECK(put(1, 25) == nullptr);
    std::vector<const std::byte*> all;
    for (int number = 0; number < most; ++number) {
        all.push_back(put(number, number % 25));
        REQUIRE(all.back() != nullptr);
    }
    CHECK(put(200, 1) == nullptr);
    for (int number = 0; number < most; ++number)
        for (int i = 0; i < number % 25; ++i)
            CHECK(all[static_cast<std::size_t>(number)][i] == static_cast<std::byte>(number));
    for (const std::size_t place : {17U, 255U, 32U, 63U, 0U}) {
        storage.clear(all[place]);
        CHECK(put(201, 24) == all[place]);
        CHECK(put(202, 0) == nullptr);
        CHECK(all[place][23] == static_cast<std::byte>(201));
    }
}
