#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/tree/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Edge of a spanning tree, in ranks.
struct tree_edge {
    rank_t parent = 0;  ///< the end toward the root
    rank_t child = 0;   ///< the other end
    bool operator==(const tree_edge&) const = default;
};

namespace detail {

/// Tables of a planned tree, in virtual ranks. With an error the tables are not valid.
struct planned_tables {
    rank_t ranks, root;
    owned_array<rank_t> parent;
    owned_array<rank_t> child,
        first;  ///< the children of v are child[first[v]] .. child[first[v+1] - 1], in order of sends
    owned_array<step_t> step;
    owned_array<rank_t> extent, position, at;
    step_t steps{}, most_sends{};
    argument_error error;

    constexpr planned_tables(rank_t p, rank_t r, std::span<const tree_edge> edges) : ranks(p), root(r) {
        error = check_edges(edges);
        if (error) return;
        link(edges);
        number(edges);
        if (!error) measure();
    }
    constexpr explicit planned_tables(const argument_error& cause) : ranks(1), root(), error(cause) {}

    constexpr step_t fanout(rank_t v) const {
        return first[v] == first[v + 1] ? 0 : step[child[first[v + 1] - 1]] - step[v];
    }
    constexpr rank_t child_in(rank_t v, step_t k) const {
        const rank_t c =
            collsched::detail::first_where(first[v], first[v + 1], [&](rank_t i) { return step[child[i]] >= k; });
        return c < first[v + 1] && step[child[c]] == k ? child[c] : -1;
    }
    constexpr void measure() {
        steps = most_sends = 0;
        for (rank_t v = 0; v < ranks; ++v) {
            if (step[v] >= steps) steps = step[v] + 1;
            if (const step_t sends = fanout(v); sends > most_sends) most_sends = sends;
        }
    }
    constexpr std::int64_t description() const {
        collsched::detail::description_hash hash;
        for (rank_t v = 0; v < ranks; ++v) hash(parent[v]), hash(step[v]);
        return static_cast<std::int64_t>(hash.value());
    }

    constexpr bool operator==(const planned_tables& other) const {
        return ranks == other.ranks && root == other.root && parent == other.parent && step == other.step &&
               error == other.error;
    }

  private:
    constexpr argument_error check_edges(std::span<const tree_edge> edges) const {
        const auto count = static_cast<std::int64_t>(edges.size());
        if (ranks < 1) return {"ranks", ranks, "1 or more"};
        if (root < 0 || root >= ranks) return {"root", root, "0 to ranks-1"};
        if (count != ranks - 1) return {"edges", count, "one edge to every rank but the root"};
        owned_array<bool> has_parent(ranks);
        std::int64_t i = 0;
        for (const auto& [from, to] : edges) {
            if (from < 0 || from >= ranks) return {"parent", from, "0 to ranks-1", i};
            if (to < 0 || to >= ranks) return {"child", to, "0 to ranks-1", i};
            if (to == root) return {"child", to, "any rank but the root", i};
            if (has_parent[to]) return {"child", to, "a rank that has no parent yet", i};
            has_parent[to] = true;
            ++i;
        }
        return {};
    }

    constexpr rank_t shifted(rank_t rank) const { return wrap(rank - root, ranks); }

    /// Sets parents, and children grouped by parent in the order of the list.
    constexpr void link(std::span<const tree_edge> edges) {
        parent = owned_array<rank_t>(ranks);
        child = owned_array<rank_t>(ranks - 1);
        first = owned_array<rank_t>(ranks + 1);
        parent[0] = -1;
        for (const auto& [from, to] : edges) ++first[shifted(from) + 1];
        for (rank_t v = 0; v < ranks; ++v) first[v + 1] += first[v];
        owned_array<rank_t> next = first;
        for (const auto& [from, to] : edges) {
            parent[shifted(to)] = shifted(from);
            child[next[shifted(from)]++] = shifted(to);
        }
    }

    /// Computes steps, extents and positions level by level from the root. Ranks that are not reached are on a cycle.
    constexpr void number(std::span<const tree_edge> edges) {
        owned_array<rank_t> order(ranks);
        rank_t reached = 1;
        for (rank_t i = 0; i < reached; ++i)
            for (rank_t c = first[order[i]]; c < first[order[i] + 1]; ++c) order[reached++] = child[c];
        extent = owned_array<rank_t>(ranks);
        for (rank_t i = reached; i-- > 0;) {
            ++extent[order[i]];
            if (i > 0) extent[parent[order[i]]] += extent[order[i]];
        }
        std::int64_t edge_index = 0;
        for (const auto& [from, to] : edges) {
            if (extent[shifted(to)] == 0) {
                error = {"child", to, "a rank that can be reached from the root", edge_index};
                return;
            }
            ++edge_index;
        }
        step = position = at = owned_array<rank_t>(ranks);
        step[0] = -1;
        for (const rank_t v : order) {
            at[position[v]] = v;
            step_t k = step[v];
            rank_t next = position[v] + 1;
            for (rank_t c = first[v]; c < first[v + 1]; next += extent[child[c++]]) {
                step[child[c]] = ++k;
                position[child[c]] = next;
            }
        }
    }
};

}  // namespace detail

