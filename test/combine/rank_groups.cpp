#include "collsched/combine/rank_groups.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "collsched/schedule/fingerprint.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/listed_groups.hpp"

using namespace collsched;
using support::listed_groups;

namespace {

using labels = std::vector<rank_t>;

auto by(const labels& of) {
    return [&of](rank_t r) { return of[static_cast<std::size_t>(r)]; };
}
rank_groups with_one_label(const labels& of, rank_t count) {
    return rank_groups::by_label(std::ssize(of), count, by(of));
}
rank_groups in_runs(const labels& of) { return rank_groups::by_runs(std::ssize(of), by(of)); }

/// Rank by rank: a label not seen before begins a group.
listed_groups listed_by_label(const labels& of) {
    listed_groups listed{std::ssize(of), {}};
    std::map<rank_t, std::size_t> seen;
    for (std::size_t r = 0; r < of.size(); ++r) {
        if (of[r] < 0) continue;
        const auto [at, fresh] = seen.try_emplace(of[r], listed.members.size());
        if (fresh) listed.members.emplace_back();
        listed.members[at->second].push_back(static_cast<rank_t>(r));
    }
    return listed;
}
/// Rank by rank: another label than that of the rank before begins a group.
listed_groups listed_by_runs(const labels& of) {
    listed_groups listed{std::ssize(of), {}};
    for (std::size_t r = 0; r < of.size(); ++r) {
        if (r == 0 || of[r] != of[r - 1]) listed.members.emplace_back();
        listed.members.back().push_back(static_cast<rank_t>(r));
    }
    return listed;
}

/// The order of all ranks, group by group, and whether that is the order of their numbers.
void check_order(const rank_groups& groups, const listed_groups& listed) {
    labels order;
    for (const auto& members : listed.members) {
        CHECK(groups.first(groups.group(members.front())) == std::ssize(order));
        order.insert(order.end(), members.begin(), members.end());
    }
    for (rank_t v = 0; v < groups.ranks(); ++v) {
        CHECK(groups.rank(v) == order[static_cast<std::size_t>(v)]);
        CHECK(groups.virtual_rank(groups.rank(v)) == v);
    }
    CHECK(groups.consecutive() == std::is_sorted(order.begin(), order.end()));
}

constexpr rank_groups odd_and_even(rank_t ranks) {
    return rank_groups::by_label(ranks, 2, [](rank_t r) { return r % 2; });
}
static_assert(grouping_of_ranks<rank_groups> && grouping_of_ranks<detail::leader_group<rank_groups>>);
static_assert(odd_and_even(5).groups() == 2 && odd_and_even(5).size(0) == 3 && odd_and_even(5).member(1, 1) == 3);
static_assert(odd_and_even(5).group(4) == 0 && odd_and_even(5).index(4) == 2 && !odd_and_even(5).consecutive());
static_assert(rank_groups::by_runs(6, [](rank_t r) { return r / 4; }).consecutive());
constexpr rank_groups odd_alone(rank_t ranks) {
    return rank_groups::by_label(ranks, 1, [](rank_t r) { return r % 2 == 1 ? 0 : rank_groups::undefined; });
}
static_assert(odd_alone(5).groups() == 1 && odd_alone(5).size(0) == 2 && odd_alone(5).group(2) == -1);
static_assert(leaders_of(odd_and_even(5)).leader(1) == 1);
static_assert(leaders_of(odd_and_even(5), -1, true).leader(1) == 3);
static_assert(leaders_of(odd_and_even(5), 2).leader(0) == 2);

}  // namespace

TEST_CASE("rank_groups: groups by label and by runs equal those of an oracle that visits each rank") {
    support::random_source random(3);
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const rank_t count : {rank_t{1}, rank_t{2}, p, 1 + random.below(p)}) {
            labels of(static_cast<std::size_t>(p));
            for (rank_t& label : of) label = random.below(count);
            CAPTURE(p);
            CHECK(support::first_difference(with_one_label(of, count), listed_by_label(of)) == "");
            CHECK(support::first_difference(in_runs(of), listed_by_runs(of)) == "");
            check_order(with_one_label(of, count), listed_by_label(of));
            check_order(in_runs(of), listed_by_runs(of));
            CHECK(in_runs(of).consecutive());
        }
}

TEST_CASE("rank_groups: one rank, one group, groups of one and no ranks") {
    const labels alone{3, 1, 2, 0}, same{2, 2, 2, 2};
    for (const rank_groups& groups : {with_one_label(alone, 4), in_runs(alone)}) {
        CHECK(groups.groups() == 4);
        CHECK(groups.consecutive());
        for (rank_t r = 0; r < 4; ++r) CHECK(groups.group(r) == r);
    }
    for (const rank_groups& groups : {with_one_label(same, 4), in_runs(same)}) {
        CHECK(groups.groups() == 1);
        CHECK(groups.size(0) == 4);
        CHECK(groups.consecutive());
    }
    CHECK(in_runs({7}).groups() == 1);
    for (const rank_groups& groups : {rank_groups(), with_one_label({}, 0), in_runs({})}) {
        CHECK(groups.ranks() == 0);
        CHECK(groups.groups() == 0);
    }
}

