#include "collsched/collective/barrier/over_tree.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <utility>

#include "collsched/core/bits.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/tree.hpp"
#include "collsched/verify/verify.hpp"
#include "support/barriers.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <class Tree, rank_t... I>
constexpr bool proved_up_to(std::integer_sequence<rank_t, I...>) {
    return (proved<verify(barrier::over_tree<Tree>{.ranks = I + 1, .root = I / 2})> && ...);
}

template <class Tree>
void check_over(const Tree& tree, rank_t p, rank_t root) {
    const barrier::over_tree<Tree> b{.ranks = p, .root = root, .tree = tree};
    INFO(Tree::name, " p=", p, " root=", root);
    REQUIRE(support::verified(b).ok());
    const metrics_report m = support::measured(b);
    CHECK(m.rounds == 2 * tree.steps(p));
    CHECK(m.signals == 2 * (p - 1));
    CHECK(m.max_in_degree <= 1);
    CHECK(m.max_out_degree <= 1);
}

}  // namespace

static_assert(support::has_parameters<barrier::over_tree<trees::binomial>>());
static_assert(derived_algorithm<barrier::over_tree<trees::binomial>>);
static_assert(proved_up_to<trees::binomial>(std::make_integer_sequence<rank_t, 33>{}));
static_assert(proved_up_to<trees::k_nomial>(std::make_integer_sequence<rank_t, 33>{}));

TEST_CASE(
    "barrier::over_tree: every rank is reached up and down any tree, for any root, one signal per rank and round") {
    for (rank_t p = 1; p <= support::most(300); p += p < 64 ? 1 : 59)
        for (const rank_t root : {rank_t{0}, p / 2, p - 1}) {
            check_over(trees::binomial{}, p, root);
            check_over(trees::chain{}, p, root);
            check_over(trees::k_ary{}, p, root);
            for (const rank_t radix : {2, 3, 5}) check_over(trees::k_nomial{radix}, p, root);
        }
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root) {
            const barrier::over_tree<trees::k_nomial> b{.ranks = p, .root = root, .tree = {3}};
            CHECK(support::all_ranks_reached(materialize(b)));
            if (p <= 10) support::check_every_signal_counts(b);
        }
}

TEST_CASE(
    "barrier::over_tree: 2 ceil(log2 p) rounds for binomial trees, at most 2 (k-1) ceil(log_k p) for k-nomial ones") {
    for (rank_t p = 1; p <= support::most(200); ++p) {
        CHECK(support::measured(barrier::over_tree<trees::binomial>{.ranks = p}).rounds == 2 * ceil_log2(p));
        for (const rank_t radix : {2, 3, 4}) {
            const barrier::over_tree<trees::k_nomial> b{.ranks = p, .tree = {radix}};
            CHECK(support::measured(b).rounds <= 2 * (radix - 1) * ceil_log(radix, p));
        }
    }
    CHECK(support::measured(barrier::over_tree<trees::k_nomial>{.ranks = 64}).rounds == 2 * 3 * 3);
}

TEST_CASE("barrier::over_tree: the way down is the reverse of the way up") {
    for (rank_t p = 2; p <= support::most(40); ++p) {
        const barrier::over_tree<trees::binomial> b{.ranks = p, .root = p / 3};
        std::map<std::pair<rank_t, rank_t>, step_t> up;
        const step_t steps = lower(b).steps();
        for (const edge& e : edges(b))
            if (e.step < steps / 2) up[{e.src, e.dst}] = e.step;
        CHECK(std::ssize(up) == p - 1);
        for (const edge& e : edges(b))
            if (e.step >= steps / 2) {
                REQUIRE(up.contains({e.dst, e.src}));
                CHECK((up[{e.dst, e.src}] == steps - 1 - e.step));
            }
    }
}

TEST_CASE("barrier::over_tree: its description and its rejected parameters") {
    using binomial = barrier::over_tree<trees::binomial>;
    using k_nomial = barrier::over_tree<trees::k_nomial>;
    CHECK(std::string(binomial::info.name) == "binomial");
    CHECK(std::string(binomial::info.rounds) == "2 (ceil(log2 p))");
    CHECK(std::string(k_nomial::info.name) == "k-nomial");
    CHECK(std::string(k_nomial::info.rounds) == "2 (at most (k-1) ceil(log_k p))");
    CHECK(std::string(check(binomial{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(binomial{.ranks = 3, .root = 3}).argument) == "root");
    CHECK(std::string(check(k_nomial{.ranks = 3, .tree = {1}}).argument) == "radix");
    CHECK(fingerprint(binomial{.ranks = 5}) != fingerprint(binomial{.ranks = 5, .root = 1}));
    CHECK(fingerprint(k_nomial{.ranks = 5, .tree = {2}}) != fingerprint(k_nomial{.ranks = 5, .tree = {3}}));
}
