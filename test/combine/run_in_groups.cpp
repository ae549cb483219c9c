#include "collsched/combine/run_in_groups.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/answers.hpp"
#include "support/bounded.hpp"
#include "support/composed.hpp"
#include "support/layouts.hpp"
#include "support/listed_groups.hpp"
#include "support/oracle.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;
using support::as_it_is;
using support::listed_groups;

namespace {

contract nothing(rank_t ranks) { return {.collective = collective::barrier, .ranks = ranks}; }

/// A different place for every buffer of every rank, in another buffer.
constexpr auto elsewhere = [](rank_t r, buffer b) {
    const int turned = (static_cast<int>(b) + 1) % 3;
    return location{static_cast<buffer>(turned), 7 * r + turned};
};

/// An algorithm of the registry for each group, with random parameters.
std::vector<any_schedule> any_parts(const listed_groups& groups, std::uint64_t seed) {
    support::random_source random(seed);
    std::vector<any_schedule> parts;
    for (rank_t g = 0; g < groups.groups(); ++g) {
        const rank_t n = groups.size(g);
        const auto able = support::registered_at(n);
        const auto& entry = able[static_cast<std::size_t>(random.below(std::ssize(able)))];
        parts.push_back(entry.make({.ranks = n,
                                    .root = random.below(n),
                                    .block = 1 + random.below(4),
                                    .bytes = random.below(9),
                                    .window = random.below(4)}));
    }
    return parts;
}
auto each_of(const std::vector<any_schedule>& parts) {
    return [parts](rank_t g) { return parts[static_cast<std::size_t>(g)]; };
}

/// From the root to the leaders, one of each group, and from these to their groups.
template <class Groups>
constexpr auto in_two_levels(const Groups& groups, rank_t root, bytes_t bytes) {
    const contract whole{.collective = collective::broadcast, .ranks = groups.ranks(), .root = root, .bytes = bytes};
    const auto leaders = leaders_of(groups, root);
    const auto across = [=](rank_t) {
        return broadcast::over_tree<trees::binomial>{
            .ranks = groups.groups(), .root = groups.group(root), .bytes = bytes};
    };
    const auto within = [=](rank_t g) {
        return broadcast::over_tree<trees::binomial>{
            .ranks = groups.size(g), .root = groups.index(leaders.leader(g)), .bytes = bytes};
    };
    const auto known = [=](rank_t r, buffer b) {
        return location{b == buffer::input && r != root ? buffer::output : b, 0};
    };
    return then(run_in_groups(leaders, across, as_it_is, whole), run_in_groups(groups, within, known, whole));
}

/// An allgather that lists the steps it is called for.
struct listening : detail::schedule_of<allgather::ring> {
    using ring = detail::schedule_of<allgather::ring>;

    listening(const ring& s, std::vector<step_t>* list) : ring(s), asked(list) {}
    step_t next(rank_t r, step_t k) const { return asked->push_back(k), ring::next(r, k); }
    template <class F>
    void sends(rank_t r, step_t k, F f) const {
        asked->push_back(k), ring::sends(r, k, f);
    }
    template <class F>
    void receives(rank_t r, step_t k, F f) const {
        asked->push_back(k), ring::receives(r, k, f);
    }

    std::vector<step_t>* asked;
};

constexpr rank_groups dealt_out(rank_t ranks, rank_t groups) {
    return rank_groups::by_label(ranks, groups, [groups](rank_t r) { return r % groups; });
}
static_assert(proved<verify(in_two_levels(dealt_out(11, 3), 4, 5))>);
static_assert(proved<verify(in_two_levels(dealt_out(11, 3), 4, 5), binding::in_place)>);
static_assert(proved<verify(in_two_levels(dealt_out(1, 1), 0, 5))>);

/// Like rank_groups, but without member().
struct faceless : rank_groups {
    void member(rank_t, rank_t) const = delete;
};
/// Like rank_groups, but groups() does not return a rank_t.
struct countless : rank_groups {
    int groups() const { return 1; }
};
static_assert(grouping_of_ranks<listed_groups> && grouping_of_ranks<detail::leader_group<listed_groups>>);
static_assert(!grouping_of_ranks<faceless> && !grouping_of_ranks<countless> && !grouping_of_ranks<permutation>);
static_assert(schedule<decltype(in_two_levels(dealt_out(4, 2), 0, 1))>);

}  // namespace

