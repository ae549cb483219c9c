#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/tree/concepts.hpp"

namespace collsched::trees {

/// Parent sends to child.
struct tree_edge {
    rank_t parent = 0;
    rank_t child = 0;
    bool operator==(const tree_edge&) const = default;
};

/// A tree that is stored: 56 bytes a rank. Answers like every rooted tree, for the one p that it was planned for; p itself is
/// read by check(p) alone. child() is O(log fanout), everything else O(1).
///
/// Edges are told in ranks; the tree keeps virtual ranks v = (r - root) mod p, so that it too has root 0 and whoever asks it
/// shifts by root() as with any other tree. The two are the same where root is 0.
///
/// Preorder positions: a rank, then the subtrees of its children in the order of sends. In these, not in ranks, the subtree
/// of v is contiguous: position(v) .. position(v) + extent(p, v) - 1.
class planned_tree {
  public:
    static constexpr const char* name = "planned";
    static constexpr const char* rounds = "as planned";
    static constexpr const char* source = "";
    static constexpr bool reverse_keeps_order = false;

    /// One rank.
    constexpr planned_tree() : planned_tree(1, 0, {}) {}

    /// The ranks-1 edges; a parent sends in the order of the list, from the step on that follows its own message.
    /// Edges that are no spanning tree from root are told by check(). O(ranks).
    constexpr planned_tree(rank_t ranks, rank_t root, std::span<const tree_edge> edges, const char* planner = "by hand")
        : ranks_(ranks), root_(root), planner_(planner), error_(check_edges(edges)) {
        if (error_) return;
        link(edges);
        number(edges);
        if (!error_) measure();
    }

    /// Stands for a tree that could not be planned.
    constexpr explicit planned_tree(const error& wrong) : error_(wrong) {}

    constexpr rank_t ranks() const { return ranks_; }
    /// The rank that is virtual rank 0.
    constexpr rank_t root() const { return root_; }
    /// Who planned it; no part of the value.
    constexpr const char* planner() const { return planner_; }

    constexpr step_t steps(rank_t) const { return steps_; }
    constexpr rank_t parent(rank_t, rank_t v) const { return parent_[v]; }
    constexpr step_t step(rank_t, rank_t v) const { return step_[v]; }
    constexpr rank_t child(rank_t, rank_t v, step_t k) const {
        rank_t low = first_[v], high = first_[v + 1];
        while (low < high) {
            const rank_t middle = low + (high - low) / 2;
            if (step_[child_[middle]] < k) low = middle + 1;
            else high = middle;
        }
        return low < first_[v + 1] && step_[child_[low]] == k ? child_[low] : -1;
    }
    constexpr step_t fanout(rank_t, rank_t v) const {
        return first_[v] == first_[v + 1] ? 0 : step_[child_[first_[v + 1] - 1]] - step_[v];
    }
    constexpr step_t most_sends(rank_t) const { return most_sends_; }

    /// How many ranks the subtree of v has, v included.
    constexpr rank_t extent(rank_t, rank_t v) const { return extent_[v]; }
    /// Where v stands in preorder; 0 for the root.
    constexpr rank_t position(rank_t v) const { return position_[v]; }
    /// The virtual rank at a position.
    constexpr rank_t rank_at(rank_t i) const { return at_[i]; }

    constexpr error check(rank_t p) const {
        if (!error_ && p != ranks_) return {"ranks", p, "as many ranks as the tree was planned for"};
        return error_;
    }
    /// f("tree", hash of parents and steps).
    template <class Self, class F>
    static constexpr void parameters(Self& self, F f) {
        f("tree", self.description_);
    }
    constexpr bool operator==(const planned_tree& other) const {
        return ranks_ == other.ranks_ && root_ == other.root_ && parent_ == other.parent_ && step_ == other.step_ &&
               error_ == other.error_;
    }

    /// The tree, with its own steps and root 0, stored for p ranks. One call of child() for every step in which a rank may
    /// send.
    template <rooted_tree T>
    friend constexpr planned_tree planned(const T& tree, rank_t p) {
        if (p < 1) return planned_tree(error{"ranks", p, "1 or more"});
        if (error wrong = tree.check(p)) return planned_tree(wrong);
        owned_array<tree_edge> edges(p - 1);
        std::int64_t n = 0;
        for (rank_t v = 0; v < p; ++v)
            for (step_t k = tree.step(p, v) + 1, left = tree.fanout(p, v); left > 0; ++k, --left)
                if (const rank_t to = tree.child(p, v, k); to >= 0) edges[n++] = {v, to};
        planned_tree stored(p, 0, edges, T::name);
        if (stored.error_) return stored;
        for (rank_t v = 0; v < p; ++v) stored.step_[v] = tree.step(p, v);
        stored.measure();
        return stored;
    }

