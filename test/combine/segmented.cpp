#include "collsched/combine/segmented.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/verify.hpp"
#include "support/composed.hpp"

using namespace collsched;
using support::all_edges;
using support::moves;
using support::reduced_and_sent;

namespace {

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

TEST_CASE("one piece is the whole, and a pipeline over a tree is the segments of its plain broadcast") {
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

TEST_CASE("parts of its own are pieces too, on several lanes") {
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
