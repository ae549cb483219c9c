#include "collsched/combine/local_step.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/answers.hpp"
#include "support/composed.hpp"
#include "support/layouts.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;

namespace {

/// The edges of each rank as passed to local_step: without step and ranks.
using edge_lists = std::vector<std::vector<edge>>;

auto step_of(const edge_lists& lists) {
    return [lists](rank_t r, auto f) {
        for (const edge& e : lists[static_cast<std::size_t>(r)]) f(e);
    };
}
contract barrier_contract(rank_t ranks) { return {.collective = collective::barrier, .ranks = ranks}; }

edge_lists any_edges(rank_t ranks, std::uint64_t seed) {
    support::random_source random(seed);
    edge_lists lists(static_cast<std::size_t>(ranks));
    for (auto& mine : lists)
        for (std::int64_t n = random.below(5); n-- > 0;)
            mine.push_back({.from_offset = random.below(40),
                            .into_offset = random.below(40),
                            .size = random.below(4),
                            .from = static_cast<buffer>(random.below(3)),
                            .into = static_cast<buffer>(random.below(3)),
                            .action = static_cast<action>(random.below(3))});
    return lists;
}

/// Rank r ends with its input twice over.
struct doubled {
    bytes_t bytes;
    constexpr void operator()(rank_t, auto f) const {
        f(edge{.size = bytes, .into = buffer::scratch});
        f(edge{.size = bytes});
    }
};
static_assert(schedule<detail::local_step_schedule<doubled>>);
static_assert(proved<verify(local_step(doubled{3}, {.collective = collective::broadcast, .bytes = 3}))>);
static_assert(proved<verify(local_step(doubled{3}, {.collective = collective::scan, .bytes = 3}), binding::in_place)>);

}  // namespace

TEST_CASE("local_step: one step has exactly the listed local edges, without the empty ones") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        CAPTURE(seed);
        const rank_t p = 1 + static_cast<rank_t>(seed) % 9;
        const edge_lists lists = any_edges(p, seed);
        const auto s = local_step(step_of(lists), barrier_contract(p));
        std::vector<edge> expected;
        for (std::size_t r = 0; r < lists.size(); ++r)
            for (edge e : lists[r]) {
                e.src = e.dst = static_cast<rank_t>(r);
                if (e.size > 0) expected.push_back(e);
            }
        std::sort(expected.begin(), expected.end(), precedes);
        CHECK(all_edges(s) == expected);
        CHECK(support::broken_answer(s) == "");
        CHECK(s.steps() == 1);
        CHECK(s.next(0, 1) == 1);
        CHECK(support::measured(s).rounds == 0);
        CHECK(s.contract() == barrier_contract(p));
        CHECK(s.pacing() == pacing{});
        for (rank_t r = 0; r < p; ++r) {
            CHECK(s.staging(r) == 0);
            CHECK(s.busy(r) == detail::step_ranges{{0, 0}});
        }
    }
}

TEST_CASE("local_step: scratch ends at the last byte that an edge reads or writes there") {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const rank_t p = 5;
        const edge_lists lists = any_edges(p, seed);
        for (rank_t r = 0; r < p; ++r) {
            bytes_t most = 0;
            for (const edge& e : lists[static_cast<std::size_t>(r)]) {
                if (e.size > 0 && e.from == buffer::scratch) most = std::max(most, e.from_offset + e.size);
                if (e.size > 0 && e.into == buffer::scratch) most = std::max(most, e.into_offset + e.size);
            }
            CHECK(local_step(step_of(lists), barrier_contract(p)).scratch(r) == most);
        }
    }
    constexpr bytes_t far = std::numeric_limits<bytes_t>::max() - 3;
    for (const bytes_t size : {3, 4, 5}) {
        const edge out{.from_offset = far, .size = size, .from = buffer::scratch};
        const edge in{.into_offset = far, .size = size, .into = buffer::scratch};
        CHECK(local_step(step_of({{out}}), barrier_contract(1)).scratch(0) == far + 3);
        CHECK(local_step(step_of({{in}}), barrier_contract(1)).scratch(0) == far + 3);
    }
}