/// Stored spanning tree for one number of ranks; satisfies rooted_tree. Memory: 56 bytes per rank, shared by all
/// copies. child() is O(log fanout), other methods O(1). Only check(p) uses p.
///
/// The constructor takes ranks; the methods take virtual ranks v = (r - root) mod p, as for any rooted tree. Preorder
/// positions number a rank, then the subtrees of its children in order of sends: the subtree of v has the positions
/// position(v) .. position(v) + extent(p, v) - 1.
class planned_tree {
  public:
    static constexpr const char* name = "planned";
    static constexpr const char* rounds = "as planned";
    static constexpr const char* source = "";
    static constexpr bool reverse_keeps_order = false;

    /// The tree of one rank.
    constexpr planned_tree() : planned_tree(1, 0, {}) {}

    /// Constructs the tree with these edges. A parent sends in the order of the list, from the step after its own
    /// message on. O(ranks).
    ///
    /// @param ranks    number of ranks
    /// @param root     0 .. ranks-1
    /// @param edges    ranks-1 edges of a spanning tree; check() reports others
    /// @param planner  name of the planner, for reports
    constexpr planned_tree(rank_t ranks, rank_t root, std::span<const tree_edge> edges, const char* planner = "by hand")
        : planned_tree(detail::planned_tables(ranks, root, edges), planner) {}

    /// Tree whose check() returns `error`.
    ///
    /// @param error  an error, not "no error"
    constexpr explicit planned_tree(const argument_error& error) : planned_tree(detail::planned_tables(error), "") {}

    /// Returns the number of ranks.
    constexpr rank_t ranks() const { return held_->ranks; }
    /// Returns the rank that is virtual rank 0.
    constexpr rank_t root() const { return held_->root; }
    /// Returns the name of the planner. Comparison ignores it.
    constexpr const char* planner() const { return planner_; }

    constexpr step_t steps(rank_t) const { return held_->steps; }
    constexpr rank_t parent(rank_t, rank_t v) const { return held_->parent[v]; }
    constexpr step_t step(rank_t, rank_t v) const { return held_->step[v]; }
    constexpr rank_t child(rank_t, rank_t v, step_t k) const { return held_->child_in(v, k); }
    constexpr step_t fanout(rank_t, rank_t v) const { return held_->fanout(v); }
    constexpr step_t most_sends(rank_t) const { return held_->most_sends; }

    /// Returns the number of ranks of the subtree of v, v included.
    ///
    /// @param v  virtual rank, 0 .. p-1
    constexpr rank_t extent(rank_t, rank_t v) const { return held_->extent[v]; }
    /// Returns the preorder position of v; 0 for the root.
    ///
    /// @param v  virtual rank, 0 .. p-1
    constexpr rank_t position(rank_t v) const { return held_->position[v]; }
    /// Returns the virtual rank at a position.
    ///
    /// @param i  position in preorder, 0 .. p-1
    constexpr rank_t rank_at(rank_t i) const { return held_->at[i]; }

    /// Returns an error unless the tree is valid and has p ranks.
    ///
    /// @param p  number of ranks
    constexpr argument_error check(rank_t p) const {
        if (!held_->error && p != held_->ranks) return {"ranks", p, "as many ranks as the tree was planned for"};
        return held_->error;
    }
    /// Returns an error unless check(p) finds none and the tree has this root, or root 0, which is valid for any root.
    ///
    /// @param p     number of ranks
    /// @param root  root of the collective, 0 .. p-1
    constexpr argument_error check(rank_t p, rank_t root) const {
        if (argument_error error = check(p)) return error;
        if (held_->root != 0 && held_->root != root) return {"root", root, "the root that the tree was planned for"};
        return {};
    }
    /// Calls f("tree", hash of parents and steps).
    ///
    /// @param self  the tree
    /// @param f     callable, f(name, parameter)
    static constexpr void parameters(auto& self, auto f) { f("tree", self.description_); }
    /// Returns whether ranks, root, parents, steps and errors are equal.
    ///
    /// @param other  another tree
    constexpr bool operator==(const planned_tree& other) const { return held_ == other.held_; }

    /// Returns `tree` for p ranks as a stored tree with the same steps and root 0. O(sum of fanouts) calls of child().
    ///
    /// @param tree  a family of trees
    /// @param p     number of ranks, 1 or more; check() of the result reports another number, or an error of `tree`
    template <rooted_tree T>
    friend constexpr planned_tree planned(const T& tree, rank_t p) {
        if (p < 1) return planned_tree(argument_error{"ranks", p, "1 or more"});
        if (argument_error error = tree.check(p)) return planned_tree(error);
        owned_array<tree_edge> edges(p - 1);
        std::int64_t n = 0;
        for (rank_t v = 0; v < p; ++v)
            for (step_t k = tree.step(p, v) + 1, remaining = tree.fanout(p, v); remaining > 0; ++k, --remaining)
                if (const rank_t to = tree.child(p, v, k); to >= 0) edges[n++] = {v, to};
        detail::planned_tables tables(p, 0, edges);
        if (!tables.error) {
            for (rank_t v = 0; v < p; ++v) tables.step[v] = tree.step(p, v);
            tables.measure();
        }
        return {std::move(tables), T::name};
    }

