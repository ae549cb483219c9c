#include "collsched/verify/detail/step_conflicts.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/layouts.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

struct use {
    byte_use access;
    bytes_t begin, end;
};

/// Compares all pairs by the rules of a step.
bool meet(const std::vector<use>& uses) {
    for (std::size_t i = 0; i < uses.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const use &a = uses[i], &b = uses[j];
            if (a.begin >= b.end || b.begin >= a.end) continue;
            if (a.access == byte_use::copied || b.access == byte_use::copied) return true;
            if (a.access == byte_use::combined && b.access == byte_use::read_by_combine) return true;
            if (b.access == byte_use::combined && a.access == byte_use::read_by_combine) return true;
        }
    return false;
}

/// Whether many overlapping uses of one kind conflict with a use of another kind, which begins with them or behind them.
constexpr bool many_meet(byte_use kind, byte_use other, bytes_t begin) {
    step_conflicts conflicts(1);
    conflicts.clear();
    for (bytes_t i = 0; i < 8; ++i) conflicts.add(0, kind, i % 2, 20);
    conflicts.add(0, other, begin, begin + 1);
    return conflicts.any();
}
constexpr bool combines_and_reads_by_combine_conflict() {
    for (const bytes_t begin : {0, 19, 20}) {
        const bool together = begin < 20;
        if (many_meet(byte_use::combined, byte_use::combined, begin) ||
            many_meet(byte_use::read, byte_use::combined, begin) ||
            many_meet(byte_use::combined, byte_use::read, begin) ||
            many_meet(byte_use::read_by_combine, byte_use::read, begin) ||
            many_meet(byte_use::combined, byte_use::read_by_combine, begin) != together ||
            many_meet(byte_use::read_by_combine, byte_use::combined, begin) != together ||
            many_meet(byte_use::read, byte_use::copied, begin) != together)
            return false;
    }
    return many_meet(byte_use::copied, byte_use::read, 20);
}
static_assert(combines_and_reads_by_combine_conflict());

}  // namespace

TEST_CASE("step_conflicts: conflicts equal those of a comparison of all pairs, for few uses or many") {
    support::random_source random(17);
    step_conflicts conflicts(2);
    constexpr byte_use all[] = {byte_use::read, byte_use::read_by_combine, byte_use::copied, byte_use::combined};
    int met = 0, apart = 0;
    for (int round = 0; round < 6000; ++round) {
        conflicts.clear();
        CHECK(!conflicts.any());
        std::vector<use> here[2];
        const std::int64_t most = round % 3 == 0 ? 12 : 4, room = 6 * most;
        for (std::int64_t n = 2 + random.below(2 * most); n > 0; --n) {
            const std::int64_t place = random.below(2);
            const bytes_t begin =
                here[place].empty() || random.below(2) == 0 ? random.below(room) : here[place].back().end;
            const use fresh{all[random.below(4)], begin, begin + 1 + random.below(3)};
            here[place].push_back(fresh);
            conflicts.add(place, fresh.access, fresh.begin, fresh.end);
        }
        const bool expected = meet(here[0]) || meet(here[1]);
        REQUIRE(conflicts.any() == expected);
        ++(expected ? met : apart);
    }
    CHECK(met > 100);
    CHECK(apart > 100);
}
