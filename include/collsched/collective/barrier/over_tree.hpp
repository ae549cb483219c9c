#pragma once

#include <array>
#include <cstddef>

#include "collsched/combine/reverse.hpp"
#include "collsched/combine/then.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/tree/concepts.hpp"
#include "collsched/tree/chain.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier::detail {

/// Signals down a tree, one per edge: half of a barrier. Rounds tree.steps(p); p-1 signals.
template <rooted_tree Tree>
struct signal_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    [[no_unique_address]] Tree tree{};

    constexpr step_t steps() const { return ranks == 1 ? 0 : tree.steps(ranks); }
    constexpr collsched::detail::step_ranges busy(rank_t r) const {
        const rank_t v = relative(r);
        const step_t arrival = tree.step(ranks, v);
        return {{arrival < 0 ? 0 : arrival, arrival + tree.fanout(ranks, v)}};
    }
    constexpr step_t next(rank_t r, step_t k) const { return busy(r).from(k, steps()); }
    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (const rank_t child = tree.child(ranks, relative(r), k); child >= 0) emit(r, absolute(child), k, f);
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        const rank_t v = relative(r);
        if (v > 0 && tree.step(ranks, v) == k) emit(absolute(tree.parent(ranks, v)), r, k, f);
    }
    constexpr bytes_t scratch(rank_t) const { return 0; }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const { return {.collective = collective::barrier, .ranks = ranks}; }
    constexpr argument_error check() const {
        if (argument_error error = check_ranks(ranks)) return error;
        if (root < 0 || root >= ranks) return {"root", root, "0 to ranks-1"};
        return check_tree(tree, ranks, root);
    }
    constexpr std::uint64_t fingerprint() const {
        collsched::detail::description_hash family;
        family(Tree::name);
        Tree::parameters(tree, [&](const char*, const auto& parameter) { family(parameter); });
        return fingerprint_of("signals", ranks, root, family.value());
    }

  private:
    constexpr rank_t relative(rank_t r) const { return wrap(r - root, ranks); }
    constexpr rank_t absolute(rank_t v) const { return wrap(v + root, ranks); }
    static constexpr void emit(rank_t src, rank_t dst, step_t k, auto& f) {
        f(edge{.step = k, .src = src, .dst = dst});
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::barrier::detail

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

/// Barrier through a root: signals up one tree, then down another. Rounds up.steps(p) + down.steps(p), 2 (p-1) signals.
/// @param ranks  number of ranks, 1 or more
/// @param root   root of both trees, 0 .. ranks-1
/// @param up     tree of the signals to the root
/// @param down   tree of the signals from the root
/// @return a schedule
template <rooted_tree Up, rooted_tree Down>
constexpr auto over_trees(rank_t ranks, rank_t root, const Up& up, const Down& down) {
    return then(reverse(detail::signal_tree<Up>{ranks, root, up}), detail::signal_tree<Down>{ranks, root, down});
}

/// Signals up a tree to the root, then down the same tree: over_trees with the same tree twice.
///
/// Rounds 2 tree.steps(p): the rounds upwards are those downwards in reverse order. 2 (p-1) signals.
template <rooted_tree Tree>
struct over_tree {
    rank_t ranks = 1;
    rank_t root = 0;
    Tree tree{};

    /// Returns "2 (p-1)" for "p-1".
    static constexpr auto rounds = [] {
        std::size_t length = 0;
        while (Tree::rounds[length] != '\0') ++length;
        std::array<char, 64> text{'2', ' ', '('};
        for (std::size_t i = 0; i < length; ++i) text[i + 3] = Tree::rounds[i];
        text[length + 3] = ')';
        return text;
    }();
    static constexpr algorithm_info info{
        .collective = collective::barrier, .name = Tree::name, .rounds = rounds.data(), .source = Tree::source};

    constexpr auto view() const { return over_trees(ranks, root, tree, tree); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        Tree::parameters(self.tree, f);
    }
    bool operator==(const over_tree&) const = default;
};

/// The root receives a signal from every rank, one per step in descending relative rank, then signals every rank in
/// ascending relative rank.
///
/// Rounds 2 (p-1), with one signal in each.
using linear = over_tree<trees::flat>;

}}}  // namespace collsched::COLLSCHED_ABI::barrier
