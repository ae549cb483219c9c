#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/combine.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/verify.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

std::vector<edge> all_edges(const auto& x) {
    std::vector<edge> all;
    for (const edge& e : edges(x)) all.push_back(e);
    std::sort(all.begin(), all.end(), precedes);
    return all;
}

std::vector<edge> moves(const auto& x) {
    std::vector<edge> all = all_edges(x);
    std::erase_if(all, [](const edge& e) { return e.is_local(); });
    return all;
}

constexpr auto as_it_is = [](rank_t, buffer b) { return location{b, 0}; };

/// Every buffer in output, at offsets that depend on the rank.
struct shifted {
    bytes_t by;
    constexpr location operator()(rank_t r, buffer b) const { return {b, by * (r + 1) + static_cast<int>(b)}; }
};

/// allgather: everything to the root, then everything to everybody.
auto gathered_and_sent(rank_t p, rank_t root, const block_layout& blocks) {
    const contract whole{.what = collective::allgather, .ranks = p, .blocks = blocks};
    const auto from_output = [](rank_t, buffer b) { return location{b == buffer::input ? buffer::output : b, 0}; };
    return then(place(gather::over_tree<trees::binomial>{.ranks = p, .root = root, .block = blocks}, as_it_is, whole),
                place(broadcast::over_tree<trees::binomial>{.ranks = p, .root = root, .bytes = blocks.extent(p)},
                      from_output, whole));
}

/// broadcast of a long message: a part to everybody, then the parts to everybody.
template <class Allgather>
auto scattered_and_gathered(rank_t p, rank_t root, bytes_t bytes) {
    const contract whole{.what = collective::broadcast, .ranks = p, .root = root, .bytes = bytes};
    const block_layout parts = block_layout::partition(bytes, p);
    const auto own_part = [parts](rank_t r, buffer b) {
        return b == buffer::output ? location{b, parts.displ(r)} : location{b, 0};
    };
    const auto in_output = [parts](rank_t r, buffer b) {
        return b == buffer::input ? location{buffer::output, parts.displ(r)} : location{b, 0};
    };
    return then(place(scatter::over_tree<trees::binomial>{{.ranks = p, .root = root, .block = parts}}, own_part, whole),
                place(Allgather{.ranks = p, .block = parts}, in_output, whole));
}

/// allreduce: reduce to a root, then broadcast from there.
auto reduced_and_sent(rank_t p, bytes_t bytes) {
    const contract whole{.what = collective::allreduce, .ranks = p, .bytes = bytes};
    const auto from_output = [](rank_t, buffer b) { return location{b == buffer::input ? buffer::output : b, 0}; };
    return then(place(reduce::over_tree<trees::binomial>{{.ranks = p, .bytes = bytes}}, as_it_is, whole),
                place(broadcast::over_tree<trees::binomial>{.ranks = p, .bytes = bytes}, from_output, whole));
}

/// allreduce: everybody reduces a part, then the parts to everybody.
auto reduced_in_parts(rank_t p, bytes_t bytes) {
    const contract whole{.what = collective::allreduce, .ranks = p, .bytes = bytes, .commutative = true};
    const block_layout parts = block_layout::partition(bytes, p);
    const auto own_part = [parts](rank_t r, buffer b) {
        return b == buffer::output ? location{b, parts.displ(r)} : location{b, 0};
    };
    const auto in_output = [parts](rank_t r, buffer b) {
        return b == buffer::input ? location{buffer::output, parts.displ(r)} : location{b, 0};
    };
    return then(place(reversed<allgather::ring>{{.ranks = p, .block = parts}}, own_part, whole),
                place(allgather::ring{.ranks = p, .block = parts}, in_output, whole));
}

/// Piece i of a broadcast over a tree.
template <class Tree>
struct broadcast_piece {
    rank_t ranks, root;
    bytes_t bytes;
    rank_t pieces;

    constexpr auto operator()(rank_t i) const {
        const block_layout cut = block_layout::partition(bytes, pieces);
        const contract whole{.what = collective::broadcast, .ranks = ranks, .root = root, .bytes = bytes};
        const auto there = [at = cut.displ(i)](rank_t, buffer b) { return location{b, at}; };
        return place(broadcast::over_tree<Tree>{.ranks = ranks, .root = root, .bytes = cut.count(i)}, there, whole);
    }
};

}  // namespace

TEST_CASE("place: where nothing is renamed, nothing changes") {
    for (const rank_t p : {1, 2, 5, 8})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto same = place(s, as_it_is, s.contract());
            CHECK(all_edges(same) == all_edges(s));
            for (rank_t r = 0; r < p; ++r) {
                CHECK(same.scratch(r) == s.scratch(r));
                CHECK(same.staging(r) == s.staging(r));
            }
        }
}

