#include "collsched/collective/allreduce/folded.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"

using namespace collsched;
using allreduce::detail::exchange;
using allreduce::detail::fold_groups;
using allreduce::folded;

namespace {

template <std::int64_t Radix>
constexpr auto by = [](rank_t p, bytes_t bytes, bytes_t element) {
    return folded<exchange>{.ranks = p, .bytes = bytes, .element = element, .of = {.radix = Radix}};
};

/// The groups of p ranks around n hosts, rank by rank: as long as there are guests, k-1 of them, or the rest, follow a
/// host.
std::vector<rank_t> expected_groups(rank_t p, rank_t n, std::int64_t k) {
    std::vector<rank_t> group;
    rank_t guests = p - n;
    for (rank_t g = 0; g < n; ++g) {
        const rank_t own = std::min(guests, k - 1);
        group.insert(group.end(), static_cast<std::size_t>(own + 1), g);
        guests -= own;
    }
    return group;
}

}  // namespace

static_assert(support::has_parameters<allreduce::folded<allreduce::detail::exchange>>({{"radix", 2}}));
static_assert(support::allreduce_proved_up_to<by<2>, 7> && support::allreduce_proved_up_to<by<3>, 7>);
static_assert(grouping_of_ranks<fold_groups>);

TEST_CASE("allreduce::folded: the first groups have k neighbors, one has fewer, and the other ranks are alone") {
    for (rank_t p = 1; p <= support::most(60); ++p)
        for (std::int64_t k = 2; k <= 16; ++k)
            for (rank_t n = 1; n <= p; ++n) {
                if (n * k < p) continue;  // more guests than there is room for
                const fold_groups groups{p, n, k};
                const std::vector<rank_t> expected = expected_groups(p, n, k);
                REQUIRE(expected.size() == static_cast<std::size_t>(p));
                bool right = groups.ranks() == p && groups.groups() == n;
                std::vector<rank_t> sizes(static_cast<std::size_t>(n));
                for (rank_t r = 0; r < p; ++r) {
                    const rank_t g = expected[static_cast<std::size_t>(r)], i = sizes[static_cast<std::size_t>(g)]++;
                    right = right && groups.group(r) == g && groups.index(r) == i && groups.member(g, i) == r;
                }
                std::vector<bool> shown(static_cast<std::size_t>(k) + 1), there(shown);
                groups.kinds([&](rank_t g) { shown[static_cast<std::size_t>(groups.size(g))] = true; });
                for (rank_t g = 0; g < n; ++g) {
                    const rank_t size = sizes[static_cast<std::size_t>(g)];
                    right = right && groups.size(g) == size;
                    there[static_cast<std::size_t>(size)] = true;
                }
                CHECK_MESSAGE(right, "p=", p, " k=", k, " n=", n);
                CHECK_MESSAGE(shown == there, "p=", p, " k=", k, " n=", n);
            }
}

TEST_CASE("allreduce::folded: correct for every number of ranks, operands in order, with the same bits on all ranks") {
    CHECK(support::check_allreduce(by<2>, true, 40) == 40);
    CHECK(support::check_allreduce(by<3>, true, 64) == 64);
    CHECK(support::check_allreduce(by<6>, true, 40) == 40);
}

TEST_CASE("allreduce::folded: a host has scratch for its inner part, a guest for the message that it brings") {
    for (rank_t p = 1; p <= support::most(40); ++p) {
        const auto x = lower(by<3>(p, 24, 8));
        const rank_t n = exchange::power_up_to(p, 3);
        const std::vector<rank_t> group = expected_groups(p, n, exchange::base(p, 3));
        for (rank_t r = 0; r < p; ++r) {
            const auto at = static_cast<std::size_t>(r);
            const bool guest = r > 0 && group[at] == group[at - 1];
            CHECK(x.scratch(r) == (guest ? 24 : n > 2 ? 3 * 24 : 0));
        }
    }
}

TEST_CASE("allreduce::folded: wrong parameters are reported") {
    CHECK(check(folded<exchange>{.ranks = 0, .bytes = 8}).argument == std::string("ranks"));
    CHECK(check(folded<exchange>{.ranks = 3, .bytes = -1}).argument == std::string("bytes"));
    CHECK(check(folded<exchange>{.ranks = 3, .bytes = 7, .element = 2}).argument == std::string("element"));
    CHECK(check(folded<exchange>{.ranks = 3, .bytes = 8, .of = {.radix = 1}}).argument == std::string("radix"));
}
