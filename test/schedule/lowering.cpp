#include "collsched/schedule/lowering.hpp"

#include <doctest/doctest.h>

#include <string>

#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "support/archetypes.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"

using namespace collsched;

TEST_CASE("lowering: a schedule is its own lowering") {
    const support::flat_broadcast s{.ranks = 3, .bytes = 1};
    CHECK(&lower(s) == &s);
}

TEST_CASE("lowering: one rank has one step with the local copy, none without bytes, and no scratch") {
    for (const algorithm_entry& entry : compiled::registry()) {
        INFO(std::string(name_of(entry.info.collective)), "/", std::string(entry.info.name));
        const neighborhood alone(std::vector<rank_t>{1}, std::vector<rank_t>{0});
        const stored_schedule one = materialize(entry.make({.ranks = 1, .block = 5, .bytes = 5, .neighbors = alone}));
        CHECK(one.scratch(0) == 0);
        // Rank 0 of an exscan has no result, and a barrier no bytes.
        if (entry.info.collective == collective::exscan || entry.info.collective == collective::barrier) {
            CHECK(one.edges().empty());
            continue;
        }
        CHECK(one.steps() == 1);
        REQUIRE(one.edges().size() == 1);
        CHECK(one.edges()[0] == edge{.size = 5});
        const stored_schedule none = materialize(entry.make({.ranks = 1, .block = 0}));
        CHECK(none.edges().empty());
    }
}

TEST_CASE("lowering: every rank copies its own block in step 0, and sends a whole block from input then") {
    for (rank_t p = 2; p <= 9; ++p)
        for (const algorithm_entry& entry : support::registered_at(p)) {
            const std::string name = entry.info.name;
            if (entry.info.collective != collective::allgather || name == "hierarchical" || name == "circulant-blocks")
                continue;
            const stored_schedule s = materialize(entry.make({.ranks = p, .block = 4}));
            for (const edge& e : s.edges()) {
                CHECK((e.from == buffer::input) == (e.step == 0));
                if (e.is_local() && e.step == 0) CHECK(e.from_offset == 0);
            }
        }
}

TEST_CASE("lowering: empty blocks make no edges at either end") {
    for (const auto& [name, sample] : support::samples(8)) {
        const stored_schedule s = materialize(sample);
        for (const edge& e : s.edges())
            CHECK((e.size > 0 || (e.is_signal() && s.contract().collective == collective::barrier)));
    }
}

TEST_CASE("lowering: next() leaves out no step in which a rank has an edge, and reports none beyond the end") {
    for (rank_t p = 1; p <= 20; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            for (rank_t r = 0; r < p; ++r)
                for (step_t k = 0; k < s.steps(); ++k) {
                    int here = 0;
                    s.sends(r, k, [&](const edge&) { ++here; });
                    s.receives(r, k, [&](const edge&) { ++here; });
                    CHECK(s.next(r, k) >= k);
                    CHECK(s.next(r, k) <= s.steps());
                    if (here > 0) CHECK(s.next(r, k) == k);
                }
        }
}

TEST_CASE("lowering: parameters are checked before any other call") {
    CHECK(check(allgather::ring{.ranks = 0}).value == 0);
    CHECK(check(allgather::ring{.ranks = -7}).value == -7);
    CHECK(check(allgather::bruck{.ranks = 3, .block = std::int64_t{1} << 62}).value == std::int64_t{1} << 62);
    CHECK(!check(allgather::bruck{.ranks = 3, .block = std::int64_t{1} << 60}));
}
