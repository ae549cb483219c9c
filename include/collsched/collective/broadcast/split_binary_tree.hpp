#pragma once

#include "collsched/collective/broadcast/detail/whole_store.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/tree/k_ary.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

/// Broadcast of one half of the message down each of two binary trees below the root, after which each rank of one tree
/// exchanges its half with the rank at the same place of the other tree. The ranks relative to the root are v = 0 ..
/// p-1: odd v are in the first tree, even v > 0 in the second one, and v and v+1 have the same place for odd v. Each
/// tree is k_ary with radix 2. For even p rank p-1 has no partner, and receives the second half from the root; for p = 2
/// it is the only one that receives.
///
/// There are S = max(2, ceil(bytes / segment)) pieces (segment 0 or p = 2: S = 2), the first ceil(S/2) of them in the first
/// half. The pieces of a half follow each other two steps apart; the root sends to the trees alternately. The exchange is
/// one message of a half in the last step.
///
/// Rounds S + 1 + k_ary(2).steps(t), where t is floor((p-1)/2) for even S and floor(p/2) for odd S; 2 for p = 2. Every rank
/// but the root receives all bytes once. It sends at most 3/2 m bytes: a half to each of two children, and one to its
/// partner. The root sends m, or 3/2 m for even p. These are up to 3/2 pieces more for odd S, and up to one element per piece
/// more where pieces are not equal. No scratch. O(log p) per message.
/// Source: Open MPI's split binary tree, which uses a chain instead for messages of less than two segments or elements;
/// here such messages have empty pieces.
struct split_binary_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;

    static constexpr algorithm_info info{.collective = collective::broadcast,
                                         .name = "split-binary-tree",
                                         .rounds = "about 2 log2 p + 1, in one piece per half",
                                         .source = "Open MPI"};

    /// Returns the number S of pieces of the message.
    constexpr rank_t pieces() const {
        const rank_t needed = collsched::detail::piece_count(bytes, segment);
        return ranks == 2 || needed < 2 ? 2 : needed;
    }
    constexpr detail::whole_store store() const {
        return {block_layout::partition(bytes, pieces(), element), pieces(), ranks, root};
    }
    constexpr argument_error check() const {
        if (ranks >= rank_t{1} << 61) return {"ranks", ranks, "less than 2^61"};
        if (pieces() >= rank_t{1} << 61) return {"segment", segment, "less than 2^61 segments"};
        return {};
    }
    constexpr step_t steps() const { return ranks == 1 ? 0 : exchange_step() + 1; }
    constexpr step_range active(rank_t r) const {
        if (ranks == 1) return {0, -1};
        const rank_t v = relative(r);
        return {v == 0 ? 0 : arrival_step(v), v == 0 && partner(0) < 0 ? pieces() - 1 : exchange_step()};
    }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        const rank_t v = relative(r);
        const rank_t target = k < exchange_step() ? child(v, k) : is_unpaired(v) ? -1 : partner(v);
        if (target >= 0) f(absolute(target));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        const rank_t v = relative(r);
        if (v == 0) return;
        if (k == exchange_step()) return f(absolute(partner(v)));
        const step_t since = k - arrival_step(v);
        if (since >= 0 && since % 2 == 0 && since / 2 < pieces_of(half(v))) f(absolute(parent(v)));
    }
    constexpr void message(rank_t, rank_t dst, step_t k, auto f) const {
        const rank_t v = relative(dst), first = half(v) * pieces_of(0);
        if (k == exchange_step()) return f(block_interval{pieces_of(0) - first, pieces_of(1 - half(v))});
        f(block_interval{first + (k - arrival_step(v)) / 2, 1});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
    }
    bool operator==(const split_binary_tree&) const = default;

  private:
    static constexpr trees::k_ary tree{.radix = 2};

    constexpr rank_t relative(rank_t r) const { return wrap(r - root, ranks); }
    constexpr rank_t absolute(rank_t v) const { return wrap(v + root, ranks); }
    /// Returns the half that v > 0 receives from its tree.
    static constexpr rank_t half(rank_t v) { return (v - 1) % 2; }
    static constexpr rank_t place(rank_t v) { return (v - 1) / 2; }
    static constexpr rank_t at_place(rank_t of_half, rank_t place) { return 1 + of_half + 2 * place; }
    /// Returns the number of ranks in the tree of a half.
    constexpr rank_t size(rank_t of_half) const { return (ranks - of_half) / 2; }

    /// Returns the number of pieces of a half.
    constexpr rank_t pieces_of(rank_t half) const { return (pieces() + 1 - half) / 2; }

    /// Returns the step in which v > 0 receives its first piece.
    constexpr step_t arrival_step(rank_t v) const { return tree.step(size(half(v)), place(v)) + 1 + half(v); }
    constexpr step_t exchange_step() const {
        return ranks == 2 ? 1 : tree.steps(size(pieces() % 2 == 0 ? 1 : 0)) + pieces();
    }
    constexpr bool is_unpaired(rank_t v) const { return ranks % 2 == 0 && v == ranks - 1; }
    /// Returns the rank from which v > 0 receives the other half. That of the root is the rank without a partner, or -1.
    constexpr rank_t partner(rank_t v) const {
        if (v == 0) return ranks % 2 == 0 ? ranks - 1 : -1;
        return is_unpaired(v) ? 0 : half(v) == 0 ? v + 1 : v - 1;
    }

    constexpr rank_t parent(rank_t v) const {
        return place(v) == 0 ? 0 : at_place(half(v), tree.parent(size(half(v)), place(v)));
    }
    /// Returns the child that v sends a piece to in step k, or -1.
    constexpr rank_t child(rank_t v, step_t k) const {
        if (v == 0) return k < pieces() && k % 2 + 1 < ranks ? k % 2 + 1 : -1;
        const step_t since = k - arrival_step(v) - 1;
        if (since < 0 || since / 2 >= pieces_of(half(v))) return -1;
        const rank_t to = tree.child(size(half(v)), place(v), k - 1 - half(v) - since / 2 * 2);
        return to < 0 ? -1 : at_place(half(v), to);
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