TEST_CASE("run_in_groups: next() and busy() are exact, and calls of a part are within its steps and ranks") {
    // Ranks 0, 2, 4 are group 0, ranks 1, 3 group 1, and rank 5 is in none.
    const rank_groups groups =
        rank_groups::by_label(6, 2, [](rank_t r) { return r == 5 ? rank_groups::undefined : r % 2; });
    const edge a{.step = 1, .src = 0, .dst = 1, .size = 2}, b{.step = 3, .src = 1, .dst = 0, .size = 3};
    for (const bool turned : {false, true}) {
        const auto make = [&](rank_t g) {
            const bool longer = (g == 0) != turned;
            return support::bounded(support::by_hand({.ranks = 3 - g}, longer ? 5 : 2,
                                                     longer ? std::vector<edge>{a, b} : std::vector<edge>{a}, 4 + g,
                                                     20 + g, {.window = longer ? 3 : 2}));
        };
        const auto where = [](rank_t r, buffer place) {
            CHECK(r >= 0);
            CHECK(r < 5);
            return location{place, 100 * r};
        };
        const auto s = run_in_groups(groups, make, where, nothing(6));
        REQUIRE(!check(s));
        CHECK(s.steps() == 5);
        CHECK(s.pacing().window == 2);
        CHECK(support::loose_answer(s) == "");
        CHECK(support::broken_answer(s) == "");
        std::vector<edge> expected;
        for (rank_t g = 0; g < 2; ++g)
            for (edge e : all_edges(make(g).stored)) {
                e.src = 2 * e.src + g, e.dst = 2 * e.dst + g;
                e.from_offset += 100 * e.src, e.into_offset += 100 * e.dst;
                expected.push_back(e);
            }
        std::sort(expected.begin(), expected.end(), precedes);
        CHECK(all_edges(s) == expected);
        for (rank_t r = 0; r < 6; ++r) {
            CHECK(s.scratch(r) == (r < 5 ? 4 + r % 2 + 100 * r : 0));
            CHECK(s.staging(r) == (r < 5 ? 20 + r % 2 : 0));
        }
        CHECK(fingerprint(s) != fingerprint(run_in_groups(groups, make, as_it_is, nothing(6))));
    }
}

TEST_CASE("run_in_groups: no part is made where there is no group") {
    const rank_groups none = rank_groups::by_label(2, 0, [](rank_t) { return rank_groups::undefined; });
    const auto make = [](rank_t) {
        FAIL("no group");
        return allgather::ring{};
    };
    const auto s = run_in_groups(none, make, as_it_is, nothing(2));
    CHECK(!check(s));
    CHECK(s.steps() == 0);
    CHECK(s.pacing().window == 0);
    CHECK(all_edges(s).empty());
    CHECK(s.busy(1).hull().empty());
}

TEST_CASE("run_in_groups: the window is the narrowest of all groups with one") {
    const rank_groups groups = rank_groups::by_runs(3, [](rank_t r) { return r; });
    for (const step_t a : {0, 1, 2})
        for (const step_t b : {0, 1, 2})
            for (const step_t c : {0, 1, 2}) {
                const step_t windows[] = {a, b, c};
                const auto make = [&](rank_t g) { return support::by_hand({.ranks = 1}, 1, {}, 0, 0, {windows[g]}); };
                step_t narrowest = 0;
                for (const step_t window : windows)
                    if (window > 0 && (narrowest == 0 || window < narrowest)) narrowest = window;
                CHECK(run_in_groups(groups, make, as_it_is, nothing(3)).pacing().window == narrowest);
            }
}

TEST_CASE("run_in_groups: errors have argument, value, range and group") {
    const rank_groups groups = rank_groups::by_runs(5, [](rank_t r) { return r / 3; });
    const auto make = [](rank_t g) { return allgather::ring{.ranks = 3 - g, .block = 1}; };
    CHECK(!check(run_in_groups(groups, make, as_it_is, nothing(5))));
    CHECK(check(run_in_groups(groups, make, as_it_is, nothing(4))) ==
          argument_error{"ranks", 4, "as many ranks as the groups have"});
    const auto larger = [](rank_t) { return allgather::ring{.ranks = 3, .block = 1}; };
    CHECK(check(run_in_groups(groups, larger, as_it_is, nothing(5))) ==
          argument_error{"ranks", 3, "as many ranks as the group has", 1});
    const auto wrong = [](rank_t g) { return allgather::ring{.ranks = 3 - g, .block = -g}; };
    CHECK(check(run_in_groups(groups, wrong, as_it_is, nothing(5))) == argument_error{"block", -1, "0 bytes or more"});
    contract bad = nothing(5);
    bad.root = 5;
    CHECK(check(run_in_groups(groups, make, as_it_is, bad)) == argument_error{"root", 5, "0 to ranks-1"});
}

