#include "collsched/select/decision_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;

namespace {

decision row(const char* algorithm, bytes_t bytes, picoseconds time, bool commutative = false, rank_t ranks = 4) {
    return {.collective = collective::allreduce,
            .ranks = ranks,
            .bytes = bytes,
            .commutative = commutative,
            .algorithm = algorithm,
            .origin = decision::source::measured,
            .time = time};
}

}  // namespace

TEST_CASE("fastest_decisions: the fastest row of each size, and the first from 0 bytes on") {
    const std::vector<decision> table = fastest_decisions(std::vector{
        row("b", 64, 7), row("a", 8, 5), row("b", 8, 6), row("a", 64, 8), row("b", 512, 9), row("c", 8, 1, false, 9)});
    CHECK(table == std::vector{row("a", 0, 5), row("b", 64, 7), row("c", 0, 1, false, 9)});
    CHECK(fastest_decisions({}).empty());
}

TEST_CASE("fastest_decisions: each call gets the fastest algorithm that serves it") {
    const char* const names[] = {"a", "b", "c", "d"};
    detail::splitmix64 bits(3);
    for (int trial = 0; trial < 500; ++trial) {
        std::vector<decision> measured;
        for (const bytes_t bytes : {8, 64, 512, 4096, 32'768})
            for (int i = 0; i < 4; ++i)
                measured.push_back(row(names[i], bytes, static_cast<picoseconds>(1 + bits() % 50), i < 2));
        const std::vector<decision> table = fastest_decisions(measured);
        for (const decision& one : measured)
            for (const bool commutative : {false, true}) {
                picoseconds least = INT64_MAX, chosen = INT64_MAX;
                const decision* const found = find_decision(
                    table, {.collective = one.collective, .ranks = 4, .bytes = one.bytes, .commutative = commutative});
                REQUIRE(found != nullptr);
                for (const decision& other : measured) {
                    if (other.bytes != one.bytes || (other.commutative && !commutative)) continue;
                    least = std::min(least, other.time);
                    if (std::string_view(other.algorithm) == found->algorithm) chosen = other.time;
                }
                CHECK(chosen == least);
            }
    }
}

TEST_CASE("fastest_decisions: without a row that keeps the order there is none for other operations") {
    const std::vector<decision> table = fastest_decisions(std::vector{row("a", 8, 5, true), row("b", 8, 6, true)});
    CHECK(table == std::vector{row("a", 0, 5, true)});
}
