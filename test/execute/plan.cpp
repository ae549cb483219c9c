#include "collsched/execute/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "support/followers.hpp"
#include "support/oracle.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

/// Checks that operands are within staging, that those of one step share no byte, and that an operand is received after
/// the combinations of earlier operands in the same bytes.
void check_staging(const plan& own) {
    struct operand {
        std::int64_t receive, apply;
        step_t step;
        byte_range place;
    };
    std::vector<operand> operands;
    const auto nodes = own.nodes();
    for (std::int64_t i = 0; i < std::ssize(nodes); ++i) {
        const plan::node& apply = nodes[static_cast<std::size_t>(i)];
        if (apply.kind != plan::kind::apply) continue;
        const edge& e = own.edge_of(apply);
        std::int64_t receive = -1;
        for (std::int64_t j = 0; j < i; ++j) {
            const plan::node& message = nodes[static_cast<std::size_t>(j)];
            if (message.kind != plan::kind::receive) continue;
            if (own.edge_of(message).step == e.step && own.peer_of(message) == e.src) receive = j;
        }
        REQUIRE(receive >= 0);
        if (apply.is_folded()) continue;
        CHECK(apply.operand.where == detail::memory_area::staging);
        CHECK(apply.operand.offset >= 0);
        CHECK(apply.operand.size == e.size);
        CHECK(apply.operand.offset + e.size <= own.staging_bytes());
        operands.push_back({receive, i, e.step, {apply.operand.offset, e.size}});
    }
    for (const operand& first : operands) {
        const std::set<std::int64_t> after = support::followers(own, first.apply);
        for (const operand& second : operands) {
            if (&first == &second || second.step < first.step || !overlap(first.place, second.place)) continue;
            CHECK(first.step != second.step);
            CHECK(after.contains(second.receive));
        }
    }
}

}  // namespace

TEST_CASE("plan: both ends assign a message the same number, unique within the pair of ranks") {
    for (rank_t p = 2; p <= 9; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            std::map<std::pair<rank_t, rank_t>, std::map<std::int64_t, edge>> sent, received;
            for (rank_t r = 0; r < p; ++r) {
                const plan own(s, r);
                for (const plan::node& n : own.nodes()) {
                    if (n.kind != plan::kind::send && n.kind != plan::kind::receive) continue;
                    edge e = own.edge_of(n);
                    e.from = {};  // a sender may read input in place of its copy
                    e.from_offset = 0;
                    auto& side = n.kind == plan::kind::send ? sent : received;
                    CHECK(side[{e.src, e.dst}].emplace(n.sequence, e).second);
                }
            }
            CHECK(sent == received);
            for (const auto& [pair, messages] : sent)
                CHECK(messages.rbegin()->first == static_cast<std::int64_t>(messages.size()) - 1);
        }
}

TEST_CASE("plan: its sizes are the memory that it needs") {
    const std::vector<bytes_t> counts{2, 0, 5}, displs{0, 2, 10};
    const plan own(allgather::bruck{.ranks = 3, .block = block_layout(counts, displs)}, 2);
    CHECK(own.input_bytes() == 5);
    CHECK(own.output_bytes() == 15);
    CHECK(own.scratch_bytes() == 7);
    CHECK(own.staging_bytes() == 0);
    CHECK(own.rank() == 2);
    CHECK(!own.combines());
    CHECK(plan(support::linear_reduce(3, 4), 0).staging_bytes() == 4);
    CHECK(plan(support::linear_reduce(3, 4), 0, binding::in_place).staging_bytes() == 8);
    CHECK(plan(support::linear_reduce(3, 4), 0).combines());
}

TEST_CASE("plan: an in-place plan omits the copy of the own block") {
    const allgather::ring s{.ranks = 4, .block = 8};
    CHECK(plan(s, 1, binding::separate).edges().size() == plan(s, 1, binding::in_place).edges().size() + 1);
}

TEST_CASE("plan: wrong parameters and ranks are rejected") {
    CHECK_THROWS_WITH(plan(allgather::ring{.ranks = 3, .block = 1}, 3), "rank: got 3, expected 0 to ranks-1");
    CHECK_THROWS_WITH(plan(allgather::ring{.ranks = -3, .block = 1}, 0), "ranks: got -3, expected 1 or more");
}

TEST_CASE("plan: no byte outside the buffers is accessed, for any schedule") {
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

TEST_CASE("plan: no bytes move onto themselves, for any schedule") {
    const contract contract{.collective = collective::scan, .ranks = 1, .bytes = 8};
    const std::vector<bytes_t> room{8}, none{0};
    const auto with = [&](const edge& e, binding how) {
        return plan(stored_schedule(contract, 1, {}, owned_array<bytes_t>(room), owned_array<bytes_t>(none),
                                    owned_array<edge>(std::vector{e}), 1),
                    0, how);
    };
    const edge within{.into_offset = 3, .size = 4, .from = buffer::output};
    constexpr const char* message = "into_offset[0]: got 3, expected bytes that the edge does not read";
    CHECK_THROWS_WITH(with(within, binding::separate), message);
    CHECK_THROWS_WITH(
        with({.into_offset = 3, .size = 4, .from = buffer::output, .action = action::combine_after}, binding::separate),
        message);
    CHECK_NOTHROW(with({.into_offset = 4, .size = 4, .from = buffer::output}, binding::separate));
    CHECK_NOTHROW(with({.from_offset = 4, .size = 4, .from = buffer::output}, binding::separate));
    CHECK_NOTHROW(with({.into_offset = 3, .size = 4, .from = buffer::scratch}, binding::separate));
    // Input is in output.
    CHECK_NOTHROW(with({.into_offset = 3, .size = 4}, binding::separate));
    CHECK_THROWS_WITH(with({.into_offset = 3, .size = 4}, binding::in_place), message);
    CHECK_NOTHROW(with({.size = 4}, binding::in_place));  // vanishes
}

TEST_CASE("plan: an incoming combine is a receive into staging and then a combination") {
    for (const bytes_t limit : {0, 4, 8, 9, 100}) {
        CAPTURE(limit);
        const plan root(support::linear_reduce(6, 4), 0, binding::in_place, {}, limit);
        const bytes_t places = std::clamp<bytes_t>(limit / 4, 1, 5);
        CHECK(root.staging_bytes() == 4 * places);
        std::int64_t receives = 0, at_once = 0, applied = 0;
        for (const plan::node& n : root.nodes()) {
            receives += n.kind == plan::kind::receive ? 1 : 0;
            at_once += n.kind == plan::kind::receive && n.waits_for == 0 ? 1 : 0;
            if (n.kind == plan::kind::apply) CHECK(n.operand.offset == 4 * (applied++ % places));
        }
        CHECK(receives == 5);
        CHECK(at_once == places);
        CHECK(applied == 5);
    }
}

TEST_CASE("plan: operands that overlap are received one after the other, those that fit side by side together") {
    for (const rank_t p : {2, 3, 5, 8, 9})
        for (const auto& [name, s] : support::samples(p))
            for (const bytes_t limit : {bytes_t{0}, bytes_t{20}, bytes_t{64}, detail::default_staging}) {
                CAPTURE(name);
                CAPTURE(limit);
                for (rank_t r = 0; r < p; ++r) {
                    const plan own(s, r, binding::separate, {}, limit);
                    CHECK(own.staging_bytes() <= std::max(limit, s.staging(r)));
                    check_staging(own);
                }
            }
}

TEST_CASE("plan: a negative limit of staging is rejected") {
    CHECK_THROWS_AS(plan(support::linear_reduce(3, 4), 0, binding::separate, {}, -1), bad_argument);
}
