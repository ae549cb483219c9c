#include "collsched/combine/relabel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/core/detail/rank_interval.hpp"
#include "collsched/tree/binomial.hpp"
#include "support/composed.hpp"
#include "support/layouts.hpp"
#include "support/neighborhoods.hpp"
#include "support/samples.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;

namespace {

bool counts_ranks(const contract& contract) {
    return contract.collective == collective::scan || contract.collective == collective::exscan;
}

/// All collectives but scans, whose result differs from rank to rank.
std::vector<support::sample> renamable(rank_t ranks) {
    std::vector<support::sample> all = support::samples(ranks);
    std::erase_if(all, [](const support::sample& one) { return counts_ranks(one.schedule.contract()); });
    return all;
}

}  // namespace

TEST_CASE("relabel: a permutation and its inverse change nothing, and correct schedules stay correct") {
    for (const rank_t p : {1, 2, 5, 8, 9}) {
        std::vector<rank_t> to(static_cast<std::size_t>(p));
        for (std::size_t v = 0; v < to.size(); ++v) to[v] = (p - 1 - static_cast<rank_t>(v) + p / 3) % p;
        const permutation order{to};
        REQUIRE(!order.check(p));
        for (const auto& [name, s] : renamable(p)) {
            INFO(name);
            const auto renamed = relabel(s, order);
            CHECK(all_edges(relabel(renamed, order.inverse())) == all_edges(s));
            for (const binding how : {binding::separate, binding::in_place})
                CHECK(support::verified(renamed, how).ok() == support::verified(s, how).ok());
            for (rank_t r = 0; r < p; ++r) {
                CHECK(renamed.scratch(order.rank(r)) == s.scratch(r));
                CHECK(renamed.contract().input_bytes(order.rank(r)) == s.contract().input_bytes(r));
                CHECK(order.virtual_rank(order.rank(r)) == r);
            }
        }
    }
}

TEST_CASE("relabel: two permutations give two relabelings, and wrong permutations are reported") {
    const std::vector<rank_t> a{1, 2, 3, 4, 0}, b{4, 3, 0, 1, 2}, both{3, 0, 1, 2, 4};
    for (const auto& [name, s] : renamable(5)) {
        INFO(name);
        CHECK(all_edges(relabel(relabel(s, permutation(a)), permutation(b))) ==
              all_edges(relabel(s, permutation(both))));
    }
    const allgather::ring ring{.ranks = 3, .block = 1};
    CHECK(check(relabel(ring, permutation(a))).value == 5);
    const std::vector<rank_t> twice{0, 1, 1}, beyond{0, 3, 1};
    CHECK(check(relabel(ring, permutation(twice))).index == 2);
    CHECK(check(relabel(ring, permutation(beyond))).value == 3);
}

TEST_CASE("relabel: where only the new contract keeps the order of operands, the lower rank's operand comes first") {
    for (const rank_t p : {1, 2, 5, 8, 13}) {
        CAPTURE(p);
        const contract ordered{.collective = collective::reduce, .ranks = p, .bytes = p};
        contract any_order = ordered;
        any_order.commutative = true;
        const detail::interval_order order{p};
        const auto tree = reverse_combining(broadcast::over_tree<trees::binomial>{.ranks = p, .bytes = p}, true);
        for (const edge& e : all_edges(relabel(tree, order, ordered)))
            if (e.combines()) CHECK(e.action == (e.src > e.dst ? action::combine_after : action::combine_before));
        for (const edge& e : all_edges(relabel(tree, order, any_order)))
            if (e.combines())
                CHECK(e.action == (order.virtual_rank(e.src) > order.virtual_rank(e.dst) ? action::combine_after
                                                                                         : action::combine_before));
    }
}

TEST_CASE("relabel: two relabelings are one by the composition, and the identity changes nothing") {
    for (const rank_t p : {1, 2, 6, 7})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            const permutation a = support::shuffled_ranks(p, seed), b = support::shuffled_ranks(p, seed + 10);
            std::vector<rank_t> one_by_one;
            for (rank_t v = 0; v < p; ++v) one_by_one.push_back(b.rank(a.rank(v)));
            const permutation both{one_by_one};
            for (const auto& [name, s] : renamable(p)) {
                INFO(name);
                const auto twice = relabel(relabel(s, a), b), once = relabel(relabel(s, both), permutation());
                CHECK(all_edges(twice) == all_edges(once));
                CHECK(twice.contract() == once.contract());
                CHECK(all_edges(relabel(s, permutation())) == all_edges(s));
                if (seed == 1) CHECK(support::verified(twice) == verdict{});
            }
        }
}