TEST_CASE("rank_groups: groups are equal and have equal parameters exactly when the same ranks are together") {
    const labels a{0, 0, 1, 2}, renamed{2, 2, 0, 1}, b{0, 0, 1, 1}, runs{0, 0, 5, 9}, more{0, 0, 1, 2, 2};
    CHECK(with_one_label(a, 3) == with_one_label(renamed, 3));
    CHECK(with_one_label(a, 3) == in_runs(runs));
    CHECK(!(with_one_label(a, 3) == with_one_label(b, 2)));
    const auto print = [](const auto& groups) { return fingerprint_of("groups", groups); };
    CHECK(print(with_one_label(a, 3)) == print(with_one_label(renamed, 3)));
    CHECK(print(with_one_label(a, 3)) != print(with_one_label(b, 2)));
    CHECK(print(with_one_label(a, 3)) != print(with_one_label(more, 3)));
    using leaders = detail::leader_group<rank_groups>;
    const std::vector<leaders> some{{with_one_label(a, 3)},
                                    {with_one_label(b, 2)},
                                    {.all = with_one_label(a, 3), .chosen = 1},
                                    {.all = with_one_label(a, 3), .last = true},
                                    {.all = with_one_label(a, 3), .chosen = 3, .last = true}};
    for (const leaders& one : some)
        for (const leaders& other : some) {
            CHECK((one == other) == (&one == &other));
            CHECK((print(one) == print(other)) == (&one == &other));
        }
}

TEST_CASE("rank_groups: leaders are the first or last of every group, or the chosen rank of its group") {
    support::random_source random(11);
    for (rank_t p = 1; p <= 24; ++p) {
        labels of(static_cast<std::size_t>(p));
        for (rank_t& label : of) label = random.below(1 + p / 3);
        const rank_groups groups = with_one_label(of, p);
        for (const bool last : {false, true})
            for (rank_t chosen = -1; chosen < p; ++chosen) {
                listed_groups listed{p, {{}}};
                for (const auto& members : listed_by_label(of).members) {
                    rank_t leader = last ? members.back() : members.front();
                    for (const rank_t r : members) leader = r == chosen ? r : leader;
                    listed.members[0].push_back(leader);
                }
                const auto leaders = leaders_of(groups, chosen, last);
                CHECK(support::first_difference(leaders, listed) == "");
                for (rank_t g = 0; g < groups.groups(); ++g) CHECK(leaders.leader(g) == leaders.member(0, g));
            }
    }
}

TEST_CASE("rank_groups: kinds are existing groups, each once") {
    const labels of{0, 1, 0, 2};
    std::vector<rank_t> seen;
    with_one_label(of, 3).kinds([&](rank_t g) { seen.push_back(g); });
    CHECK(seen == std::vector<rank_t>{0, 1, 2});
    seen.clear();
    leaders_of(with_one_label(of, 3)).kinds([&](rank_t g) { seen.push_back(g); });
    CHECK(seen == std::vector<rank_t>{0});
}

TEST_CASE("rank_groups: ranks without a group have group and index -1, and follow last") {
    support::random_source random(7);
    for (rank_t p = 1; p <= 24; ++p)
        for (rank_t most = 0; most <= p; ++most) {
            labels of(static_cast<std::size_t>(p)), order;
            for (rank_t& label : of) label = random.below(most + 1) - 1;
            const rank_groups groups = with_one_label(of, most);
            const listed_groups listed = listed_by_label(of);
            CHECK(!groups.check());
            CHECK(support::first_difference(groups, listed) == "");
            bool consecutive = true;
            for (const auto& members : listed.members) {
                order.insert(order.end(), members.begin(), members.end());
                consecutive = consecutive && members.back() - members.front() + 1 == std::ssize(members);
            }
            CHECK(groups.first(groups.groups()) == std::ssize(order));
            CHECK(groups.consecutive() == consecutive);
            for (rank_t r = 0; r < p; ++r)
                if (of[static_cast<std::size_t>(r)] < 0) {
                    CHECK(groups.group(r) == -1);
                    CHECK(groups.index(r) == -1);
                    CHECK(leaders_of(groups).group(r) == -1);
                    order.push_back(r);
                }
            for (rank_t v = 0; v < p; ++v) {
                CHECK(groups.rank(v) == order[static_cast<std::size_t>(v)]);
                CHECK(groups.virtual_rank(groups.rank(v)) == v);
            }
        }
}

TEST_CASE("rank_groups: groups that leave out other ranks differ") {
    const labels a{0, 0, -1, 1}, b{0, -1, 0, 1}, renamed{1, 1, -1, 0}, all{0, 0, 2, 1};
    CHECK(with_one_label(a, 2) == with_one_label(renamed, 2));
    CHECK(!(with_one_label(a, 2) == with_one_label(b, 2)));
    CHECK(!(with_one_label(a, 2) == with_one_label(all, 3)));
}

TEST_CASE("rank_groups: a label out of range is rejected with its rank") {
    for (const rank_t wrong : {-2, 2, 1 << 30}) try {
            with_one_label({0, wrong, 1}, 2);
            FAIL("accepted");
        } catch (const bad_argument& error) {
            CHECK(error.error().argument == std::string("label"));
            CHECK(error.error().value == wrong);
            CHECK(error.error().index == 1);
        }
    CHECK_THROWS_AS(with_one_label({0}, 0), bad_argument);
    CHECK(with_one_label({-1, -1}, 0).groups() == 0);
    CHECK(with_one_label({-1, -1}, 0).ranks() == 2);
}
