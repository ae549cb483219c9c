#pragma once

#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/tree/concepts.hpp"

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
