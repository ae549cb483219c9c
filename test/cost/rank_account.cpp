#include "collsched/cost/rank_account.hpp"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/gather/root_receive.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/tree/binomial.hpp"
#include "support/layouts.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

using instant = gather::over_tree<trees::binomial, gather::root_receive::instant>;
using chained = gather::over_tree<trees::binomial, gather::root_receive::chained>;

void check_against_edges(const stored_schedule& s, rank_t r, binding how) {
    const metrics_report::rank_account counted = account(s, r, 3, how);
    const detail::buffer_alias alias = s.contract().alias(r, how);
    metrics_report::rank_account wanted;
    std::set<rank_t> peers;
    std::set<std::pair<step_t, rank_t>> received;
    for (const edge& e : s.edges()) {
        if (e.is_local() && e.src == r && !detail::vanishes(alias, e)) {
            ++wanted.copies;
            wanted.copied_bytes += e.size;
        }
        if (e.is_local()) continue;
        if (e.src == r) peers.insert(e.dst);
        if (e.dst != r) continue;
        peers.insert(e.src);
        received.insert({e.step, e.src});
        (e.into == buffer::output ? wanted.direct : wanted.by_scratch) += 1;
    }
    wanted.connections = std::ssize(peers);
    wanted.messages = std::ssize(received);
    wanted.context_memory = 3 * wanted.connections;
    CHECK(counted == wanted);
}

}  // namespace

TEST_CASE("rank account: an account equals a count over the edge list") {
    for (rank_t p = 1; p <= 12; ++p)
        for (const auto& [name, layout] : support::layouts(p))
            for (rank_t r = 0; r < p; ++r)
                for (const binding how : {binding::separate, binding::in_place}) {
                    INFO(name, " ", p, " rank ", r);
                    check_against_edges(materialize(gather::linear{.ranks = p, .root = p / 2, .block = layout}), r,
                                        how);
                    check_against_edges(materialize(instant{.ranks = p, .root = p / 2, .block = layout}), r, how);
                    check_against_edges(materialize(chained{.ranks = p, .root = p / 2, .block = layout}), r, how);
                    check_against_edges(materialize(allgather::bruck{.ranks = p, .block = layout}), r, how);
                }
}

TEST_CASE(
    "rank account: p-1 and ceil(log2 p) connections at the root of a gather, and the memory of 32,768 processes") {
    constexpr double megabyte = 1 << 20;
    const metrics_report::rank_account linear = account(gather::linear{.ranks = 32'768, .block = 8}, 0);
    CHECK(linear.connections == 32'767);
    CHECK(static_cast<double>(linear.context_memory) / megabyte == doctest::Approx(1311.96).epsilon(1e-6));
    CHECK(linear.direct == 32'767);
    const metrics_report::rank_account tree =
        account(chained{.ranks = 32'768, .block = 8}, 0, default_connection_bytes, binding::in_place);
    CHECK(tree == metrics_report::rank_account{15, 15 * 41 * 1024, 15, 15, 0, 0, 0});
    CHECK(static_cast<double>(tree.context_memory) / megabyte == doctest::Approx(0.6006).epsilon(1e-4));
}

TEST_CASE("rank account: the transfers of one rank in one step are one message") {
    const auto received = [](const std::vector<edge>& edges, rank_t rank = 0) {
        const contract contract{.collective = collective::broadcast, .ranks = 3, .bytes = 2};
        return account(support::by_hand(contract, 2, edges), rank);
    };
    const edge first{.step = 0, .src = 1, .dst = 0, .size = 1}, last{.step = 1, .src = 1, .dst = 0, .size = 1},
        other{.step = 0, .src = 2, .dst = 0, .size = 1};
    CHECK(received({}).messages == 0);
    CHECK(received({}).connections == 0);
    CHECK(received({first}).messages == 1);
    CHECK(received({first, first}).messages == 1);
    CHECK(received({first, first, last}).messages == 2);
    CHECK(received({first, other}).messages == 2);
    CHECK(received({first, other, last}).messages == 3);
    CHECK(received({first, other, last}).connections == 2);
    CHECK(received({{.step = 0, .src = 0, .dst = 1, .size = 1}}, 1).messages == 1);
}

TEST_CASE("rank account: sums beyond 64 bits are rejected") {
    CHECK_THROWS_AS(account(gather::linear{.ranks = 4, .block = 1}, 4), bad_argument);
    CHECK_THROWS_AS(account(gather::linear{.ranks = 4, .block = -1}, 0), bad_argument);
    const gather::linear four{.ranks = 4, .block = 1};
    CHECK(account(four, 0, 0) == metrics_report::rank_account{3, 0, 3, 3, 0, 1, 1});
    CHECK(account(four, 0, INT64_MAX / 3).context_memory == INT64_MAX / 3 * 3);
    CHECK_THROWS_WITH(account(four, 0, -1), "connection_bytes: got -1, expected 0 bytes or more, below 2^63 in all");
    CHECK_THROWS_WITH(account(four, 0, INT64_MAX / 3 + 1),
                      "connection_bytes: got 3074457345618258603, expected 0 bytes or more, below 2^63 in all");
    constexpr bytes_t half = bytes_t{1} << 62;
    const edge copy{.size = half};
    const stored_schedule copies =
        support::by_hand({.collective = collective::broadcast, .bytes = half}, 1, {copy, copy});
    CHECK_THROWS_WITH(account(copies, 0), "copies: got 2, expected copies of fewer than 2^63 bytes in all");
}
