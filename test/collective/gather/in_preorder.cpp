#include "collsched/collective/gather/in_preorder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "collsched/combine/reverse.hpp"
#include "collsched/tree.hpp"
#include "collsched/verify/verify.hpp"
#include "support/layouts.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(proved<verify(gather::over_tree<trees::k_ary>{.ranks = 6, .root = 2, .block = 3})>);
static_assert(proved<verify(reversed<gather::over_tree<trees::binomial_doubling>>{.ranks = 6, .block = 3})>);

TEST_CASE("gather::over_tree: trees whose subtrees are not contiguous gather and scatter too") {
    for (rank_t p = 1; p <= 24; ++p)
        for (const auto& [name, layout] : support::layouts(p))
            for (const rank_t root : {rank_t{0}, p / 2, p - 1}) {
                INFO(p, " ", name, " ", root);
                const auto right = [&](auto g) {
                    CHECK(support::verified(g).ok());
                    CHECK(support::verified(g, binding::in_place).ok());
                    CHECK(support::verified(reverse_of(g)).ok());
                };
                right(gather::over_tree<trees::k_ary, gather::root_receive::chained>{
                    .ranks = p, .root = root, .block = layout, .tree = {.radix = 3}});
                right(gather::over_tree<trees::binomial_doubling, gather::root_receive::instant>{
                    .ranks = p, .root = root, .block = layout});
                right(gather::over_tree<trees::planned_tree>{
                    .ranks = p, .root = root, .block = layout, .tree = planned(trees::double_binary{}, p)});
            }
}

TEST_CASE("gather::over_tree: a contiguous tree gathers alike by its preorder") {
    for (const rank_t p : {1, 2, 7, 12}) {
        const gather::over_tree<trees::planned_tree> numbered{
            .ranks = p, .root = p / 2, .block = 3, .tree = planned(trees::binomial{}, p)};
        const gather::over_tree<trees::binomial> closed{.ranks = p, .root = p / 2, .block = 3};
        const metrics_report a = support::measured(numbered), b = support::measured(closed);
        CHECK(a.rounds == b.rounds);
        CHECK(a.messages == b.messages);
        CHECK(std::equal(a.bytes_sent.begin(), a.bytes_sent.end(), b.bytes_sent.begin()));
        for (rank_t r = 0; r < p; ++r) CHECK(lower(numbered).scratch(r) == lower(closed).scratch(r));
    }
    CHECK(std::string(check(gather::over_tree<trees::k_ary>{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(gather::over_tree<trees::k_ary>{.ranks = 3, .root = 3}).argument) == "root");
    CHECK(std::string(check(gather::over_tree<trees::k_ary>{.ranks = 3, .tree = {.radix = 0}}).argument) == "radix");
    CHECK(check(gather::over_tree<trees::k_ary>{.ranks = 3, .block = -1}).value == -1);
    CHECK(!gather::over_tree<trees::k_ary>{.ranks = rank_t{1} << 24}.check());
    CHECK(check(gather::over_tree<trees::k_ary>{.ranks = (rank_t{1} << 24) + 1}).expected ==
          std::string("2^24 or less, as the tree is stored"));
    CHECK(check(gather::over_tree<trees::k_ary>{.ranks = rank_t{1} << 62}).value == rank_t{1} << 62);
}