  private:
    constexpr planned_tree(detail::planned_tables tables, const char* planner)
        : planner_(planner), description_(tables.error ? 0 : tables.description()), held_(std::move(tables)) {}

    const char* planner_ = "";
    std::int64_t description_{};
    collsched::detail::shared<detail::planned_tables> held_;
};

/// The friend of planned_tree, for calls that name the namespace.
template <rooted_tree T>
constexpr planned_tree planned(const T& tree, rank_t p);

/// Planned tree renumbered by preorder positions, so that every subtree is contiguous. As a permutation it maps
/// positions to ranks, with the root of the tree at `root`. child() is O(log fanout), other functions O(1).
struct preorder {
    static constexpr const char* name = planned_tree::name;
    static constexpr const char* rounds = planned_tree::rounds;
    static constexpr const char* source = planned_tree::source;
    static constexpr bool reverse_keeps_order = false;

    planned_tree tree{};  ///< the tree before the renumbering
    rank_t root = 0;      ///< rank of the root, 0 .. p-1

    constexpr step_t steps(rank_t p) const { return tree.steps(p); }
    constexpr rank_t parent(rank_t p, rank_t i) const { return position(tree.parent(p, tree.rank_at(i))); }
    constexpr step_t step(rank_t p, rank_t i) const { return tree.step(p, tree.rank_at(i)); }
    constexpr rank_t child(rank_t p, rank_t i, step_t k) const { return position(tree.child(p, tree.rank_at(i), k)); }
    constexpr step_t fanout(rank_t p, rank_t i) const { return tree.fanout(p, tree.rank_at(i)); }
    constexpr step_t most_sends(rank_t p) const { return tree.most_sends(p); }
    constexpr rank_t extent(rank_t p, rank_t i) const { return tree.extent(p, tree.rank_at(i)); }

    /// Returns the rank at a position.
    ///
    /// @param i  position in preorder, 0 .. p-1
    constexpr rank_t rank(rank_t i) const { return wrap(tree.rank_at(i) + root, tree.ranks()); }
    /// Returns the position of a rank.
    ///
    /// @param r  rank, 0 .. p-1
    constexpr rank_t virtual_rank(rank_t r) const { return tree.position(wrap(r - root, tree.ranks())); }

    constexpr argument_error check(rank_t p) const { return tree.check(p); }
    static constexpr void parameters(auto& self, auto f) { planned_tree::parameters(self.tree, f); }
    bool operator==(const preorder&) const = default;

  private:
    constexpr rank_t position(rank_t v) const { return v < 0 ? v : tree.position(v); }
};

/// Returns the broadcast tree with the smallest completion time in the LogP model: the sender that is free first (ties:
/// the lowest rank) sends to the next rank. The receiver can send after L + 2o, the sender again after max(g, o).
///
/// @param p  1 or more
/// @param L  latency, 0 or more, in the same unit as o and g; p max(g, o) + L + 2o is below 2^63
/// @param o  overhead, 0 or more
/// @param g  gap, 0 or more
/// Failure: check() of the tree reports wrong arguments. Complexity: O(p) with two queues, since senders become free in
/// the order of their first or last sends. Source: Karp, Sahay, Santos, Schauser 1993.
constexpr planned_tree logp_optimal(rank_t p, std::int64_t L, std::int64_t o, std::int64_t g) {
    const std::int64_t busy = g > o ? g : o;
    argument_error error;
    if (p < 1) error = {"ranks", p, "1 or more"};
    else if (L < 0) error = {"L", L, "0 or more"};
    else if (o < 0) error = {"o", o, "0 or more"};
    else if (g < 0) error = {"g", g, "0 or more"};
    else if (!(checked(p) * busy + checked(2) * o + L).ok()) error = {"L", L, "p max(g, o) + L + 2o below 2^63"};
    if (error) return planned_tree(error);

    struct sender {
        std::int64_t free;
        rank_t rank;
    };
    owned_array<sender> returning(p);    // senders in the order of their last sends
    owned_array<std::int64_t> ready(p);  // time at which a rank can first send
    owned_array<tree_edge> edges(p - 1);
    rank_t sent = 0, first_timer = 0;  // heads of the two queues; ranks below fresh have sent
    for (rank_t child = 1; child < p; ++child) {
        const bool repeats = first_timer > 0 && returning[sent].free <= ready[first_timer];
        const sender next = repeats ? returning[sent++] : sender{ready[first_timer], first_timer};
        if (!repeats) ++first_timer;
        edges[child - 1] = {next.rank, child};
        ready[child] = next.free + L + 2 * o;
        returning[child - 1] = {next.free + busy, next.rank};
    }
    return {p, 0, edges, "logp-optimal"};
}

}}}  // namespace collsched::COLLSCHED_ABI::trees