TEST_CASE("run_in_groups: one group of all ranks in their order, with nothing renamed, is the schedule itself") {
    for (const rank_t p : {1, 2, 5, 8})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto make = [&whole = s](rank_t) { return whole; };
            const rank_groups all = rank_groups::by_runs(p, [](rank_t) { return 0; });
            const auto same = run_in_groups(all, make, as_it_is, s.contract());
            CHECK(!check(same));
            CHECK(all_edges(same) == all_edges(s));
            // The steps of a rank alone count up to its last copy.
            const std::vector<edge> moved = all_edges(s);
            const step_t steps = p > 1 ? s.steps() : moved.empty() ? 0 : moved.back().step + 1;
            CHECK(same.steps() == steps);
            CHECK(same.pacing() == s.pacing());
            CHECK(same.contract() == s.contract());
            for (rank_t r = 0; r < p; ++r) {
                CHECK(same.scratch(r) == s.scratch(r));
                CHECK(same.staging(r) == s.staging(r));
                for (step_t k = 0; k <= steps; ++k) CHECK(same.next(r, k) == std::min(s.next(r, k), steps));
            }
        }
}

TEST_CASE("run_in_groups: groups of one rank have a step only where a copy remains") {
    const contract whole{.collective = collective::broadcast, .ranks = 4, .bytes = 8};
    const auto alone = [](rank_t) { return broadcast::over_tree<trees::binomial>{.ranks = 1, .bytes = 8}; };
    const rank_groups four = rank_groups::by_runs(4, [](rank_t r) { return r; });
    const auto received_by = [](rank_t most) {
        return [most](rank_t r, buffer b) { return location{r < most ? buffer::output : b, 0}; };
    };
    CHECK(run_in_groups(four, alone, received_by(4), whole).steps() == 0);
    CHECK(run_in_groups(four, alone, received_by(3), whole).steps() == 1);
    CHECK(run_in_groups(four, alone, received_by(0), whole).steps() == 1);
    CHECK(all_edges(run_in_groups(four, alone, received_by(3), whole)).size() == 1);
}

TEST_CASE("run_in_groups: one group of all ranks in another order is the relabeled schedule") {
    for (const rank_t p : {1, 2, 5, 8}) {
        const permutation order = support::shuffled_ranks(p, 5);
        for (const auto& [name, s] : support::samples(p)) {
            const contract contract = s.contract();
            if (contract.collective == collective::scan || contract.collective == collective::exscan) continue;
            INFO(name);
            const auto renamed = relabel(s, order);
            const auto make = [&whole = s](rank_t) { return whole; };
            const auto same = run_in_groups(support::one_group(p, order), make, as_it_is, renamed.contract());
            CHECK(all_edges(same) == all_edges(renamed));
            for (const binding how : {binding::separate, binding::in_place})
                CHECK(support::verified(same, how) == support::verified(renamed, how));
            for (rank_t r = 0; r < p; ++r) CHECK(same.scratch(r) == renamed.scratch(r));
        }
    }
}

