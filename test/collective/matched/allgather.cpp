#include "collsched/collective/matched.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collsched/execute/inline.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/verify/verify.hpp"
#include "support/busy_steps.hpp"
#include "support/layouts.hpp"
#include "support/matched_networks.hpp"
#include "support/parameters.hpp"
#include "support/real_bytes.hpp"
#include "support/transfer_oracle.hpp"
#include "support/verified.hpp"

using namespace collsched;
using allgather::matched;

static_assert(support::has_parameters<matched>());
static_assert(derived_algorithm<matched>);
static_assert(proved<verify(matched{.ranks = 3, .block = 7, .transfers = support::matched_ring(3, 2)})>);
static_assert(proved<verify(matched{.ranks = 4, .block = 12, .element = 4, .transfers = support::matched_ring(4, 1)},
                            binding::in_place)>);
static_assert(proved<verify(matched{.block = 5})>);

TEST_CASE(
    "allgather::matched: verified on networks with and without switches, for every layout, separate and in place") {
    support::verify_on_networks<matched>(support::matched_on);
}

TEST_CASE("allgather::matched: verified on rings of up to 30 ranks, with fewer elements than parts and with more") {
    for (rank_t p = 1; p <= 30; ++p)
        for (const bytes_t n : {1, 2, 13}) {
            INFO(p, " ", n);
            const trees::planned_transfers transfers =
                p == 1 ? trees::planned_transfers() : support::matched_ring(p, 3);
            const matched x{.ranks = p, .block = 4 * n, .element = 4, .window = 2, .transfers = transfers};
            CHECK(support::verified(x).ok());
            const metrics_report m = support::measured(x);
            for (rank_t r = 0; r < p; ++r) CHECK(m.bytes_received[r] == 4 * n * (p - 1));
            bool whole = true;
            for (const edge& e : edges(x)) whole = whole && e.size % 4 == 0;
            CHECK(whole);
        }
}

TEST_CASE(
    "allgather::matched: a link of a network without switches carries one part per step, in the order of the plan") {
    for (const auto& [name, net] : support::transfer_oracle::some_networks()) {
        if (net.switches() > 0 || net.ranks() < 2) continue;
        INFO(name);
        const trees::planned_transfers transfers = support::matched_on(net, 2);
        std::map<std::pair<rank_t, rank_t>, std::vector<std::pair<bytes_t, bytes_t>>> planned, sent;
        for (const trees::transfer_plan::transfer& one : transfers.value().transfers)
            planned[{one.from, one.to}].emplace_back(one.root * 10 + one.part * 5, 5);
        std::set<std::pair<step_t, std::pair<rank_t, rank_t>>> used;
        std::map<step_t, std::vector<edge>> by_step;
        for (const edge& e : edges(matched{.ranks = net.ranks(), .block = 10, .transfers = transfers}))
            if (!e.is_local()) by_step[e.step].push_back(e);
        for (const auto& [step, messages] : by_step)
            for (const edge& e : messages) {
                CHECK(used.insert({step, {e.src, e.dst}}).second);
                sent[{e.src, e.dst}].emplace_back(e.into_offset, e.size);
            }
        CHECK(sent == planned);
    }
}

TEST_CASE("allgather::matched: a mesh takes as many steps as a corner has chunks per link") {
    const rank_t sizes[] = {5, 5};
    const topology::network mesh = topology::networks::mesh(sizes, {.bandwidth = 1'000'000'000});
    for (std::int64_t parts = 1; parts <= 3; ++parts)
        CHECK(lower(matched{.ranks = 25, .block = 60, .transfers = support::matched_on(mesh, parts)}).steps() ==
              12 * parts);
}

TEST_CASE("allgather::matched: steps of a rank are within its busy steps") {
    for (rank_t p = 2; p <= 9; ++p)
        for (const auto& [name, blocks] : support::layouts(p, 40)) {
            INFO(p, " ", name);
            const auto s = lower(matched{.ranks = p, .block = blocks, .transfers = support::matched_ring(p, 2)});
            for (rank_t r = 0; r < p; ++r) {
                const step_range used = support::used_steps(s, r), busy = s.busy(r).hull();
                if (!used.empty()) CHECK((busy.first <= used.first && used.last <= busy.last));
                CHECK(busy.last < s.steps());
            }
        }
}

TEST_CASE("allgather::matched: right with real bytes") {
    for (const rank_t p : {2, 5, 9})
        for (const step_t window : {0, 1, 3})
            for (const binding how : {binding::separate, binding::in_place}) {
                const matched x{
                    .ranks = p, .block = 36, .element = 4, .window = window, .transfers = support::matched_ring(p, 2)};
                const auto [bytes, memory] = support::filled(lower(x).contract(), how);
                REQUIRE(run_inline(x, memory, how).done());
                for (auto& b : bytes) REQUIRE(b.wrong() == "");
            }
}

TEST_CASE("allgather::matched: wrong transfers are rejected, and other transfers are another schedule") {
    const auto wrong = [](const matched& x) { return std::string(check(x).text().c_str()); };
    const matched x{.ranks = 5, .block = 9, .transfers = support::matched_ring(5, 1)};
    CHECK(wrong(x) == "no error");
    matched y = x;
    CHECK(fingerprint(x) == fingerprint(y));
    y.transfers = support::matched_ring(5, 2);
    CHECK(fingerprint(x) != fingerprint(y));
    CHECK(fingerprint(x.view()) != fingerprint(y.view()));
    CHECK(!(x == y));
    y.ranks = 4;
    CHECK(wrong(y) == "ranks: got 4, expected as many ranks as the transfers have");
    trees::transfer_plan late = x.transfers.value();
    late.hops[0].begin = -1;
    y = x;
    y.transfers = late;
    CHECK(wrong(y).starts_with("begin[0]: got -1"));
    y = x;
    y.window = -1;
    CHECK(wrong(y).starts_with("window: got -1"));
}