TEST_CASE("relabel: rename_buffers and then relabel equals relabel and then rename_buffers by new ranks") {
    for (const rank_t p : {1, 2, 7}) {
        const permutation order = support::shuffled_ranks(p, 4);
        const contract whole{.collective = collective::barrier, .ranks = p};
        const auto there = [](rank_t r, buffer b) { return location{b, 10 * r + static_cast<int>(b)}; };
        const auto renamed = [=](rank_t r, buffer b) { return there(order.virtual_rank(r), b); };
        for (const auto& [name, s] : renamable(p)) {
            INFO(name);
            const auto placed_first = relabel(rename_buffers(s, there, whole), order, whole);
            const auto placed_last = rename_buffers(relabel(s, order, whole), renamed, whole);
            CHECK(all_edges(placed_first) == all_edges(placed_last));
            for (rank_t r = 0; r < p; ++r) CHECK(placed_first.staging(r) == placed_last.staging(r));
        }
    }
}

TEST_CASE("relabel: slots keep their order and their places under other ranks") {
    const std::vector<rank_t> to{2, 0, 3, 1};
    const permutation order{to};
    const neighborhood n = support::any_graph(4, 5, 4);
    std::vector<bytes_t> sizes, send_displs, recv_displs, of_ranks{3, 1, 4, 1};
    for (std::int64_t s = 0; s < n.out_slots(); ++s) sizes.push_back(s % 4), send_displs.push_back(4 * s + 1);
    for (std::int64_t s = 0; s < n.in_slots(); ++s) recv_displs.push_back(1000 - 5 * s);
    const neighbor_alltoall::linear a{
        .ranks = 4, .neighbors = n, .block = slot_layout::exchanged(n, sizes, send_displs, recv_displs)};
    const neighbor_allgather::linear g{
        .ranks = 4, .neighbors = n, .block = slot_layout::gathered(n, of_ranks, recv_displs)};
    const auto check_names = [&](const auto& x) {
        const auto renamed = relabel(x, order);
        REQUIRE(!check(renamed));
        CHECK(support::verified(renamed).ok());
        CHECK(relabel(renamed, order.inverse()).contract() == lower(x).contract());
        const contract contract = renamed.contract();
        for (rank_t r = 0; r < 4; ++r) {
            REQUIRE(contract.neighbors().out_degree(order.rank(r)) == n.out_degree(r));
            for (rank_t i = 0; i < n.out_degree(r); ++i) {
                const rank_t dst = n.target(r, i);
                CHECK(contract.neighbors().target(order.rank(r), i) == (dst < 0 ? dst : order.rank(dst)));
            }
            CHECK(contract.output_bytes(order.rank(r)) == lower(x).contract().output_bytes(r));
        }
    };
    check_names(a);
    check_names(g);
}

// An access beyond a table is no constant expression.
static_assert([] {
    const rank_t to[]{2, 0, 1};
    const bytes_t counts[]{1, 2, 3}, displs[]{7, 0, 3}, pairs[]{1, 2, 3, 4, 5, 6, 7, 8, 9};
    const permutation order{std::span<const rank_t>(to)};
    const block_layout blocks =
        permuted(block_layout{std::span<const bytes_t>(counts), std::span<const bytes_t>(displs)}, 3, order);
    bool right = true;
    for (rank_t v = 0; v < 3; ++v)
        right = right && blocks.count(v) == counts[to[v]] && blocks.displ(v) == displs[to[v]];
    const block_matrix from{std::span<const bytes_t>(pairs)}, matrix = permuted(from, 3, order);
    for (rank_t v = 0; v < 3; ++v)
        for (rank_t w = 0; w < 3; ++w)
            right = right && matrix.count(v, w) == from.count(to[v], to[w]) &&
                    matrix.send_displ(v, w) == from.send_displ(to[v], to[w]) &&
                    matrix.recv_displ(v, w) == from.recv_displ(to[v], to[w]);
    return right;
}());