TEST_CASE("run_in_groups: disjoint groups have the edges of all parts by ranks and places, idle ranks none") {
    std::int64_t idle = 0, alone = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        const rank_t p = 1 + static_cast<rank_t>(seed) % 20;
        const listed_groups groups = support::any_groups(p, 1 + static_cast<rank_t>(seed) % 5, seed);
        const std::vector<any_schedule> parts = any_parts(groups, seed);
        const auto s = run_in_groups(groups, each_of(parts), elsewhere, nothing(p));
        std::vector<edge> expected;
        step_t steps = 0;
        for (std::size_t g = 0; g < parts.size(); ++g) {
            for (edge e : all_edges(parts[g])) {
                e.src = groups.members[g][static_cast<std::size_t>(e.src)];
                e.dst = groups.members[g][static_cast<std::size_t>(e.dst)];
                const location from = elsewhere(e.src, e.from), into = elsewhere(e.dst, e.into);
                e.from = from.where, e.from_offset += from.offset;
                e.into = into.where, e.into_offset += into.offset;
                expected.push_back(e);
            }
            steps = std::max(steps, parts[g].steps());
        }
        std::sort(expected.begin(), expected.end(), precedes);
        CHECK(!check(s));
        CHECK(all_edges(s) == expected);
        CHECK(s.steps() == steps);
        CHECK(support::broken_answer(s) == "");
        for (rank_t r = 0; r < p; ++r) {
            alone += groups.group(r) >= 0 && groups.size(groups.group(r)) == 1 ? 1 : 0;
            if (groups.group(r) >= 0) continue;
            ++idle;
            CHECK(s.next(r, 0) == steps);
            CHECK(s.busy(r) == detail::step_ranges{});
            CHECK(s.scratch(r) == 0);
            CHECK(s.staging(r) == 0);
        }
    }
    CHECK(idle > 100);
    CHECK(alone > 20);
}

TEST_CASE("run_in_groups: scratch holds the part's scratch, staging is the part's, pacing the narrowest") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        const listed_groups groups = support::any_groups(14, 3, seed);
        const std::vector<any_schedule> parts = any_parts(groups, seed);
        const auto behind = [](rank_t r, buffer b) { return location{b, b == buffer::scratch ? 5 * r : 0}; };
        const auto s = run_in_groups(groups, each_of(parts), behind, nothing(14));
        const auto turned = run_in_groups(groups, each_of(parts), elsewhere, nothing(14));
        step_t narrowest = 0;
        for (std::size_t g = 0; g < parts.size(); ++g) {
            const step_t window = parts[g].pacing().window;
            if (window > 0 && (narrowest == 0 || window < narrowest)) narrowest = window;
            for (rank_t i = 0; i < parts[g].ranks; ++i) {
                const rank_t r = groups.members[g][static_cast<std::size_t>(i)];
                const bytes_t own = parts[g].scratch(i), out = parts[g].contract().output_bytes(i);
                CHECK(s.scratch(r) == (own > 0 ? 5 * r + own : 0));
                CHECK(turned.scratch(r) == (out > 0 ? 7 * r + 2 + out : 0));
                CHECK(s.staging(r) == parts[g].staging(i));
            }
        }
        CHECK(s.pacing().window == narrowest);
    }
    constexpr bytes_t most = std::numeric_limits<bytes_t>::max();
    const auto far = [](rank_t, buffer b) { return location{b, most - 2}; };
    const auto make = [](rank_t) { return allgather::bruck{.ranks = 2, .block = 4}; };
    const auto s = run_in_groups(dealt_out(4, 2), make, far, nothing(4));
    CHECK(s.scratch(3) == most);
    CHECK(support::verified(s).finding == verdict::kind::outside_buffer);
}

TEST_CASE("run_in_groups: pacing is the narrowest window of any group, and none is the widest") {
    const auto paced = [](std::vector<step_t> windows) {
        const auto make = [windows](rank_t g) {
            return alltoall::pairwise{.ranks = 2, .block = 1, .window = windows[static_cast<std::size_t>(g)]};
        };
        const rank_groups pairs = rank_groups::by_runs(6, [](rank_t r) { return r / 2; });
        return run_in_groups(pairs, make, as_it_is, nothing(6)).pacing().window;
    };
    CHECK(paced({0, 0, 0}) == 0);
    CHECK(paced({0, 4, 0}) == 4);
    CHECK(paced({2, 4, 3}) == 2);
    CHECK(paced({4, 0, 2}) == 2);
    CHECK(paced({4, 2, 3}) == 2);
}

TEST_CASE("run_in_groups: no part is called for steps that it does not have") {
    const listed_groups groups{7, {{0, 1}, {2, 3, 4, 5, 6}}};
    std::vector<step_t> asked[2];
    const auto make = [&](rank_t g) {
        const auto ring = lower(allgather::ring{.ranks = groups.size(g), .block = 1});
        return listening{ring, &asked[g]};
    };
    const auto s = run_in_groups(groups, make, as_it_is, nothing(7));
    CHECK(s.steps() == 4);
    CHECK(support::broken_answer(s) == "");
    CHECK(!asked[0].empty());
    CHECK(*std::max_element(asked[0].begin(), asked[0].end()) == 0);
    CHECK(*std::max_element(asked[1].begin(), asked[1].end()) == 3);
}