TEST_CASE("place: twice is once, by the one place after the other") {
    for (const auto& [name, s] : support::samples(5)) {
        INFO(name);
        const auto both = [](rank_t r, buffer b) {
            const location inner = shifted{3}(r, b), outer = shifted{100}(r, inner.where);
            return location{outer.where, inner.offset + outer.offset};
        };
        const auto twice = place(place(s, shifted{3}, s.contract()), shifted{100}, s.contract());
        CHECK(all_edges(twice) == all_edges(place(s, both, s.contract())));
        CHECK(fingerprint(place(s, shifted{3}, s.contract())) != fingerprint(place(s, shifted{4}, s.contract())));
    }
}

TEST_CASE("place: a bigger schedule has room for the scratch of its part") {
    const allgather::bruck b{.ranks = 6, .block = 4};
    const contract whole = lower(b).contract();
    const auto behind = [](rank_t r, buffer at) { return location{at, at == buffer::scratch ? 10 * r : 0}; };
    const auto placed = place(b, behind, whole);
    for (rank_t r = 0; r < 6; ++r) CHECK(placed.scratch(r) == 10 * r + 24);
    CHECK(verify(placed).ok());
}

TEST_CASE("in place: right under that binding exactly when the schedule is, without a copy of bytes to themselves") {
    for (const rank_t p : {1, 2, 3, 6, 9})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto placed = in_place(s);
            CHECK(verify(placed, binding::in_place).ok() == verify(s, binding::in_place).ok());
            CHECK(moves(placed).size() == moves(s).size());
            for (const edge& e : edges(placed)) CHECK(!vanishes(s.contract().alias(e.src, binding::in_place), e));
            CHECK(all_edges(in_place(placed)) == all_edges(placed));
        }
}

TEST_CASE("then: collectives made of two") {
    for (rank_t p = 1; p <= 24; ++p)
        for (const rank_t root : {rank_t{0}, p / 2, p - 1}) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(verify(gathered_and_sent(p, root, 5)).ok());
            CHECK(verify(gathered_and_sent(p, root, block_layout::partition(2 * p + 1, p))).ok());
            CHECK(verify(gathered_and_sent(p, root, 5), binding::in_place).ok());
            for (const bytes_t bytes : {0, 1, 7, 100}) {
                CHECK(verify(scattered_and_gathered<allgather::ring>(p, root, bytes)).ok());
                CHECK(verify(scattered_and_gathered<allgather::bruck>(p, root, bytes)).ok());
                CHECK(verify(scattered_and_gathered<allgather::recursive_doubling>(p, root, bytes)).ok());
                CHECK(verify(reduced_and_sent(p, bytes)).ok());
                CHECK(verify(reduced_in_parts(p, bytes)).ok());
            }
        }
}

TEST_CASE("then: what does not fit together is found") {
    const auto both = gathered_and_sent(4, 1, 3);
    CHECK(!check(both));
    const contract one{.what = collective::broadcast, .ranks = 4, .bytes = 5}, other{.ranks = 4};
    const broadcast::over_tree<trees::chain> b{.ranks = 4, .bytes = 5};
    CHECK(std::string(check(then(place(b, as_it_is, one), place(b, as_it_is, other))).argument) == "contract");
    const contract fewer{.what = collective::broadcast, .ranks = 3, .bytes = 5};
    CHECK(check(place(b, as_it_is, fewer)).value == 3);
}

TEST_CASE("then: rounds, messages and bytes are the sums") {
    const auto whole = metrics(reduced_in_parts(7, 70));
    CHECK(whole.rounds == 12);
    CHECK(whole.messages == 2 * 7 * 6);
    for (rank_t r = 0; r < 7; ++r) CHECK(whole.bytes_sent[r] == 2 * 60);
}

TEST_CASE("then: it does not matter how three are grouped") {
    for (const rank_t p : {1, 2, 7, 12}) {
        const contract whole{.what = collective::broadcast, .ranks = p, .bytes = 12};
        const auto a = place(broadcast::over_tree<trees::chain>{.ranks = p, .bytes = 12}, as_it_is, whole);
        const auto b = place(broadcast::over_tree<trees::k_ary>{.ranks = p, .bytes = 12}, as_it_is, whole);
        const auto c = place(allgather::bruck{.ranks = p, .block = 1}, as_it_is, whole);
        CHECK(all_edges(then(then(a, b), c)) == all_edges(then(a, then(b, c))));
        CHECK(then(then(a, b), c).scratch(0) == then(a, then(b, c)).scratch(0));
        const step_t steps = a.steps() + b.steps() + c.steps();
        CHECK(then(a, then(b, c)).steps() == steps);
        for (rank_t r = 0; r < p; ++r)
            for (step_t k = 0; k < steps; ++k) CHECK(then(then(a, b), c).next(r, k) == then(a, then(b, c)).next(r, k));
    }
}

