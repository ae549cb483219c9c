#include "collsched/execute/flat_plan.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/barrier/dissemination.hpp"

using namespace collsched;

static_assert(std::is_trivially_copyable_v<collsched_plan> && std::is_standard_layout_v<collsched_plan>);
static_assert(std::is_trivially_copyable_v<collsched_node> && std::is_standard_layout_v<collsched_node>);
static_assert(std::has_unique_object_representations_v<collsched_node>);  // no holes between the numbers
static_assert(std::has_unique_object_representations_v<collsched_part>);

namespace {

using order_set = std::set<std::pair<std::int64_t, std::int64_t>>;  // before, after

std::span<const collsched_node> nodes_of(const collsched_plan& p) {
    return {p.nodes, static_cast<std::size_t>(p.nodes_count)};
}

void check_message(const plan& of, const plan::node& n, const collsched_plan& p, const collsched_node& flat) {
    CHECK(flat.peer == of.peer_of(n));
    CHECK(flat.sequence == n.sequence);
    const auto& ranges = n.kind == plan::kind::send ? of.sent() : of.received();
    bytes_t size = 0;
    REQUIRE(flat.parts == n.parts);
    for (std::int64_t k = 0; k < n.parts; ++k) {
        const collsched_part& part = p.parts[flat.first_part + k];
        const detail::memory_range& range = ranges[static_cast<std::size_t>(n.first_part + k)];
        CHECK(part.area == static_cast<std::int64_t>(range.where));
        CHECK(part.offset == range.offset);
        CHECK(part.size == range.size);
        size += range.size;
    }
    CHECK(flat.size == size);
}

void check_work(const plan& of, const plan::node& n, const collsched_node& flat) {
    const edge& e = of.edge_of(n);
    const bool applied = n.kind == plan::kind::apply;
    CHECK(flat.from_area == static_cast<int>(applied ? n.operand.where : detail::area_of(e.from)));
    CHECK(flat.from_offset == (applied ? n.operand.offset : e.from_offset));
    CHECK(flat.into_area == static_cast<int>(e.into));
    CHECK(flat.into_offset == e.into_offset);
    CHECK(flat.size == e.size);
    CHECK(flat.action == static_cast<int>(n.action_of(e)));
}

void check_orders(const plan& of, const collsched_plan& p) {
    order_set wanted, by_predecessor, by_successor;
    for (std::int64_t i = 0; i < p.nodes_count; ++i) {
        for (const std::int64_t next : of.successors(i)) wanted.insert({i, next});
        const collsched_node& n = p.nodes[i];
        CHECK(n.predecessors == of.nodes()[static_cast<std::size_t>(i)].waits_for);
        for (std::int64_t k = 0; k < n.predecessors; ++k)
            by_predecessor.insert({p.predecessors[n.first_predecessor + k], i});
        for (std::int64_t k = 0; k < n.successors; ++k) by_successor.insert({i, p.successors[n.first_successor + k]});
    }
    CHECK(by_predecessor == wanted);
    CHECK(by_successor == wanted);
    CHECK(p.orders_count == static_cast<std::int64_t>(wanted.size()));
}

/// The number of nodes of each kind.
std::map<std::int64_t, int> check_flat(const plan& of) {
    const flat_plan flat(of);
    const collsched_plan p = flat.view();
    std::map<std::int64_t, int> kinds;
    CHECK(p.rank == of.rank());
    CHECK(p.fingerprint == of.fingerprint());
    CHECK(p.input_bytes == of.input_bytes());
    CHECK(p.output_bytes == of.output_bytes());
    CHECK(p.scratch_bytes == of.scratch_bytes());
    CHECK(p.staging_bytes == of.staging_bytes());
    CHECK((p.combines == 1) == of.combines());
    CHECK((p.reorders == 1) == of.reorders());
    REQUIRE(p.nodes_count == std::ssize(of.nodes()));
    for (std::size_t i = 0; i < of.nodes().size(); ++i) {
        const plan::node& n = of.nodes()[i];
        const collsched_node& one = nodes_of(p)[i];
        ++kinds[one.op];
        REQUIRE(one.op == static_cast<std::int64_t>(n.kind));
        if (n.kind != plan::kind::join) CHECK(one.step == of.edge_of(n).step);
        if (n.is_message()) check_message(of, n, p, one);
        else if (n.kind != plan::kind::join) check_work(of, n, one);
    }
    check_orders(of, p);
    return kinds;
}

}  // namespace

TEST_CASE("flat_plan: it contains every field of the plan") {
    std::map<std::int64_t, int> seen;
    for (rank_t p = 1; p <= 6; ++p)
        for (rank_t r = 0; r < p; ++r)
            for (const binding how : {binding::separate, binding::in_place})
                for (const plan& of : {plan(allgather::bruck{.ranks = p, .block = 4}, r, how),
                                       plan(allreduce::ring{.ranks = p, .bytes = 24, .element = 8}, r, how),
                                       plan(alltoall::pairwise{.ranks = p, .block = 4}, r, binding::separate),
                                       plan(barrier::dissemination{.ranks = p}, r, how)})
                    for (const auto& [kind, times] : check_flat(of)) seen[kind] += times;
    CHECK(seen.size() == 5);  // each kind of node
}

TEST_CASE("flat_plan: in place, its alias names the inner and the outer area") {
    const flat_plan made(plan(allgather::ring{.ranks = 4, .block = 8}, 3, binding::in_place));
    CHECK(made.view().host_area == collsched_area_output);
    CHECK(made.view().guest_area == collsched_area_input);
    CHECK(made.view().guest_offset == 24);
    const flat_plan apart(plan(allgather::ring{.ranks = 4, .block = 8}, 3));
    CHECK(apart.view().host_area == apart.view().guest_area);
}

TEST_CASE("flat_plan: a copy is valid after the plan and the original are destroyed") {
    std::optional<flat_plan> first(plan(allgather::ring{.ranks = 3, .block = 8}, 1));
    const flat_plan copy = *first;
    const auto begin = nodes_of(first->view());
    const std::vector<collsched_node> before(begin.begin(), begin.end());
    first.reset();
    REQUIRE(copy.view().nodes_count == std::ssize(before));
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(nodes_of(copy.view())[i].op == before[i].op);
        CHECK(nodes_of(copy.view())[i].peer == before[i].peer);
        CHECK(nodes_of(copy.view())[i].first_successor == before[i].first_successor);
    }
}

TEST_CASE("flat_plan: an invalid plan has no nodes") {
    const flat_plan none{plan()};
    CHECK(none.view().nodes_count == 0);
    CHECK(none.view().parts_count == 0);
    CHECK(none.view().orders_count == 0);
}