TEST_CASE("run_in_groups: the numbering of groups changes no edge, and renaming the whole renames the parts") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const listed_groups groups = support::any_groups(12, 4, seed);
        const std::vector<any_schedule> parts = any_parts(groups, seed);
        const listed_groups back{12, {groups.members.rbegin(), groups.members.rend()}};
        const std::vector<any_schedule> parts_back(parts.rbegin(), parts.rend());
        const auto s = run_in_groups(groups, each_of(parts), as_it_is, nothing(12));
        CHECK(all_edges(s) == all_edges(run_in_groups(back, each_of(parts_back), as_it_is, nothing(12))));
        CHECK(all_edges(rename_buffers(s, elsewhere, nothing(12))) ==
              all_edges(run_in_groups(groups, each_of(parts), elsewhere, nothing(12))));
    }
}

TEST_CASE("run_in_groups: complete exchanges in groups are correct if groups have no bytes for each other") {
    for (const rank_t p : {1, 2, 7, 12})
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            const rank_groups groups = [&] {
                support::random_source random(seed);
                return rank_groups::by_label(p, p, [&](rank_t) { return random.below(seed == 3 ? p : 3) % p; });
            }();
            support::random_source random(seed + 10);
            std::vector<bytes_t> counts, places(static_cast<std::size_t>(p * p));
            for (rank_t i = 0; i < p; ++i)
                for (rank_t j = 0; j < p; ++j)
                    counts.push_back(groups.group(i) == groups.group(j) ? random.below(5) : 0);
            for (std::size_t i = 0; i < places.size(); ++i)
                places[i] = 9 * ((static_cast<bytes_t>(i) + 3) % p) + random.below(4);
            const block_matrix all(counts, places, places);
            const auto of_group = [&](rank_t g) {
                std::vector<bytes_t> own, send_displs, recv_displs;
                for (rank_t i = 0; i < groups.size(g); ++i)
                    for (rank_t j = 0; j < groups.size(g); ++j) {
                        own.push_back(all.count(groups.member(g, i), groups.member(g, j)));
                        send_displs.push_back(all.send_displ(groups.member(g, i), groups.member(g, j)));
                        recv_displs.push_back(all.recv_displ(groups.member(g, j), groups.member(g, i)));
                    }
                return block_matrix(own, send_displs, recv_displs);
            };
            const contract whole{.collective = collective::alltoall, .ranks = p, .blocks = all};
            for (const algorithm_entry& entry : compiled::registry()) {
                if (entry.info.collective != collective::alltoall) continue;
                std::vector<any_schedule> parts;
                for (rank_t g = 0; g < groups.groups(); ++g)
                    if (support::can_do(entry, groups.size(g)))
                        parts.push_back(entry.make({.ranks = groups.size(g), .matrix = of_group(g)}));
                if (std::ssize(parts) < groups.groups()) continue;
                INFO(entry.info.name, " p=", p, " seed=", seed);
                const auto s = run_in_groups(groups, each_of(parts), as_it_is, whole);
                CHECK(support::verified(s) == verdict{});
                CHECK(support::replays(s, binding::separate));
            }
        }
}

TEST_CASE("run_in_groups: two levels of broadcast are correct for any groups and any root") {
    for (rank_t p = 1; p <= 24; ++p)
        for (const rank_t count : {rank_t{1}, rank_t{3}, p}) {
            support::random_source random(static_cast<std::uint64_t>(p));
            const rank_groups groups =
                count == p ? dealt_out(p, p)
                           : rank_groups::by_label(p, count, [&](rank_t) { return random.below(count); });
            for (const rank_t root : {rank_t{0}, p / 2, p - 1})
                for (const bytes_t bytes : {0, 5}) {
                    const auto s = in_two_levels(groups, root, bytes);
                    for (const binding how : {binding::separate, binding::in_place}) {
                        CHECK(support::verified(s, how) == verdict{});
                        if (p <= 10) CHECK(support::replays(s, how));
                    }
                    CHECK(support::measured(s).messages == (bytes > 0 ? p - 1 : 0));
                }
        }
}

