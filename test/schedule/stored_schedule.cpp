#include "collsched/schedule/stored_schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "support/oracle.hpp"
#include "support/samples.hpp"

using namespace collsched;

TEST_CASE("stored_schedule: a stored schedule equals the schedule it was made from, for any order of its edges") {
    for (rank_t p = 1; p <= 10; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            const stored_schedule stored = materialize(s);
            std::vector<edge> reversed(stored.edges().begin(), stored.edges().end());
            std::reverse(reversed.begin(), reversed.end());
            const stored_schedule again = support::with_edges(stored, reversed);
            CHECK(std::equal(again.edges().begin(), again.edges().end(), stored.edges().begin(), stored.edges().end()));
            for (rank_t r = 0; r < p; ++r)
                for (step_t k = 0; k < s.steps(); ++k) {
                    std::vector<edge> a, b;
                    s.sends(r, k, [&](const edge& e) { a.push_back(e); });
                    again.sends(r, k, [&](const edge& e) { b.push_back(e); });
                    std::sort(a.begin(), a.end(), precedes);
                    CHECK(a == b);
                    a.clear(), b.clear();
                    s.receives(r, k, [&](const edge& e) { a.push_back(e); });
                    again.receives(r, k, [&](const edge& e) { b.push_back(e); });
                    std::sort(a.begin(), a.end(), precedes);
                    CHECK(a == b);
                }
        }
}

TEST_CASE("edges_up_to: exceeds its limit by less than the edges of one step") {
    const auto ring = lower(allgather::ring{.ranks = 4, .block = 1});  // 4 copies and 12 messages
    for (const std::int64_t most : {16, 17, 1 << 30}) CHECK(edges_up_to(ring, most) == 16);
    for (std::int64_t most = 0; most < 16; ++most) {
        CHECK(edges_up_to(ring, most) > most);
        CHECK(edges_up_to(ring, most) <= most + 2);  // a copy and a message
    }
    CHECK(stored_schedule().ranks == 1);
}

TEST_CASE("stored_schedule: edges with an invalid rank or step are rejected") {
    const stored_schedule good = materialize(allgather::ring{.ranks = 3, .block = 1});
    const auto complaint = [&](auto change) {
        std::vector<edge> edges(good.edges().begin(), good.edges().end());
        change(edges[2]);
        return support::with_edges(good, edges).check();
    };
    CHECK(!complaint([](edge&) {}));
    CHECK(complaint([](edge& e) { e.dst = 3; }).value == 3);
    CHECK(complaint([](edge& e) { e.src = -1; }).value == -1);
    CHECK(complaint([](edge& e) { e.step = 2; }).value == 2);
    CHECK(complaint([](edge& e) { e.step = -1; }).index == 2);
}

TEST_CASE("stored_schedule: steps whose sum over two schedules exceeds 64 bits are rejected") {
    const std::vector<bytes_t> none{0};
    const auto of_steps = [&](step_t steps) {
        return stored_schedule({}, steps, {}, owned_array<bytes_t>(none), owned_array<bytes_t>(none), {}, 1);
    };
    CHECK(!of_steps((step_t{1} << 62) - 1).check());
    CHECK(std::string(of_steps(step_t{1} << 62).check().argument) == "steps");
    CHECK(of_steps(INT64_MAX).check());
    CHECK(of_steps(-1).check());
}
