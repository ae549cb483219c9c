#include "collsched/execute/detail/prepared_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "support/brief.hpp"
#include "support/samples.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

bool is_receive(const plan& p, std::int64_t i) {
    return p.nodes()[static_cast<std::size_t>(i)].kind == plan::kind::receive;
}

/// Whether the order has each node once, after all that it waits for, and no receive before a send that could be done.
bool is_right(const plan& p, const owned_array<std::int64_t>& order) {
    std::vector<std::int64_t> left;
    for (const plan::node& n : p.nodes()) left.push_back(n.waits_for);
    std::vector<bool> done(left.size());
    for (const std::int64_t i : order) {
        const auto at = static_cast<std::size_t>(i);
        if (done[at] || left[at] != 0) return false;
        for (std::size_t k = 0; is_receive(p, i) && k < left.size(); ++k)
            if (!done[k] && left[k] == 0 && p.nodes()[k].kind == plan::kind::send) return false;
        done[at] = true;
        for (const std::int64_t next : p.successors(i)) --left[static_cast<std::size_t>(next)];
    }
    return order.size() == std::ssize(p.nodes());
}

}  // namespace

TEST_CASE("prepared_order: every algorithm has one, in which its ranks never wait for each other") {
    for (rank_t p = 1; p <= (support::brief() ? 6 : 9); ++p)
        for (const support::sample& one : support::samples(p)) {
            INFO(one.name);
            std::vector<plan> plans;
            std::vector<owned_array<std::int64_t>> orders;
            for (rank_t r = 0; r < p; ++r) {
                plans.emplace_back(one.schedule, r);
                orders.push_back(prepared_order(plans.back(), plan_operations(plans.back(), false)));
                REQUIRE(is_right(plans.back(), orders.back()));
            }
            // Each rank does its operations one by one, and waits for messages that have not been sent.
            std::vector<std::int64_t> at(static_cast<std::size_t>(p));
            std::vector<std::vector<std::int64_t>> sent(static_cast<std::size_t>(p * p)), received = sent;
            const auto step = [&](rank_t r) {
                const auto own = static_cast<std::size_t>(r);
                if (at[own] == orders[own].size()) return false;
                const plan::node& n = plans[own].nodes()[static_cast<std::size_t>(orders[own][at[own]])];
                if (n.is_message()) {
                    const rank_t peer = plans[own].peer_of(n);
                    if (n.kind == plan::kind::send) {
                        sent[static_cast<std::size_t>(r * p + peer)].push_back(n.sequence);
                    } else {
                        const std::vector<std::int64_t>& from = sent[static_cast<std::size_t>(peer * p + r)];
                        if (std::find(from.begin(), from.end(), n.sequence) == from.end()) return false;
                    }
                }
                ++at[own];
                return true;
            };
            for (bool moves = true; moves;) {
                moves = false;
                for (rank_t r = p; r-- > 0;)
                    while (step(r)) moves = true;
            }
            for (rank_t r = 0; r < p; ++r)
                REQUIRE(at[static_cast<std::size_t>(r)] == orders[static_cast<std::size_t>(r)].size());
        }
}

TEST_CASE("are_buffered: all messages are short, and few to each rank") {
    const plan ring(allgather::ring{.ranks = 4, .block = 10}, 0), linear(alltoall::linear{.ranks = 9, .block = 10}, 0);
    CHECK(are_buffered(ring, {10, 3}));
    CHECK(!are_buffered(ring, {9, 3}));
    CHECK(!are_buffered(ring, {10, 2}));
    CHECK(are_buffered(linear, {10, 1}));
    CHECK(are_buffered(plan{}, {0, 0}));
}
