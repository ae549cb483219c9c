#include "collsched/collective/allreduce/by_reversal.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/linear.hpp"
#include "collsched/collective/allgather/neighbor_exchange.hpp"
#include "collsched/collective/allgather/pat.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/tree/chain.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allreduce::by_reversal;
using broadcast::over_tree;

static_assert(support::has_parameters<allreduce::by_reversal<allgather::circulant>>());
static_assert(support::allreduce_proved_up_to<support::of_bytes<by_reversal<allgather::sparbit>>, 9>);
static_assert(support::allreduce_proved_up_to<support::of_bytes<by_reversal<over_tree<trees::flat>>>, 9>);
static_assert(support::allreduce_proved_up_to<support::of_bytes<by_reversal<over_tree<trees::chain>>>, 9>);
static_assert(derived_algorithm<by_reversal<allgather::sparbit>>);

namespace {

struct there_and_back {
    static constexpr const char* name = "there-and-back";
    static constexpr const char* rounds = "some";
    static constexpr const char* source = "a test";
};

/// Checks that `both` has twice the rounds, messages and bytes of x on every rank.
template <class X>
void check_twice(const by_reversal<X>& both, const X& x) {
    const metrics_report m = support::measured(both), one = support::measured(x);
    CHECK(m.rounds == 2 * one.rounds);
    CHECK(m.messages == 2 * one.messages);
    for (rank_t r = 0; r < m.ranks; ++r) {
        CHECK(m.bytes_sent[r] == one.bytes_sent[r] + one.bytes_received[r]);
        CHECK(m.bytes_received[r] == m.bytes_sent[r]);
        CHECK(m.scratch[r] == one.scratch[r]);
    }
}

}  // namespace

TEST_CASE("allreduce::by_reversal: correct over allgathers and broadcasts of all kinds") {
    CHECK(support::check_allreduce(support::of_bytes<by_reversal<allgather::sparbit>>, false, 40) == 40);
    CHECK(support::check_allreduce(support::of_bytes<by_reversal<allgather::linear>>, false, 20) == 20);
    CHECK(support::check_allreduce(support::of_bytes<by_reversal<allgather::neighbor_exchange>>, false, 40) == 40);
    CHECK(support::check_allreduce(support::of_bytes<by_reversal<over_tree<trees::flat>>>, false, 40) == 40);
    CHECK(support::check_allreduce(support::of_bytes<by_reversal<over_tree<trees::chain>>>, true, 40) == 40);
    support::check_sums(support::of_bytes<by_reversal<allgather::linear>>);
    support::check_sums(support::of_bytes<by_reversal<over_tree<trees::flat>>>);
}

TEST_CASE("allreduce::by_reversal: rounds, messages and bytes are twice those of the inner algorithm") {
    for (rank_t p = 1; p <= support::most(64); ++p) {
        CAPTURE(p);
        check_twice({.ranks = p, .bytes = 8 * p}, allgather::sparbit{.ranks = p, .block = 8});
        check_twice({.ranks = p, .bytes = 3 * p}, allgather::linear{.ranks = p, .block = 3});
        check_twice({.ranks = p, .bytes = 64, .of = {.segment = 5}},
                    over_tree<trees::chain>{.ranks = p, .bytes = 64, .segment = 5});
    }
}

TEST_CASE("allreduce::by_reversal: its parameters are those of the message and the others of the inner algorithm") {
    std::string names;
    const by_reversal<over_tree<trees::chain>> x{.of = {.segment = 7}};
    by_reversal<over_tree<trees::chain>>::parameters(
        x, [&](const char* name, const auto&) { names += name, names += ' '; });
    CHECK(names == "ranks bytes element segment radix ");
    CHECK(by_reversal<allgather::linear, there_and_back>::info.name == std::string("there-and-back"));
    CHECK(by_reversal<allgather::linear, there_and_back>::info.source == std::string("a test"));
    CHECK(by_reversal<allgather::linear>::info.name == std::string("linear"));
    CHECK(by_reversal<allgather::linear>::info.collective == collective::allreduce);
    CHECK(fingerprint(x) != fingerprint(by_reversal<over_tree<trees::chain>>{.of = {.segment = 8}}));
}

TEST_CASE("allreduce::by_reversal: irreversible algorithms and wrong parameters are reported") {
    CHECK(check(by_reversal<allgather::bruck>{.ranks = 4, .bytes = 8}).argument == std::string("scratch"));
    CHECK(check(by_reversal<allgather::linear>{.ranks = 0, .bytes = 8}).argument == std::string("ranks"));
    CHECK(check(by_reversal<allgather::linear>{.ranks = 3, .bytes = -8}).argument == std::string("bytes"));
    CHECK(check(by_reversal<allgather::linear>{.ranks = 3, .bytes = 8, .element = 3}).argument ==
          std::string("element"));
    CHECK(check(by_reversal<over_tree<trees::flat>>{.ranks = 3, .bytes = 8, .element = 0}).argument ==
          std::string("element"));
    CHECK(check(by_reversal<over_tree<trees::flat>>{.ranks = 3, .bytes = 8, .of = {.segment = -1}}).argument ==
          std::string("segment"));
}
