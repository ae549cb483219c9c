#include "collsched/schedule/lowering.hpp"

#include <doctest/doctest.h>

#include <string>

#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "support/archetypes.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

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

namespace {

/// An allgather, in steps of its own, of messages with these blocks from and to these ranks beside rank 0.
struct listed_messages {
    rank_t ranks = 3;
    block_layout block = 2;
    rank_t peer = 1;
    block_interval blocks{0, 1};
    step_t count = 2;

    static constexpr algorithm_info info{.collective = collective::allgather, .name = "listed", .window = 7};
    constexpr step_t steps() const { return count; }
    void targets(rank_t, step_t k, auto f) const { visit(k, f); }
    void sources(rank_t, step_t k, auto f) const { visit(k, f); }
    constexpr void message(rank_t, rank_t, step_t, auto f) const { f(blocks); }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks), f("block", self.block), f("peer", self.peer);
        f("blocks", self.blocks), f("count", self.count);
    }
    void visit(step_t k, auto f) const {
        CHECK(k >= 0);
        CHECK(k < count);  // no other step exists
        f(peer);
    }
};

std::vector<bytes_t> sizes(const listed_messages& messages, bool sent) {
    const detail::lowered<listed_messages> s(messages);
    std::vector<bytes_t> found;
    const auto keep = [&](const edge& e) {
        CHECK(e.step == 1);
        CHECK((sent ? e.dst : e.src) == messages.peer);
        CHECK((sent ? e.src : e.dst) == 0);
        found.push_back(e.size);
    };
    if (sent) s.sends(0, 1, keep);
    else s.receives(0, 1, keep);
    return found;
}

}  // namespace

TEST_CASE("lowering: a message from or to no rank, or of blocks that do not exist, is an edge of -1 bytes") {
    using list = std::vector<bytes_t>;
    for (const bool sent : {true, false}) {
        const auto of = [&](rank_t peer, block_interval blocks) {
            return sizes({.peer = peer, .blocks = blocks}, sent);
        };
        CHECK(of(1, {0, 1}) == list{2});
        CHECK(of(2, {2, 1}) == list{2});
        CHECK(of(1, {0, 3}) == list{6});
        CHECK(of(1, {0, 0}).empty());
        for (const rank_t peer : {-1, 3}) CHECK(of(peer, {0, 1}) == list{-1});
        for (const block_interval blocks : {block_interval{-1, 1}, {3, 1}, {0, -1}, {0, 4}})
            CHECK(of(1, blocks) == list{-1});
    }
}

TEST_CASE("lowering: calls of the algorithm are within its steps") {
    for (const step_t count : {0, 1, 2}) {
        const detail::lowered<listed_messages> s({.ranks = 1, .peer = 0, .blocks = {0, 0}, .count = count});
        CHECK(s.steps() == 1);
        CHECK(s.pacing().window == 7);
        for (step_t k = 0; k <= 3; ++k) {
            int edges = 0;
            s.sends(0, k, [&](const edge& e) { edges += e == edge{.step = k, .size = 2} ? 1 : 100; });
            s.receives(0, k, [&](const edge&) { edges += 100; });
            CHECK(edges == (k == 0 ? 1 : 0));
        }
    }
}

TEST_CASE("lowering: busy steps contain every step with an edge, and are all steps unless a schedule has its own") {
    CHECK(detail::busy_steps(support::flat_broadcast{.ranks = 3}, 1) == detail::step_ranges{{0, 0}});
    CHECK(detail::busy_steps(support::by_hand({.ranks = 2}, 5, {}), 1) == detail::step_ranges{{0, 4}});
    CHECK(detail::busy_steps(lower(allgather::ring{.ranks = 5, .block = 1}), 2) == detail::step_ranges{{0, 3}, {0, 0}});
    CHECK(detail::busy_steps(lower(allgather::bruck{.ranks = 5, .block = 1}), 2) ==
          detail::step_ranges{{0, 2}, {0, 3}});
    const allgather::interval_halving halving{.ranks = 6, .block = 1};
    bool shorter = false;
    for (rank_t r = 0; r < 6; ++r) {
        const step_range own = halving.active(r);
        shorter = shorter || !(own == step_range{0, lower(halving).steps() - 1});
        CHECK(detail::busy_steps(lower(halving), r) == detail::step_ranges{own, {0, 0}});
        for (step_t k = 1; k <= lower(halving).steps(); ++k)
            CHECK(lower(halving).next(r, k) == own.from(k, lower(halving).steps()));
    }
    CHECK(shorter);
}

TEST_CASE("lowering: parameters are checked before any other call") {
    CHECK(check(allgather::ring{.ranks = 0}).value == 0);
    CHECK(check(allgather::ring{.ranks = -7}).value == -7);
    CHECK(check(allgather::bruck{.ranks = 3, .block = std::int64_t{1} << 62}).value == std::int64_t{1} << 62);
    CHECK(!check(allgather::bruck{.ranks = 3, .block = std::int64_t{1} << 60}));
}
