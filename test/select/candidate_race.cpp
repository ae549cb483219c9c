#include "collsched/select/candidate_race.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;

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
