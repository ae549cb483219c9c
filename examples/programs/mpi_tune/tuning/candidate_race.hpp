#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "examples/programs/mpi_tune/tuning/median_interval.hpp"

namespace collsched::tuning {

/// Samples of candidates that are measured in turns, round by round, until the fastest is known. A candidate leaves the
/// race when its interval is above that of the best one, and when it is excluded. Deterministic for given samples.
class candidate_race {
  public:
    static constexpr std::int64_t least_samples = 10;  ///< before it, no candidate leaves and no race is decided
    static constexpr std::int64_t most_samples = 300;  ///< of a candidate; the race is decided then
    /// The race is decided when the intervals of all racing candidates are within this part of the best median.
    static constexpr double precision = 0.01;

    /// Race of candidates 0 .. count-1 without samples.
    /// @param count  number of candidates
    explicit candidate_race(std::size_t count) : all_(count) {}

    /// Removes a candidate and its samples, which then is not the best one.
    /// @param i  candidate, 0 .. count-1
    void exclude(std::size_t i) { all_[i] = {.races = false, .samples = {}, .interval = {}}; }
    /// Adds a sample. end_round() evaluates it.
    /// @param i     candidate that races
    /// @param time  its time
    void add(std::size_t i, picoseconds time) { all_[i].samples.push_back(time); }
    /// Computes the intervals, and ends the race of candidates that are slower than the best. O(samples log samples).
    void end_round() {
        for (racer& one : all_)
            if (one.races) one.interval = median_interval::of(one.samples);
        const std::size_t first = best();
        if (first == all_.size() || all_[first].interval.samples < least_samples) return;
        for (racer& one : all_)
            if (one.interval.samples >= least_samples && one.interval.is_above(all_[first].interval)) one.races = false;
    }

    /// Returns whether the candidate is measured in the next round.
    /// @param i  candidate, 0 .. count-1
    bool races(std::size_t i) const { return all_[i].races; }
    /// Returns whether no further round is needed: one candidate races, all are close, or there are enough samples.
    bool decided() const {
        const std::size_t first = best();
        const auto racing = std::ranges::count_if(all_, [](const racer& one) { return one.races; });
        if (racing == 0) return true;
        if (first == all_.size() || all_[first].interval.samples < least_samples) return false;
        const auto close = [&](const racer& one) { return !one.races || is_close(one, all_[first]); };
        return racing == 1 || all_[first].interval.samples >= most_samples || std::ranges::all_of(all_, close);
    }
    /// Returns the candidate with the lowest median, the first of equal ones; the number of candidates if none has a
    /// sample that end_round() has evaluated.
    std::size_t best() const {
        std::size_t found = all_.size();
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (all_[i].interval.samples > 0 &&
                (found == all_.size() || all_[i].interval.median < all_[found].interval.median))
                found = i;
        return found;
    }
    /// Returns the interval of a candidate at the end of the last round that it took part in.
    /// @param i  candidate, 0 .. count-1
    const median_interval& interval(std::size_t i) const { return all_[i].interval; }

  private:
    struct racer {
        bool races = true;
        std::vector<picoseconds> samples{};
        median_interval interval{};
    };
    static bool is_close(const racer& one, const racer& first) {
        const auto median = static_cast<double>(first.interval.median);
        return static_cast<double>(one.interval.high) <= median * (1 + precision) &&
               static_cast<double>(one.interval.low) >= median * (1 - precision);
    }

    std::vector<racer> all_;
};

}  // namespace collsched::tuning
