#include "collsched/tree/transfer_plan.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "support/layouts.hpp"
#include "support/transfer_oracle.hpp"

using namespace collsched;
using trees::transfer_plan;

namespace {

/// Rank 0 to rank 2 by way of rank 1 and back, each link for 10 ps, and from rank 1 through switch 3 to rank 0.
constexpr transfer_plan chain() {
    constexpr transfer_plan::transfer transfers[] = {{0, 0, 0, 1, 0, 1}, {1, 0, 1, 2, 1, 2}, {1, 0, 1, 0, 2, 4},
                                                     {2, 0, 2, 1, 4, 5}, {0, 0, 1, 2, 5, 6}, {2, 0, 1, 0, 6, 8}};
    constexpr transfer_plan::hop hops[] = {{0, 0, 1, 0, 10, 10},  {1, 1, 2, 0, 10, 10}, {2, 1, 3, 0, 10, 10},
                                           {3, 3, 0, 10, 20, 20}, {4, 2, 1, 0, 10, 10}, {1, 1, 2, 10, 20, 20},
                                           {2, 1, 3, 10, 20, 20}, {3, 3, 0, 20, 30, 30}};
    return {.ranks = 3,
            .parts = 1,
            .transfers = owned_array<transfer_plan::transfer>(std::span<const transfer_plan::transfer>(transfers)),
            .hops = owned_array<transfer_plan::hop>(std::span<const transfer_plan::hop>(hops))};
}
static_assert(!chain().check());
static_assert(chain().completion() == 30);
static_assert(!transfer_plan{}.check() && transfer_plan{}.completion() == 0);

/// The error of the chain after a change.
std::string after(auto change) {
    transfer_plan plan = chain();
    change(plan);
    return plan.check().text().c_str();
}

}  // namespace

TEST_CASE("transfer_plan: the path and the chunk of a transfer") {
    const transfer_plan plan = chain();
    CHECK(plan.path(plan.transfers[2]).size() == 2);
    CHECK(plan.path(plan.transfers[2])[1].link == 3);
    CHECK(plan.chunk(plan.transfers[3]) == 2);
    CHECK(after([](transfer_plan&) {}) == "no error");
}

TEST_CASE("transfer_plan: every wrong number is reported with its index") {
    using plan_t = transfer_plan;
    CHECK(after([](plan_t& x) { x.ranks = 0; }) == "ranks: got 0, expected 1 to 2^30");
    CHECK(after([](plan_t& x) { x.ranks = (1 << 30) + 1; }) == "ranks: got 1073741825, expected 1 to 2^30");
    CHECK(after([](plan_t& x) { x.parts = 0; }) == "parts: got 0, expected 1 or more");
    CHECK(after([](plan_t& x) { x.parts = INT64_MAX; }).starts_with("transfers: got 6"));
    CHECK(after([](plan_t& x) { x.ranks = 4; }).starts_with("transfers: got 6"));
    CHECK(after([](plan_t& x) { x.transfers[1].root = 3; }) == "root[1]: got 3, expected 0 to ranks-1");
    CHECK(after([](plan_t& x) { x.transfers[1].part = 1; }) == "part[1]: got 1, expected 0 to parts-1");
    CHECK(after([](plan_t& x) { x.transfers[1].from = -1; }) == "from[1]: got -1, expected 0 to ranks-1");
    CHECK(after([](plan_t& x) { x.transfers[1].to = 3; }) == "to[1]: got 3, expected 0 to ranks-1");
    CHECK(after([](plan_t& x) { x.transfers[1].first_hop = 0; }).starts_with("first_hop[1]: got 0"));
    CHECK(after([](plan_t& x) { x.transfers[1].end_hop = 1; }).starts_with("end_hop[1]: got 1"));
    CHECK(after([](plan_t& x) { x.transfers[5].end_hop = 9; }).starts_with("end_hop[5]: got 9"));
    CHECK(after([](plan_t& x) { x.transfers[5].end_hop = 7; }).starts_with("to[6]: got 3"));
    CHECK(after([](plan_t& x) { x.hops[4].link = -1; }) == "link[4]: got -1, expected 0 or more");
    CHECK(after([](plan_t& x) { x.hops[3].from = 4; }).starts_with("from[3]: got 4"));
    CHECK(after([](plan_t& x) { x.hops[2].to = 2; }).starts_with("to[2]: got 2"));
    CHECK(after([](plan_t& x) { x.hops[3].to = 1; }).starts_with("to[3]: got 1"));
}

TEST_CASE("transfer_plan: every wrong time or order is reported with its index") {
    using plan_t = transfer_plan;
    CHECK(after([](plan_t& x) { x.hops[0].begin = -1; }).starts_with("begin[0]: got -1"));
    CHECK(after([](plan_t& x) { x.hops[3].begin = 9; }).starts_with("begin[3]: got 9, expected the arrival"));
    CHECK(after([](plan_t& x) { x.hops[0].release = 0; }).starts_with("release[0]: got 0"));
    CHECK(after([](plan_t& x) { x.hops[0].arrival = 9; }).starts_with("arrival[0]: got 9"));
    CHECK(after([](plan_t& x) { x.hops[1].release = x.hops[1].arrival = 11; }).starts_with("begin[5]: got 10"));
    CHECK(after([](plan_t& x) { x.hops[4].link = 0; }).starts_with("link[4]: got 0, expected the same ends"));
    CHECK(after([](plan_t& x) { x.hops[0].arrival = 11; }).starts_with("from[4]: got 1, expected a rank that has"));
    CHECK(after([](plan_t& x) { x.transfers[4].root = 1; }).starts_with("to[4]: got 2, expected a rank that lacks"));
    CHECK(after([](plan_t& x) { x.transfers[0].root = 1; }).starts_with("from[0]: got 0, expected a rank that has"));
    CHECK(after([](plan_t& x) { x.transfers[1].root = 2; }).starts_with("from[1]: got 1, expected a rank that has"));
}

TEST_CASE("transfer_plan: a plan with a random number in it is rejected, or a right one") {
    support::random_source random(5);
    int accepted = 0;
    const trees::matching_parameters how{.bytes = 1000, .parts = 2};
    const topology::network net = topology::networks::ring(4, {.bandwidth = 1'000'000'000});
    const transfer_plan right = trees::match_chunks(net, how).plan;
    REQUIRE(!right.check());
    for (int i = 0; i < 5000; ++i) {
        transfer_plan plan = right;
        constexpr std::int64_t extremes[] = {INT64_MIN, INT64_MAX, -1, 1 << 20};
        const std::int64_t number = random.below(4) == 0 ? extremes[random.below(4)] : random.below(24);
        transfer_plan::transfer& one = plan.transfers[random.below(plan.transfers.size())];
        transfer_plan::hop& hop = plan.hops[random.below(plan.hops.size())];
        std::int64_t* const fields[] = {&one.root,   &one.part, &one.from, &one.to,   &one.first_hop, &one.end_hop,
                                        &plan.ranks, &hop.from, &hop.to,   &hop.link, &plan.parts};
        *fields[random.below(11)] = number;
        if (plan.check()) continue;
        ++accepted;
        // Links that are not of the network are all that the plan itself does not show.
        if (plan != right) CHECK(support::transfer_oracle::first_fault(net, plan, how) != "duration");
    }
    CHECK((accepted > 0 && accepted < 2500));
}