static_assert([] {
    // 0 -> 1, none;  1 -> 2, 0, 1;  2 -> none of all.
    const rank_t to[]{1, 2, 0};
    const std::int64_t degrees[]{2, 3, 0}, targets[]{1, -1, 2, 0, 1};
    const bytes_t of_ranks[]{4, 5, 6}, of_slots[]{1, 2, 3, 4, 5}, sent[]{3, 0, 4, 0, 7}, received[]{9, 5, 0, 2};
    const permutation order{std::span<const rank_t>(to)};
    const neighborhood n{std::vector<std::int64_t>(degrees, degrees + 3),
                         std::vector<std::int64_t>(targets, targets + 5)};
    const neighborhood named = permuted(n, order);
    const auto list = [](const auto& values) { return std::vector<bytes_t>(std::begin(values), std::end(values)); };
    bool right = permuted(neighborhood(), order) == neighborhood() && !named.check(3);
    for (const slot_layout& slots :
         {slot_layout(slot_layout::gathered(n, list(of_ranks))), slot_layout(slot_layout::exchanged(n, list(of_slots))),
          slot_layout(slot_layout::gathered(n, list(of_ranks), list(received))),
          slot_layout(slot_layout::exchanged(n, list(of_slots), list(sent), list(received))),
          slot_layout(slot_layout::gathered(3))}) {
        const slot_layout moved = permuted(slots, n, 3, order);
        right = right && !moved.check(named, 3) && moved.packed() == slots.packed() &&
                moved.is_gathered() == slots.is_gathered() && moved.irregular() == slots.irregular();
        for (rank_t v = 0; v < 3; ++v) {
            const rank_t r = to[v];
            right = right && moved.input_bytes(named, v) == slots.input_bytes(n, r) &&
                    moved.output_bytes(named, v) == slots.output_bytes(n, r) &&
                    named.out_degree(v) == n.out_degree(r) && named.in_degree(v) == n.in_degree(r);
            for (rank_t i = 0; i < n.out_degree(r); ++i)
                right = right && moved.sent(named, v, i) == slots.sent(n, r, i) &&
                        named.arrival(v, i) == n.arrival(r, i) &&
                        (n.target(r, i) < 0 ? named.target(v, i) == -1 : to[named.target(v, i)] == n.target(r, i));
            for (rank_t j = 0; j < n.in_degree(r); ++j)
                right = right && moved.recv_displ(named, v, j) == slots.recv_displ(n, r, j) &&
                        to[named.source(v, j)] == n.source(r, j);
        }
    }
    return right;
}());

TEST_CASE("relabel: fingerprints differ by the schedule, every rank and the contract") {
    const allgather::ring ring{.ranks = 4, .block = 1};
    const contract contract = lower(ring).contract();
    std::set<std::uint64_t> all;
    std::vector<rank_t> to{0, 1, 2, 3};
    do CHECK(all.insert(fingerprint(relabel(ring, permutation(to), contract))).second);
    while (std::ranges::next_permutation(to).found);
    CHECK(all.size() == 24);
    collsched::contract other = contract;
    other.bytes = 1;
    CHECK(all.insert(fingerprint(relabel(ring, permutation(to), other))).second);
    CHECK(all.insert(fingerprint(relabel(allgather::ring{.ranks = 4, .block = 2}, permutation(to), contract))).second);
}

TEST_CASE("relabel: errors have argument, value and range") {
    const allgather::ring ring{.ranks = 3, .block = 1};
    const permutation order(std::vector<rank_t>{1, 2, 0});
    contract contract = lower(ring).contract();
    CHECK(!check(relabel(ring, order, contract)));
    CHECK(check(relabel(allgather::ring{.ranks = 3, .block = -1}, order, contract)) ==
          argument_error{"block", -1, "0 bytes or more"});
    contract.ranks = 4;
    CHECK(check(relabel(ring, order, contract)) == argument_error{"ranks", 4, "as many ranks as the schedule has"});
    contract.ranks = 3;
    for (const collective kind : {collective::scan, collective::exscan}) {
        contract.collective = kind;
        CHECK(check(relabel(ring, order, contract)) ==
              argument_error{"collective", static_cast<std::int64_t>(kind), "one that treats ranks alike"});
    }
    contract.collective = collective::broadcast;
    contract.root = 3;
    CHECK(check(relabel(ring, order, contract)) == argument_error{"root", 3, "0 to ranks-1"});
}

TEST_CASE("relabel: a contract for another number of ranks is rejected") {
    const std::vector<rank_t> order{1, 0};
    const contract three{.collective = collective::allgather, .ranks = 3, .blocks = 1};
    CHECK(check(relabel(allgather::ring{.ranks = 2, .block = 1}, permutation(order), three)).value == 3);
}

TEST_CASE("relabel: scans are rejected, since their ranks cannot change places") {
    std::int64_t refused = 0;
    for (const auto& [name, s] : support::samples(5))
        if (counts_ranks(s.contract())) {
            INFO(name);
            CHECK(std::string(check(relabel(s, support::shuffled_ranks(5, 1))).argument) == "collective");
            ++refused;
        }
    CHECK(refused > 10);
}
