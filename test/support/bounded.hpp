#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "collsched/schedule/stored_schedule.hpp"
#include "support/busy_steps.hpp"

namespace support {

using namespace collsched;

/// A stored schedule with exact busy steps. A call for a rank or a step that it does not have fails the test.
struct bounded {
    rank_t ranks;
    stored_schedule stored;

    explicit bounded(stored_schedule s) : ranks(s.ranks), stored(std::move(s)) {}

    step_t steps() const { return stored.steps(); }
    step_t next(rank_t r, step_t k) const {
        check_place(r, k, steps() + 1);
        return stored.next(r, k);
    }
    detail::step_ranges busy(rank_t r) const {
        check_place(r, 0, 1);
        return {used_steps(stored, r)};
    }
    void sends(rank_t r, step_t k, auto f) const {
        check_place(r, k, steps());
        stored.sends(r, k, f);
    }
    void receives(rank_t r, step_t k, auto f) const {
        check_place(r, k, steps());
        stored.receives(r, k, f);
    }
    bytes_t scratch(rank_t r) const { return stored.scratch(r); }
    bytes_t staging(rank_t r) const { return stored.staging(r); }
    collsched::pacing pacing() const { return stored.pacing(); }
    collsched::contract contract() const { return stored.contract(); }
    argument_error check() const { return stored.check(); }
    std::uint64_t fingerprint() const { return stored.fingerprint(); }

  private:
    void check_place(rank_t r, step_t k, step_t end) const {
        CHECK(r >= 0);
        CHECK(r < ranks);
        CHECK(k >= 0);
        CHECK(k < end);
    }
};

/// Returns where next() is not the next step with an edge from or to the rank, or where the hull of busy() is not that of
/// the steps with an edge; or "".
template <schedule S>
std::string loose_answer(const S& s) {
    for (rank_t r = 0; r < s.ranks; ++r) {
        step_t expected = s.steps();
        for (step_t k = s.steps(); k >= 0; --k) {
            const auto see = [&](const edge&) { expected = k; };
            if (k < s.steps()) s.sends(r, k, see), s.receives(r, k, see);
            if (s.next(r, k) != expected) return "next in step " + std::to_string(k) + " of rank " + std::to_string(r);
        }
        if (!busy_in_used_steps(s, r)) return "busy of rank " + std::to_string(r);
    }
    return "";
}

}  // namespace support
