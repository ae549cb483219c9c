#include "examples/programs/mpi_tune/tuning/candidate_race.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using namespace collsched::tuning;

namespace {

/// Runs the race of candidates with these medians; each sample is up to `noise` below or above. Returns the rounds.
int run(candidate_race& race, const std::vector<picoseconds>& medians, std::int64_t noise, int most = 1000) {
    detail::splitmix64 bits(7);
    int rounds = 0;
    for (; rounds < most && !race.decided(); ++rounds) {
        for (std::size_t i = 0; i < medians.size(); ++i)
            if (race.races(i))
                race.add(i, medians[i] +
                                static_cast<std::int64_t>(bits() % (2 * static_cast<std::uint64_t>(noise) + 1)) -
                                noise);
        race.end_round();
    }
    return rounds;
}

}  // namespace

TEST_CASE("candidate_race: the fastest wins, and slower ones leave with the samples that they have") {
    candidate_race race(3);
    const int rounds = run(race, {2000, 1000, 1100}, 50);
    CHECK(race.best() == 1);
    CHECK_FALSE(race.races(0));
    CHECK_FALSE(race.races(2));
    CHECK(race.interval(0).samples == candidate_race::least_samples);
    CHECK(race.interval(1).samples == rounds);
    CHECK(rounds < candidate_race::most_samples);
    CHECK(race.interval(1).low <= 1000);
    CHECK(race.interval(1).high >= 1000);
}

TEST_CASE("candidate_race: equal candidates end by the precision, or by the number of samples") {
    candidate_race quiet(2), noisy(2);
    CHECK(run(quiet, {1000, 1000}, 2) == candidate_race::least_samples);
    CHECK(run(noisy, {1000, 1000}, 900) == candidate_race::most_samples);
    CHECK((noisy.races(0) && noisy.races(1)));
}

TEST_CASE("candidate_race: an excluded candidate never wins") {
    candidate_race race(2);
    race.add(0, 1);
    race.add(1, 5);
    race.end_round();
    CHECK(race.best() == 0);
    race.exclude(0);
    CHECK(race.best() == 1);
    CHECK(run(race, {1, 1000}, 10) == candidate_race::least_samples - 1);
    CHECK(race.best() == 1);
    race.exclude(1);
    CHECK(race.best() == 2);
    CHECK(race.decided());
}

TEST_CASE("candidate_race: no candidate leaves before the least number of samples") {
    candidate_race race(2);
    run(race, {1000, 100'000}, 10, static_cast<int>(candidate_race::least_samples) - 1);
    CHECK((race.races(0) && race.races(1) && !race.decided()));
    candidate_race none(0);
    CHECK(none.decided());
    CHECK(none.best() == 0);
}

TEST_CASE("candidate_race: limits of the number of samples") {
    static_assert(candidate_race::least_samples == 10 && candidate_race::most_samples == 300);
    candidate_race race(2);
    CHECK(race.best() == 2);
    CHECK_FALSE(race.decided());
    race.end_round();
    CHECK((race.races(0) && race.races(1) && !race.decided()));
    CHECK(race.interval(0) == median_interval{});
}

TEST_CASE("candidate_race: decided once both ends of all intervals are within 1 percent of the best median") {
    // The interval of 10 samples is from the second to the ninth.
    const auto decided = [](picoseconds low, picoseconds high) {
        candidate_race race(3);
        for (std::size_t i = 0; i < 3; ++i)
            for (int k = 0; k < 10; ++k) {
                const picoseconds outer = k < 2 ? (i == 1 ? low : 990) : (i == 1 ? high : 1010);
                race.add(i, k < 2 || k > 7 ? outer : 1000);
            }
        race.end_round();
        CHECK((race.best() == 0 && race.races(0) && race.races(1) && race.races(2)));
        return race.decided();
    };
    CHECK(decided(990, 1010));
    CHECK_FALSE(decided(989, 1010));
    CHECK_FALSE(decided(990, 1011));
}

TEST_CASE(
    "candidate_race: a candidate with fewer samples than are needed stays, and one that left is no reason to go on") {
    candidate_race race(2);
    for (int k = 0; k < 10; ++k) race.add(0, 1000);
    for (int k = 0; k < 9; ++k) race.add(1, 5000);
    race.end_round();
    CHECK((race.races(1) && !race.decided()));
    race.add(1, 5000);
    race.end_round();
    CHECK((!race.races(1) && race.decided()));
    CHECK(race.interval(1) == median_interval{5000, 5000, 5000, 10});
    candidate_race three(3);
    for (int k = 0; k < 10; ++k) three.add(0, 1000), three.add(1, 1000), three.add(2, 5000);
    three.end_round();
    CHECK((three.races(0) && three.races(1) && !three.races(2)));
    CHECK(three.decided());
}

TEST_CASE("candidate_race: the samples of an excluded candidate are gone") {
    candidate_race race(2);
    for (int k = 0; k < 10; ++k) race.add(0, 7), race.add(1, 9);
    race.exclude(0);
    race.end_round();
    CHECK(race.interval(0) == median_interval{});
    CHECK((!race.races(0) && race.races(1) && race.best() == 1));
}