TEST_CASE("local_step: the function of edges is called for existing ranks alone") {
    const auto own = [](rank_t r, auto f) {
        CHECK(r >= 0);
        CHECK(r < 3);
        f(edge{.size = 1});
    };
    const auto s = local_step(own, barrier_contract(3));
    CHECK(fingerprint(s) == fingerprint(s));
    CHECK(all_edges(s).size() == 3);
    CHECK(local_step([](rank_t, auto f) { f(edge{.size = 0, .into = buffer::scratch}); }, barrier_contract(1))
              .scratch(0) == 0);
}

TEST_CASE("local_step: fingerprints differ if an edge, a rank or the contract does") {
    const edge one{.from_offset = 4, .into_offset = 8, .size = 2, .from = buffer::output, .into = buffer::scratch};
    std::vector<edge_lists> all{{{one}, {}}, {{}, {one}}, {{one}, {one}}, {{one, one}, {}}, {{}, {}}};
    const auto changed = [&](auto change) {
        edge other = one;
        change(other);
        all.push_back({{other}, {}});
    };
    changed([](edge& e) { e.from_offset = 5; });
    changed([](edge& e) { e.into_offset = 9; });
    changed([](edge& e) { e.size = 1; });
    changed([](edge& e) { e.from = buffer::input; });
    changed([](edge& e) { e.into = buffer::output; });
    changed([](edge& e) { e.action = action::combine_before; });
    changed([](edge& e) { e.action = action::combine_after; });
    for (const edge_lists& a : all)
        for (const edge_lists& b : all)
            CHECK((fingerprint(local_step(step_of(a), barrier_contract(2))) ==
                   fingerprint(local_step(step_of(b), barrier_contract(2)))) == (&a == &b));
    const contract other{.collective = collective::scan, .ranks = 2};
    CHECK(fingerprint(local_step(step_of(all[0]), barrier_contract(2))) !=
          fingerprint(local_step(step_of(all[0]), other)));
}

TEST_CASE("local_step: without edges it has no steps") {
    const auto nothing = local_step([](rank_t, auto) {}, barrier_contract(2), false);
    CHECK(nothing.steps() == 0);
    CHECK(nothing.next(1, 0) == 0);
    CHECK(nothing.busy(0).hull().empty());
    CHECK(local_step([](rank_t, auto) {}, barrier_contract(2)).steps() == 1);
}

TEST_CASE("local_step: errors of the contract are reported") {
    CHECK(std::string(check(local_step(doubled{1}, {.ranks = 0})).argument) == "ranks");
    CHECK(std::string(check(local_step(doubled{1}, {.ranks = 3, .root = 3})).argument) == "root");
    CHECK(!check(local_step(doubled{1}, {.ranks = 3, .root = 2})));
}

TEST_CASE("local_step: as a part between others, brings a broadcast's result from scratch to output") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const bytes_t bytes : {0, 1, 10}) {
            const contract whole{.collective = collective::broadcast, .ranks = p, .root = p / 2, .bytes = bytes};
            const auto aside = [](rank_t, buffer b) { return location{b == buffer::output ? buffer::scratch : b, 0}; };
            const auto back = [bytes](rank_t, auto f) { f(edge{.size = bytes, .from = buffer::scratch}); };
            const broadcast::over_tree<trees::binomial> tree{.ranks = p, .root = p / 2, .bytes = bytes};
            const auto s = then(rename_buffers(tree, aside, whole), local_step(back, whole));
            CHECK(support::verified(s).ok());
            CHECK(support::verified(s, binding::in_place).ok());
            CHECK(support::measured(s).rounds == support::measured(tree).rounds);
            for (rank_t r = 0; r < p; ++r) CHECK(s.scratch(r) == bytes);
            // An empty step before or after changes only step numbers, and a single rank has none.
            const auto nothing = local_step([](rank_t, auto) {}, lower(tree).contract());
            CHECK(all_edges(then(tree, nothing)) == all_edges(tree));
            std::vector<edge> expected;
            for (const edge& e : all_edges(tree)) expected.push_back(detail::delayed(e, p > 1 ? 1 : 0));
            CHECK(all_edges(then(nothing, tree)) == expected);
        }
}
