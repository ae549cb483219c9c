#pragma once

#include "collsched/collective/broadcast/detail/whole_store.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/tree/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast::detail {

/// A pipeline of the pieces of a message down n trees. Tree t carries the pieces t, t+n, t+2n, ... The i-th piece of a
/// tree follows the tree's own steps, i periods later. The period is the largest number of sends of a rank in the tree,
/// so a rank sends at most one message per step and tree.
///
/// Steps tree.steps(p) + (ceil(pieces / n) - 1) * period.
template <rooted_tree Tree>
struct tree_pipeline {
    const Tree* trees;
    rank_t count;
    rank_t ranks, root;
    rank_t pieces;

    /// Returns an error if the number of steps overflows.
    constexpr argument_error check() const {
        const checked all = ranks == 1 ? checked(0) : checked(pieces_of(0) - 1) * period(0) + trees[0].steps(ranks);
        if ((all + all).ok()) return {};
        return {"segment", pieces, "segments so large that there are less than 2^62 steps"};
    }
    constexpr step_t steps() const { return ranks == 1 ? 0 : trees[0].steps(ranks) + (pieces_of(0) - 1) * period(0); }

    constexpr step_range active(rank_t r) const {
        step_range busy{steps(), -1};
        for (rank_t t = 0; t < count; ++t) {
            const step_t arrival = arrival_step(t, r);
            const step_t last = arrival + (pieces_of(t) - 1) * period(t) + trees[t].fanout(ranks, relative(r));
            busy = {arrival < busy.first ? arrival : busy.first, last > busy.last ? last : busy.last};
        }
        return {busy.first < 0 ? 0 : busy.first, busy.last};
    }
    constexpr step_t next(rank_t r, step_t k) const {
        step_t first = steps();
        for (rank_t t = 0; t < count; ++t) {
            const step_t candidate = next_in(t, r, k);
            first = candidate < first ? candidate : first;
        }
        return first;
    }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        visit_once([&](rank_t t) { return child_in(t, r, k); }, f);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        visit_once([&](rank_t t) { return parent_in(t, r, k); }, f);
    }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        for (rank_t t = 0; t < count; ++t)
            if (parent_in(t, dst, k) == relative(src))
                f(block_interval{t + (k - arrival_step(t, dst)) / period(t) * count, 1});
    }

  private:
    /// Calls f(rank) for the peer in each tree, if there is one. A peer in several trees is passed once.
    template <class Peer, class F>
    constexpr void visit_once(Peer peer_in, F& f) const {
        for (rank_t t = 0; t < count; ++t) {
            const rank_t peer = peer_in(t);
            bool visited = peer < 0;
            for (rank_t other = 0; other < t; ++other) visited = visited || peer_in(other) == peer;
            if (!visited) f(absolute(peer));
        }
    }

    constexpr rank_t relative(rank_t r) const { return wrap(r - root, ranks); }
    constexpr rank_t absolute(rank_t v) const { return wrap(v + root, ranks); }
    constexpr rank_t pieces_of(rank_t t) const { return pieces / count + (t < pieces % count ? 1 : 0); }
    constexpr step_t period(rank_t t) const { return trees[t].most_sends(ranks); }
    constexpr step_t arrival_step(rank_t t, rank_t r) const { return trees[t].step(ranks, relative(r)); }

    /// Returns the child of r, relative to the root, that receives a piece of tree t from r in step k; or -1.
    constexpr rank_t child_in(rank_t t, rank_t r, step_t k) const {
        const step_t since = k - arrival_step(t, r) - 1;
        if (since < 0 || since / period(t) >= pieces_of(t)) return -1;
        return trees[t].child(ranks, relative(r), k - since / period(t) * period(t));
    }
    /// Returns the parent of r, relative to the root, that sends a piece of tree t to r in step k; or -1.
    constexpr rank_t parent_in(rank_t t, rank_t r, step_t k) const {
        const step_t since = k - arrival_step(t, r);
        if (r == root || since < 0 || since % period(t) != 0 || since / period(t) >= pieces_of(t)) return -1;
        return trees[t].parent(ranks, relative(r));
    }
    constexpr step_t next_in(rank_t t, rank_t r, step_t k) const {
        const step_t arrival = arrival_step(t, r), sends = trees[t].fanout(ranks, relative(r));
        const step_range busy{arrival < 0 ? 0 : arrival, arrival + (pieces_of(t) - 1) * period(t) + sends};
        if (k <= busy.first || k > busy.last) return busy.from(k, steps());
        const step_t into_period = (k - arrival) % period(t);
        return into_period <= sends ? k : busy.from(k - into_period + period(t), steps());
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast::detail

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

/// Broadcast down a tree, in pieces of at most `segment` bytes (0: in one piece), pipelined as closely as the tree
/// allows. A pair of trees carries the pieces alternately, and has at least two pieces.
///
/// Rounds tree.steps(p) + (S-1) * period, for S = ceil(bytes / segment) pieces (S = ceil(pieces / 2) for a pair). The
/// period is the largest number of sends of a rank in the tree. Every rank but the root receives all bytes once and
/// sends them once per child. With the double binary trees only the root sends more than it receives, and a rank may
/// receive two messages in a step, one of each tree. No scratch. The source is that of the tree.
template <class Tree>
    requires(rooted_tree<Tree> || tree_pair<Tree>)
struct over_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    Tree tree{};

    static constexpr algorithm_info info{
        .collective = collective::broadcast, .name = Tree::name, .rounds = Tree::rounds, .source = Tree::source};

    constexpr rank_t pieces() const {
        const rank_t needed = collsched::detail::piece_count(bytes, segment);
        return tree_pair<Tree> && needed < 2 ? 2 : needed;
    }
    constexpr detail::whole_store store() const {
        return {block_layout::partition(bytes, pieces(), element), pieces(), ranks, root};
    }
    constexpr argument_error check() const {
        if (argument_error error = check_tree(tree, ranks, root)) return error;
        if (argument_error error = run().check()) return {"segment", segment, error.expected};
        return {};
    }
    /// Returns whether the reverse of this broadcast combines operands in rank order.
    constexpr bool reverse_keeps_order() const { return Tree::reverse_keeps_order && root == 0; }

    constexpr step_t steps() const { return run().steps(); }
    constexpr step_range active(rank_t r) const { return run().active(r); }
    constexpr step_t next(rank_t r, step_t k) const { return run().next(r, k); }
    constexpr void targets(rank_t r, step_t k, auto f) const { run().targets(r, k, f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { run().sources(r, k, f); }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const { run().message(src, dst, k, f); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
        Tree::parameters(self.tree, f);
    }
    bool operator==(const over_tree&) const = default;

  private:
    [[gnu::always_inline]] constexpr auto run() const {
        if constexpr (tree_pair<Tree>) return detail::tree_pipeline{Tree::trees, 2, ranks, root, pieces()};
        else return detail::tree_pipeline{&tree, 1, ranks, root, pieces()};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