TEST_CASE("then and reverse: backwards, the second comes first") {
    for (const rank_t p : {1, 2, 5, 16}) {
        const contract whole{.what = collective::scatter, .ranks = p, .root = p / 3, .blocks = 4};
        const scatter::linear l{{.ranks = p, .root = p / 3, .block = 4}};
        const scatter::over_tree<trees::binomial> t{{.ranks = p, .root = p / 3, .block = 4}};
        const auto a = place(l, as_it_is, whole);
        const auto b = place(t, as_it_is, whole);
        CHECK(moves(reverse(then(a, b))) == moves(then(reverse(b), reverse(a))));
    }
}

TEST_CASE("relabel: by a permutation and back nothing changes, and what was right stays right") {
    for (const rank_t p : {1, 2, 5, 8, 9}) {
        std::vector<rank_t> to(static_cast<std::size_t>(p));
        for (std::size_t v = 0; v < to.size(); ++v) to[v] = (p - 1 - static_cast<rank_t>(v) + p / 3) % p;
        const permutation order{to};
        REQUIRE(!order.check(p));
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto renamed = relabel(s, order);
            CHECK(all_edges(relabel(renamed, order.inverse())) == all_edges(s));
            for (const binding how : {binding::separate, binding::in_place})
                CHECK(verify(renamed, how).ok() == verify(s, how).ok());
            for (rank_t r = 0; r < p; ++r) {
                CHECK(renamed.scratch(order.rank(r)) == s.scratch(r));
                CHECK(renamed.contract().input_bytes(order.rank(r)) == s.contract().input_bytes(r));
                CHECK(order.virtual_rank(order.rank(r)) == r);
            }
        }
    }
}

TEST_CASE("relabel: once by two permutations is twice, and wrong permutations are told") {
    const std::vector<rank_t> a{1, 2, 3, 4, 0}, b{4, 3, 0, 1, 2}, both{3, 0, 1, 2, 4};
    for (const auto& [name, s] : support::samples(5)) {
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

TEST_CASE("segment: one piece is the whole, and a pipeline over a tree is the segments of its plain broadcast") {
    for (const rank_t p : {1, 2, 3, 8, 13})
        for (const rank_t root : {rank_t{0}, p - 1})
            for (const rank_t pieces : {1, 2, 5}) {
                CAPTURE(p);
                CAPTURE(pieces);
                const auto law = [&]<class Tree>(Tree tree) {
                    const step_t period = p == 1 ? 1 : tree.most_sends(p);
                    const auto cut = segment(broadcast_piece<Tree>{p, root, 60, pieces}, pieces, period);
                    const broadcast::over_tree<Tree> closed{
                        .ranks = p, .root = root, .bytes = 60, .segment = 60 / pieces, .tree = tree};
                    CHECK(moves(cut) == moves(closed));
                    CHECK(verify(cut).ok());
                    CHECK(verify(cut, binding::in_place).ok());
                    if (pieces == 1) CHECK(all_edges(cut) == all_edges(broadcast_piece<Tree>{p, root, 60, 1}(0)));
                    CHECK(cut.steps() == (p == 1 ? 1 : tree.steps(p)) + (pieces - 1) * period);
                };
                law(trees::chain{});
                law(trees::binomial{});
                law(trees::k_ary{});
                law(trees::in_order_binary{});
            }
}

TEST_CASE("segment: parts of its own are pieces too, on several lanes") {
    const auto make = [](rank_t i) {
        const contract whole{.what = collective::allreduce, .ranks = 6, .bytes = 40};
        const auto there = [i](rank_t, buffer b) { return location{b, 10 * i}; };
        return place(reduced_and_sent(6, 10), there, whole);
    };
    for (const rank_t lanes : {1, 2, 3, 4, 9})
        for (const step_t period : {1, 2, 5, 100}) {
            CAPTURE(lanes);
            CAPTURE(period);
            const auto s = segment(make, 4, period, lanes);
            CHECK(!check(s));
            CHECK(verify(s).ok());
            CHECK(s.steps() == make(0).steps() + (4 - 1) / lanes * period);
            CHECK(metrics(s).messages <= 4 * metrics(make(0)).messages);
            std::vector<edge> expected;
            for (rank_t i = 0; i < 4; ++i)
                for (edge e : edges(make(i))) {
                    e.step += i / lanes * period;
                    expected.push_back(e);
                }
            std::sort(expected.begin(), expected.end(), precedes);
            CHECK(all_edges(s) == expected);
        }
    CHECK(std::string(check(segment(make, 4, 0)).argument) == "period");
}
