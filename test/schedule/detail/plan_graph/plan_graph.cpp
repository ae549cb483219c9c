#include "collsched/schedule/detail/plan_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/execute/plan.hpp"
#include "support/followers.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

using kind = detail::plan_graph::kind;

bytes_t size_of(const detail::plan_graph::node& n, const plan& own) {
    const std::span<const detail::memory_range> all = n.kind == kind::send ? own.sent() : own.received();
    bytes_t sum = 0;
    for (std::int64_t i = 0; i < n.parts; ++i) sum += all[static_cast<std::size_t>(n.first_part + i)].size;
    return sum;
}

}  // namespace

TEST_CASE("plan_graph: messages of a pair and direction are numbered from 0 in program order") {
    for (rank_t p = 2; p <= 9; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            for (rank_t r = 0; r < p; ++r) {
                const plan own(s, r);
                std::map<std::pair<rank_t, rank_t>, std::int64_t> numbers;
                for (const plan::node& n : own.nodes())
                    if (n.is_message()) {
                        const edge& e = own.edge_of(n);
                        CHECK(n.sequence == numbers[{e.src, e.dst}]++);
                    }
            }
        }
}

TEST_CASE("plan_graph: a send starts after the receives of earlier steps into the bytes that it reads") {
    for (const rank_t p : {2, 5, 8})
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            const plan own(s, p - 1);
            const auto nodes = own.nodes();
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if (nodes[i].kind != kind::receive) continue;
                const std::set<std::int64_t> after = support::followers(own, static_cast<std::int64_t>(i));
                const edge& in = own.edge_of(nodes[i]);
                for (std::size_t j = 0; j < nodes.size(); ++j) {
                    if (nodes[j].kind != kind::send) continue;
                    const edge& out = own.edge_of(nodes[j]);
                    const bool overlap = in.into == out.from && in.into_offset < out.from_offset + out.size &&
                                         out.from_offset < in.into_offset + in.size;
                    if (in.step < out.step && overlap) CHECK(after.contains(static_cast<std::int64_t>(j)));
                }
            }
        }
}

TEST_CASE("plan_graph: the edges of one step and pair are one message, with the same number and bytes at both ends") {
    for (rank_t p = 2; p <= 9; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            using message = std::tuple<rank_t, rank_t, step_t>;
            std::map<message, bytes_t> expected;
            std::map<message, std::pair<std::int64_t, bytes_t>> sent, received;
            for (rank_t r = 0; r < p; ++r) {
                const plan own(s, r);
                for (const edge& e : own.edges())
                    if (e.src == r && !e.is_local()) expected[{e.src, e.dst, e.step}] += e.size;
                for (const plan::node& n : own.nodes()) {
                    if (!n.is_message()) continue;
                    const edge& e = own.edge_of(n);
                    auto& side = n.kind == kind::send ? sent : received;
                    CHECK(side.emplace(message{e.src, e.dst, e.step}, std::pair{n.sequence, size_of(n, own)}).second);
                }
            }
            CHECK(sent == received);
            REQUIRE(sent.size() == expected.size());
            for (const auto& [which, bytes] : expected) CHECK(sent[which].second == bytes);
        }
}

TEST_CASE("plan_graph: a folded combination has its operands the other way round") {
    plan::node node{.kind = kind::apply};
    for (const action what : {action::copy, action::combine_before, action::combine_after}) {
        const edge e{.action = what};
        node.operand.where = detail::memory_area::staging;
        CHECK_FALSE(node.is_folded());
        CHECK(node.action_of(e) == what);
        node.operand.where = detail::memory_area::input;
        CHECK(node.is_folded());
        if (what == action::copy) continue;
        CHECK(node.action_of(e) == (what == action::combine_before ? action::combine_after : action::combine_before));
    }
    for (const auto other : {kind::send, kind::receive, kind::local, kind::join}) {
        node.kind = other;
        CHECK_FALSE(node.is_folded());
        CHECK(node.is_message() == (other == kind::send || other == kind::receive));
    }
}

TEST_CASE(
    "plan_graph: a receive and its combination are fused if the message has one range, and no other reads the target") {
    int fused = 0, apart = 0;
    for (const rank_t p : {4})
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            const plan own(s, p / 2);
            const auto nodes = own.nodes();
            std::vector<std::set<std::size_t>> before(nodes.size());
            for (std::size_t i = 0; i < nodes.size(); ++i)
                for (const std::int64_t next : own.successors(static_cast<std::int64_t>(i)))
                    before[static_cast<std::size_t>(next)].insert(i);
            std::set<std::size_t> partners;
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                if (nodes[i].kind != kind::apply) continue;
                const edge& e = own.edge_of(nodes[i]);
                std::size_t message = nodes.size(), combined = 0;
                bool read = false;
                for (const std::size_t earlier : before[i])
                    if (nodes[earlier].kind == kind::receive && own.edge_of(nodes[earlier]).step == e.step &&
                        own.edge_of(nodes[earlier]).src == e.src)
                        message = earlier;
                REQUIRE(message < nodes.size());
                for (const edge& other : own.edges())
                    combined += other.step == e.step && other.src == e.src && other.dst == e.dst ? 1 : 0;
                for (const std::size_t at : {i, message})
                    for (const std::size_t earlier : before[at])
                        read = read || (nodes[earlier].edge >= 0 && own.edge_of(nodes[earlier]).step == e.step &&
                                        own.edge_of(nodes[earlier]).src == own.rank());
                const bool expected = combined == 1 && !read;
                CHECK(nodes[i].fused_with == (expected ? static_cast<std::int64_t>(message) : -1));
                CHECK(nodes[message].fused_with == (expected ? static_cast<std::int64_t>(i) : -1));
                if (expected) partners.insert({i, message});
                ++(expected ? fused : apart);
            }
            for (std::size_t i = 0; i < nodes.size(); ++i)
                if (!partners.contains(i)) CHECK(nodes[i].fused_with == -1);
        }
    CHECK(fused > 0);
    CHECK(apart > 0);
}

