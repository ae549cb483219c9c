#include "collsched/execute/plan.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "support/oracle.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

TEST_CASE("both ends give a message the same number, and no two messages of a pair share one") {
    for (rank_t p = 2; p <= 9; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            std::map<std::pair<rank_t, rank_t>, std::map<std::int64_t, edge>> sent, received;
            for (rank_t r = 0; r < p; ++r) {
                const plan own(s, r);
                for (const plan::node& n : own.nodes()) {
                    if (n.kind != plan::kind::send && n.kind != plan::kind::receive) continue;
                    const edge& e = own.edge_of(n);
                    auto& side = n.kind == plan::kind::send ? sent : received;
                    CHECK(side[{e.src, e.dst}].emplace(n.sequence, e).second);
                }
            }
            CHECK(sent == received);
            for (const auto& [pair, messages] : sent)
                CHECK(messages.rbegin()->first == static_cast<std::int64_t>(messages.size()) - 1);
        }
}

TEST_CASE("a plan tells the memory it needs") {
    const std::vector<bytes_t> counts{2, 0, 5}, displs{0, 2, 10};
    const plan own(allgather::bruck{.ranks = 3, .block = block_layout(counts, displs)}, 2);
    CHECK(own.input_bytes() == 5);
    CHECK(own.output_bytes() == 15);
    CHECK(own.scratch_bytes() == 7);
    CHECK(own.staging_bytes() == 0);
    CHECK(own.rank() == 2);
    CHECK(!own.combines());
    CHECK(plan(support::linear_reduce(3, 4), 0).staging_bytes() == 4);
    CHECK(plan(support::linear_reduce(3, 4), 0).combines());
}

TEST_CASE("in place, the copy of the own block is no part of the plan") {
    const allgather::ring s{.ranks = 4, .block = 8};
    CHECK(plan(s, 1, binding::separate).edges().size() == plan(s, 1, binding::in_place).edges().size() + 1);
}

TEST_CASE("wrong parameters and ranks are refused") {
    CHECK_THROWS_WITH(plan(allgather::ring{.ranks = 3, .block = 1}, 3), "rank: got 3, expected 0 to ranks-1");
    CHECK_THROWS_WITH(plan(allgather::ring{.ranks = -3, .block = 1}, 0), "ranks: got -3, expected 1 or more");
}

TEST_CASE("a plan touches no byte outside the buffers, whatever the schedule says") {
    const stored_schedule good = materialize(allgather::ring{.ranks = 3, .block = 4});
    const auto spoilt = [&](auto change) {
        std::vector<edge> edges(good.edges().begin(), good.edges().end());
        change(edges[1]);
        return support::with_edges(good, edges);
    };
    CHECK_NOTHROW(plan(spoilt([](edge&) {}), 0));
    CHECK_THROWS(plan(spoilt([](edge& e) { e.from_offset = 1; }), 0));
    CHECK_THROWS(plan(spoilt([](edge& e) { e.into_offset = 9; }), 1));
    CHECK_THROWS(plan(spoilt([](edge& e) { e.into = buffer::input; }), 1));
    CHECK_THROWS(plan(spoilt([](edge& e) { e.into = buffer::scratch; }), 1));
    CHECK_THROWS(plan(spoilt([](edge& e) { e.action = action::combine_after; }), 1));
}

TEST_CASE("a plan moves no bytes onto themselves, whatever the schedule says") {
    const contract promise{.collective = collective::scan, .ranks = 1, .bytes = 8};
    const std::vector<bytes_t> room{8}, none{0};
    const auto with = [&](const edge& e, binding how) {
        return plan(stored_schedule(promise, 1, {}, owned_array<bytes_t>(room), owned_array<bytes_t>(none),
                                    owned_array<edge>(std::vector{e}), 1),
                    0, how);
    };
    const edge within{.into_offset = 3, .size = 4, .from = buffer::output};
    constexpr const char* told = "into_offset[0]: got 3, expected bytes that the edge does not read";
    CHECK_THROWS_WITH(with(within, binding::separate), told);
    CHECK_THROWS_WITH(
        with({.into_offset = 3, .size = 4, .from = buffer::output, .action = action::combine_after}, binding::separate),
        told);
    CHECK_NOTHROW(with({.into_offset = 4, .size = 4, .from = buffer::output}, binding::separate));
    CHECK_NOTHROW(with({.from_offset = 4, .size = 4, .from = buffer::output}, binding::separate));
    CHECK_NOTHROW(with({.into_offset = 3, .size = 4, .from = buffer::scratch}, binding::separate));
    // Input lies in output.
    CHECK_NOTHROW(with({.into_offset = 3, .size = 4}, binding::separate));
    CHECK_THROWS_WITH(with({.into_offset = 3, .size = 4}, binding::in_place), told);
    CHECK_NOTHROW(with({.size = 4}, binding::in_place));  // vanishes
}

TEST_CASE("an incoming combine is a receive into staging, then the combination") {
    const plan root(support::linear_reduce(3, 4), 0);
    int receives = 0, applied = 0;
    for (const plan::node& n : root.nodes()) {
        receives += n.kind == plan::kind::receive ? 1 : 0;
        applied += n.kind == plan::kind::apply ? 1 : 0;
        CHECK(n.staged == 0);  // one a step, so each may use the same room
    }
    CHECK(receives == 2);
    CHECK(applied == 2);
}