  private:
    constexpr error check_edges(std::span<const tree_edge> edges) const {
        const auto count = static_cast<std::int64_t>(edges.size());
        if (ranks_ < 1) return {"ranks", ranks_, "1 or more"};
        if (root_ < 0 || root_ >= ranks_) return {"root", root_, "0 to ranks-1"};
        if (count != ranks_ - 1) return {"edges", count, "one edge to every rank but the root"};
        owned_array<bool> heard(ranks_);
        std::int64_t i = 0;
        for (const auto& [from, to] : edges) {
            if (from < 0 || from >= ranks_) return {"parent", from, "0 to ranks-1", i};
            if (to < 0 || to >= ranks_) return {"child", to, "0 to ranks-1", i};
            if (to == root_) return {"child", to, "any rank but the root", i};
            if (heard[to]) return {"child", to, "a rank that has no parent yet", i};
            heard[to] = true;
            ++i;
        }
        return {};
    }

    constexpr rank_t shifted(rank_t rank) const { return wrap(rank - root_, ranks_); }

    /// Fills parent_, and child_ grouped by parent in the order of the list.
    constexpr void link(std::span<const tree_edge> edges) {
        parent_ = owned_array<rank_t>(ranks_);
        child_ = owned_array<rank_t>(ranks_ - 1);
        first_ = owned_array<rank_t>(ranks_ + 1);
        parent_[0] = -1;
        for (const auto& [from, to] : edges) ++first_[shifted(from) + 1];
        for (rank_t v = 0; v < ranks_; ++v) first_[v + 1] += first_[v];
        owned_array<rank_t> next = first_;
        for (const auto& [from, to] : edges) {
            parent_[shifted(to)] = shifted(from);
            child_[next[shifted(from)]++] = shifted(to);
        }
    }

    /// Fills steps, extents and positions, level by level from the root; what is not reached hangs on a cycle.
    constexpr void number(std::span<const tree_edge> edges) {
        owned_array<rank_t> order(ranks_);
        rank_t reached = 1;
        for (rank_t i = 0; i < reached; ++i)
            for (rank_t c = first_[order[i]]; c < first_[order[i] + 1]; ++c) order[reached++] = child_[c];
        extent_ = owned_array<rank_t>(ranks_);
        for (rank_t i = reached; i-- > 0;) {
            ++extent_[order[i]];
            if (i > 0) extent_[parent_[order[i]]] += extent_[order[i]];
        }
        std::int64_t edge_index = 0;
        for (const auto& [from, to] : edges) {
            if (extent_[shifted(to)] == 0) {
                error_ = {"child", to, "a rank that can be reached from the root", edge_index};
                return;
            }
            ++edge_index;
        }
        step_ = position_ = at_ = owned_array<rank_t>(ranks_);
        step_[0] = -1;
        for (const rank_t v : order) {
            at_[position_[v]] = v;
            step_t k = step_[v];
            rank_t next = position_[v] + 1;
            for (rank_t c = first_[v]; c < first_[v + 1]; next += extent_[child_[c++]]) {
                step_[child_[c]] = ++k;
                position_[child_[c]] = next;
            }
        }
    }

    constexpr void measure() {
        description_hash hash;
        steps_ = most_sends_ = 0;
        for (rank_t v = 0; v < ranks_; ++v) {
            if (step_[v] >= steps_) steps_ = step_[v] + 1;
            if (const step_t sends = fanout(ranks_, v); sends > most_sends_) most_sends_ = sends;
            hash(parent_[v]);
            hash(step_[v]);
        }
        description_ = static_cast<std::int64_t>(hash.value());
    }

    rank_t ranks_ = 1, root_ = 0;
    const char* planner_ = "";
    step_t steps_ = 0, most_sends_ = 0;
    std::int64_t description_ = 0;
    owned_array<rank_t> parent_, first_, child_, step_, extent_, position_, at_;
    error error_;
};

/// The friend of planned_tree, for calls that name the namespace.
template <rooted_tree T>
constexpr planned_tree planned(const T& tree, rank_t p);

}  // namespace collsched::trees