TEST_CASE("plan_graph: neighboring ranges are one part, others are not, and a signal has none") {
    // Round 3 of Bruck on 7 ranks sends blocks that are adjacent in scratch; in place they wrap around.
    const plan bruck(allgather::bruck{.ranks = 7, .block = 4}, 3);
    for (const plan::node& n : bruck.nodes())
        if (n.kind == kind::send) CHECK(n.parts == 1);
    const std::vector<bytes_t> counts{4, 4, 4, 4}, displs{0, 5, 10, 15};
    const plan apart(allgather::recursive_doubling{.ranks = 4, .block = block_layout(counts, displs)}, 0);
    std::vector<std::int64_t> parts;
    for (const plan::node& n : apart.nodes())
        if (n.kind == kind::receive) parts.push_back(n.parts);
    CHECK(parts == std::vector<std::int64_t>{1, 2});
    const plan signals(barrier::dissemination{.ranks = 5}, 0);
    for (const plan::node& n : signals.nodes())
        if (n.is_message()) CHECK(n.parts == 0);
}

TEST_CASE("plan_graph: members of one kind of node are at their defaults in the others") {
    for (const rank_t p : {2, 5})
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            for (rank_t r = 0; r < p; ++r) {
                const plan own(s, r);
                for (const plan::node& n : own.nodes()) {
                    CHECK((n.edge < 0) == (n.kind == kind::join));
                    if (n.kind == kind::join) CHECK(n.edge == -1);
                    if (n.kind != kind::apply) CHECK(n.operand.size == 0);
                    CHECK(n.is_folded() == (n.kind == kind::apply && n.operand.where == detail::memory_area::input));
                    if (n.is_message()) continue;
                    CHECK(n.sequence == 0);
                    CHECK(n.first_part == 0);
                    CHECK(n.parts == 0);
                }
            }
        }
    constexpr detail::plan_graph::node node{};
    static_assert(node.kind == kind::join && node.edge == -1 && node.operand.size == 0 && node.waits_for == 0);
    static_assert(node.sequence == 0 && node.first_part == 0 && node.parts == 0 && node.fused_with == -1);
    CHECK(detail::plan_graph{}.staging == 0);
    constexpr detail::memory_range range{};
    static_assert(range.where == detail::memory_area::input && range.offset == 0 && range.size == 0);
}

TEST_CASE("plan_graph: incoming combines of a step wait side by side in staging, where their messages bring them") {
    for (const rank_t p : {2, 5})
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            for (rank_t r = 0; r < p; ++r) {
                const plan own(s, r);
                std::map<step_t, bytes_t> staged;  // the end of the operands of a step so far
                std::map<step_t, std::set<bytes_t>> brought, kept;
                for (const plan::node& n : own.nodes()) {
                    if (n.kind == kind::apply && !n.is_folded()) {
                        const edge& e = own.edge_of(n);
                        CHECK(e.combines());
                        bytes_t& next = staged.try_emplace(e.step, n.operand.offset).first->second;
                        CHECK(n.operand.offset == std::exchange(next, next + e.size));
                        for (bytes_t i = 0; i < e.size; ++i) kept[e.step].insert(n.operand.offset + i);
                    }
                    if (n.kind != kind::receive) continue;
                    for (std::int64_t i = 0; i < n.parts; ++i) {
                        const detail::memory_range& range = own.received()[static_cast<std::size_t>(n.first_part + i)];
                        if (range.where != detail::memory_area::staging) continue;
                        for (bytes_t b = 0; b < range.size; ++b)
                            CHECK(brought[own.edge_of(n).step].insert(range.offset + b).second);
                    }
                }
                CHECK(brought == kept);
                bytes_t room = 0;
                for (const auto& [step, bytes] : staged) room = std::max(room, bytes);
                CHECK(own.staging_bytes() >= room);
            }
        }
}

TEST_CASE("plan_graph: no node waits twice for the same node, nor for itself, and all can start in some order") {
    for (const rank_t p : {1, 2, 5, 8})
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            for (rank_t r = 0; r < p; ++r) {
                const plan own(s, r);
                std::vector<std::int64_t> left, ready;
                for (const plan::node& n : own.nodes()) left.push_back(n.waits_for);
                for (std::size_t i = 0; i < left.size(); ++i)
                    if (left[i] == 0) ready.push_back(static_cast<std::int64_t>(i));
                std::size_t done = 0;
                for (; done < ready.size(); ++done) {
                    std::set<std::int64_t> after;
                    for (const std::int64_t next : own.successors(ready[done])) {
                        CHECK(next != ready[done]);
                        CHECK(after.insert(next).second);
                        if (--left[static_cast<std::size_t>(next)] == 0) ready.push_back(next);
                    }
                }
                CHECK(done == left.size());
            }
        }
}