TEST_CASE("run_in_groups: blocks of an allgather, in any order of ranks and any layout, are received at their places") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, layout] : support::layouts(p, 2)) {
            INFO(name, " p=", p);
            const permutation order = support::shuffled_ranks(p, 3);
            std::vector<bytes_t> counts;
            for (rank_t v = 0; v < p; ++v) counts.push_back(layout.count(order.rank(v)));
            const auto make = [&](rank_t) { return allgather::circulant{.ranks = p, .block = block_layout(counts)}; };
            const block_layout spread = permuted(layout, p, order);
            const auto where = [&](rank_t, buffer b) -> region {
                return b == buffer::output ? region({b, 0}, spread, p) : region({b, 0});
            };
            const contract whole{.collective = collective::allgather, .ranks = p, .blocks = layout};
            const auto s = run_in_groups(support::one_group(p, order), make, where, whole);
            for (const binding how : {binding::separate, binding::in_place}) {
                CHECK(support::verified(s, how) == verdict{});
                if (name != "huge") CHECK(support::replays(s, how));
            }
        }
}

TEST_CASE("run_in_groups: mismatches are reported, as the first wrong part, its ranks or the contract") {
    using tree = broadcast::over_tree<trees::k_ary>;
    const rank_groups groups = dealt_out(7, 3);
    const auto of_size = [&](rank_t less) {
        return [&groups, less](rank_t g) {
            return tree{.ranks = groups.size(g) - (g > 0 ? less : 0), .tree = {.radix = 2}};
        };
    };
    CHECK(!check(run_in_groups(groups, of_size(0), as_it_is, nothing(7))));
    const argument_error fewer = check(run_in_groups(groups, of_size(1), as_it_is, nothing(7)));
    CHECK(fewer == argument_error{"ranks", 1, "as many ranks as the group has", 1});
    const auto wrong = [&](rank_t g) { return tree{.ranks = groups.size(g), .tree = {.radix = g == 0 ? 2 : -g}}; };
    CHECK(std::string(check(run_in_groups(groups, wrong, as_it_is, nothing(7))).argument) == "radix");
    CHECK(check(run_in_groups(groups, wrong, as_it_is, nothing(7))).value == -1);
    CHECK(check(run_in_groups(groups, of_size(0), as_it_is, nothing(6))) ==
          argument_error{"ranks", 6, "as many ranks as the groups have"});
    contract rootless = nothing(7);
    rootless.root = 7;
    CHECK(std::string(check(run_in_groups(groups, of_size(0), as_it_is, rootless)).argument) == "root");
    CHECK(std::string(check(run_in_groups(rank_groups(), of_size(0), as_it_is, nothing(0))).argument) == "ranks");
}

TEST_CASE("run_in_groups: fingerprints distinguish groups, parts, places and contracts") {
    const auto ring = [](bytes_t block) {
        return [block](rank_t) { return allgather::ring{.ranks = 2, .block = block}; };
    };
    const auto moved = [](bytes_t by) { return [by](rank_t r, buffer b) { return location{b, r == 3 ? by : 0}; }; };
    const listed_groups pairs{5, {{0, 1}, {2, 3}}}, crossed{5, {{0, 2}, {1, 3}}}, turned{5, {{0, 1}, {3, 2}}};
    contract other = nothing(5);
    other.bytes = 1;
    const std::uint64_t all[] = {fingerprint(run_in_groups(pairs, ring(1), moved(0), nothing(5))),
                                 fingerprint(run_in_groups(crossed, ring(1), moved(0), nothing(5))),
                                 fingerprint(run_in_groups(turned, ring(1), moved(0), nothing(5))),
                                 fingerprint(run_in_groups(pairs, ring(2), moved(0), nothing(5))),
                                 fingerprint(run_in_groups(pairs, ring(1), moved(1), nothing(5))),
                                 fingerprint(run_in_groups(pairs, ring(1), moved(0), other))};
    for (const std::uint64_t& a : all)
        for (const std::uint64_t& b : all) CHECK((a == b) == (&a == &b));
    const rank_groups same = rank_groups::by_label(4, 2, [](rank_t r) { return 1 - r / 2; }),
                      again = rank_groups::by_runs(4, [](rank_t r) { return r / 2; });
    CHECK(fingerprint(run_in_groups(same, ring(1), as_it_is, nothing(4))) ==
          fingerprint(run_in_groups(again, ring(1), as_it_is, nothing(4))));
}
