#include "collsched/collective/broadcast/over_tree.hpp"

#include <doctest/doctest.h>

#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"

using namespace collsched;

TEST_CASE("tree_pipeline: pieces follow each other one period apart") {
    const trees::k_ary tree{.radix = 3};
    const broadcast::detail::tree_pipeline<trees::k_ary> run{&tree, 1, 20, 4, 6};
    for (rank_t v = 1; v < 20; ++v) {
        const rank_t r = (v + 4) % 20;
        for (step_t k = 0; k < run.steps(); ++k) {
            const step_t since = k - tree.step(20, v);
            const bool receives_piece = since >= 0 && since % 3 == 0 && since / 3 < 6;
            int sources = 0;
            run.sources(r, k, [&](rank_t src) {
                ++sources;
                CHECK(src == (tree.parent(20, v) + 4) % 20);
                run.message(src, r, k, [&](block_interval piece) { CHECK(piece == block_interval{since / 3, 1}); });
            });
            CHECK(sources == (receives_piece ? 1 : 0));
        }
    }
}

TEST_CASE("tree_pipeline: next() finds every busy step and passes over the others") {
    const trees::chain tree;
    const broadcast::detail::tree_pipeline<trees::chain> run{&tree, 1, 9, 0, 4};
    CHECK(run.steps() == 8 + 3);
    CHECK(run.next(5, 0) == 4);
    CHECK(run.next(5, 4) == 4);
    CHECK(run.next(5, 8) == 8);
    CHECK(run.next(5, 9) == run.steps());
    CHECK(run.active(8) == step_range{7, 10});
}

TEST_CASE("tree_pipeline: check() accepts at most 2^62 - 1 steps") {
    const trees::chain tree;
    using pipeline = broadcast::detail::tree_pipeline<trees::chain>;
    constexpr rank_t end = rank_t{1} << 62;
    CHECK(!pipeline{&tree, 1, 2, 0, end - 1}.check());
    CHECK(pipeline{&tree, 1, 2, 0, end}.check().value == end);
    CHECK(!pipeline{&tree, 1, 1, 0, end}.check());  // one rank takes no steps
}

namespace {

/// Whether active() and next() of every rank are the steps in which it sends or receives, found by looking at each step.
template <class Tree>
bool steps_are_those_with_messages(const broadcast::detail::tree_pipeline<Tree>& run) {
    for (rank_t r = 0; r < run.ranks; ++r) {
        step_range used{};
        step_t next = run.steps();
        bool right = run.next(r, run.steps()) == run.steps();
        for (step_t k = run.steps() - 1; k >= 0; --k) {
            bool any = false;
            run.targets(r, k, [&](rank_t) { any = true; });
            run.sources(r, k, [&](rank_t) { any = true; });
            if (any) {
                used = {k, used.empty() ? k : used.last};
                next = k;
            }
            right = right && run.next(r, k) == next;
        }
        if (!right || run.active(r) != used) return false;
    }
    return true;
}

template <class Tree>
constexpr step_t steps_of(const Tree& tree, rank_t ranks, rank_t pieces) {
    return broadcast::detail::tree_pipeline<Tree>{&tree, 1, ranks, 0, pieces}.steps();
}
static_assert(steps_of(trees::chain{}, 9, 4) == 8 + 3 && steps_of(trees::chain{}, 1, 4) == 0);
static_assert(steps_of(trees::k_ary{.radix = 3}, 4, 2) == 3 + 3);

}  // namespace

TEST_CASE("tree_pipeline: a rank is busy in the steps of its messages and in no other") {
    const trees::chain chain;
    for (rank_t p = 2; p <= 12; ++p)
        for (const rank_t root : {rank_t{0}, p - 1})
            for (const rank_t pieces : {1, 2, 5}) {
                CAPTURE(p);
                CAPTURE(pieces);
                CHECK(steps_are_those_with_messages(
                    broadcast::detail::tree_pipeline<trees::chain>{&chain, 1, p, root, pieces}));
                for (const std::int64_t radix : {2, 3}) {
                    const trees::k_ary tree{.radix = radix};
                    CHECK(steps_are_those_with_messages(
                        broadcast::detail::tree_pipeline<trees::k_ary>{&tree, 1, p, root, pieces}));
                }
            }
}
