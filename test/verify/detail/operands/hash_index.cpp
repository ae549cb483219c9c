#include "collsched/verify/detail/operands.hpp"

#include <doctest/doctest.h>

#include <map>

#include "support/layouts.hpp"

using collsched::detail::hash_index;

namespace {

constexpr bool finds_what_was_added() {
    hash_index index;
    for (std::int64_t n = 0; n < 40; ++n) index.add(static_cast<std::uint64_t>(n % 7), n);
    for (std::int64_t n = 0; n < 40; ++n)
        if (index.find(static_cast<std::uint64_t>(n % 7), [&](std::int64_t found) { return found == n; }) != n)
            return false;
    return index.find(3, [](std::int64_t found) { return found == 4; }) == -1;
}
static_assert(finds_what_was_added());

}  // namespace

TEST_CASE("hash_index: numbers are found by their hashes, also if many share one") {
    CHECK(hash_index().find(0, [](std::int64_t) { return true; }) == -1);
    support::random_source random(5);
    hash_index index;
    std::multimap<std::uint64_t, std::int64_t> all;
    for (std::int64_t n = 0; n < 3000; ++n) {
        const auto hash = static_cast<std::uint64_t>(random.below(700)) << (n % 40);
        index.add(hash, n);
        all.emplace(hash, n);
    }
    for (const auto& [hash, number] : all)
        REQUIRE(index.find(hash, [wanted = number](std::int64_t n) { return n == wanted; }) == number);
    for (std::uint64_t hash = 0; hash < 700; ++hash) {
        std::size_t asked = 0;
        REQUIRE(index.find(hash, [&](std::int64_t n) {
            REQUIRE(all.find(hash) != all.end());
            ++asked;
            return n < 0;
        }) == -1);
        REQUIRE(asked == all.count(hash));
    }
}
