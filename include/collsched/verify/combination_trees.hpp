#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/verify/association_report.hpp"
#include "collsched/verify/detail/operands.hpp"
#include "collsched/verify/verify.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The trees by which a reduction combines the operands of the ranks, for every byte of the result. A tree is a rank, or
/// two trees that are combined. Equal trees have equal numbers.
///
/// The parts of a tree are in ascending order of their smallest ranks: trees that differ in the order of parts only are
/// equal. A schedule that is not commutative has this order anyway.
class combination_trees {
  public:
    /// Bytes of the output of a rank that have the same tree.
    struct result_part {
        collsched::rank_t rank = 0;  ///< the rank
        byte_range bytes{};          ///< bytes of its output
        std::int64_t tree = 0;       ///< number of the tree
    };

    /// No trees.
    constexpr combination_trees() = default;

    /// Replays a schedule as verify() does, and keeps the trees of its result.
    /// @param x        schedule or algorithm. Without a combination (a broadcast, for example) it has no trees
    /// @param binding  separate buffers, or in place
    /// Failure: as of verify(); then there are no trees.
    /// Complexity: that of verify(), where bytes with different trees are different segments.
    template <schedulable X>
    constexpr explicit combination_trees(const X& x, binding binding = binding::separate) {
        proof_ = detail::prove_with(x, tree_proof{binding, this});
    }

    /// Returns the verdict of verify().
    constexpr const verdict& proof() const { return proof_; }

    /// Returns the number of ranks.
    constexpr rank_t ranks() const { return ranks_; }

    /// Returns the collective.
    constexpr collsched::collective collective() const { return kind_; }

    /// Returns the number of ranks whose operands are in the result of rank r.
    /// @param r  a rank with a result
    constexpr rank_t result_ranks(rank_t r) const {
        if (kind_ == collsched::collective::exscan) return r;
        return kind_ == collsched::collective::scan ? r + 1 : ranks_;
    }

    /// Returns the result of all ranks, by rank and byte.
    /// @return valid as long as this object
    constexpr std::span<const result_part> parts() const {
        return {parts_.begin(), static_cast<std::size_t>(parts_.size())};
    }

    /// Returns the tree of a byte of the result. O(log parts).
    /// @param where  a byte of the result
    /// @return number of the tree, or -1 for a byte that is not part of the result
    constexpr std::int64_t tree(const association_report::result_byte& where) const {
        const std::int64_t i = detail::first_where(0, parts_.size(), [&](std::int64_t n) {
            const result_part& part = parts_[n];
            return part.rank > where.rank || (part.rank == where.rank && part.bytes.end() > where.byte);
        });
        const bool held = i < parts_.size() && parts_[i].rank == where.rank && parts_[i].bytes.offset <= where.byte;
        return held ? parts_[i].tree : -1;
    }

    /// Passes the characters of a tree, such as "((0 1) (2 3))". O(ranks of the tree).
    /// @param tree  number of a tree
    /// @param put   callable, put(char)
    constexpr void spell(std::int64_t tree, auto put) const {
        constexpr std::int64_t space = -1, close = -2;
        detail::gap_array<std::int64_t> pending;  // the last one comes next
        pending.push_back(tree);
        while (!pending.empty()) {
            const std::int64_t next = pending[pending.size() - 1];
            pending.erase(pending.size() - 1, pending.size());
            if (next < 0) put(next == space ? ' ' : ')');
            else if (next < ranks_) spell_number(next, put);
            else {
                put('(');
                for (const std::int64_t part : {close, node(next).right, space, node(next).left})
                    pending.push_back(part);
            }
        }
    }

    /// Returns the class of the schedule. O(trees + parts).
    constexpr association_report association() const {
        if (!proof_.ok()) return {.proof = proof_};
        association_report report{.level = association_class::any};
        if (differs_by_rank(report)) return report;
        report.level = association_class::rank;
        if (differs_by_position(report)) return report;
        report.level = association_class::position;
        if (differs_from_canonical(report)) return report;
        report.level = association_class::canonical;
        return report;
    }

    /// Returns whether two schedules of a collective have the same trees: both are of class position, and each rank has
    /// the same tree in both. O(trees + parts of both).
    /// @param other  trees of a schedule of as many ranks. Ranks without a result in one of both are not compared
    constexpr bool same_as(const combination_trees& other) const {
        if (ranks_ != other.ranks_ || kind_ != other.kind_) return false;
        if (!association().has(association_class::position)) return false;
        if (!other.association().has(association_class::position)) return false;
        owned_array<std::int64_t> matched(ranks_ + nodes_.size());
        for (std::int64_t i = 0, j = 0; i < parts_.size() && j < other.parts_.size();) {
            const result_part &part = parts_[i], &other_part = other.parts_[j];
            if (per_rank() && part.rank != other_part.rank) {
                ++(part.rank < other_part.rank ? i : j);
                continue;
            }
            if (!equal(part.tree, other, other_part.tree, matched)) return false;
            ++i, ++j;
        }
        return true;
    }

  private:
    /// A combination; the smallest rank of `left` is below that of `right`.
    struct tree_node {
        std::int64_t left, right;
        rank_t smallest;
    };
    /// Replays edges and stores the trees of the result.
    struct tree_proof {
        collsched::binding binding;
        combination_trees* trees;

        constexpr verdict operator()(const stored_schedule& s, std::span<const edge> edges) const {
            trees->kind_ = s.contract().collective;
            trees->ranks_ = s.ranks;
            if (!reduces(s.contract().collective)) return detail::contract_proof{binding}(s, edges);
            detail::basic_replay<detail::expression_table> state(s, edges, binding);
            if (const verdict fault = replay_steps(state, edges, [](std::span<const edge>) {}); !fault.ok())
                return fault;
            if (const verdict fault = state.result(); !fault.ok()) return fault;
            trees->keep_nodes(state.operands());
            trees->keep_parts(s, state);
            return {};
        }
    };

    constexpr const tree_node& node(std::int64_t tree) const { return nodes_[tree - ranks_]; }
    constexpr rank_t smallest(std::int64_t tree) const { return tree < ranks_ ? tree : node(tree).smallest; }
    constexpr bool per_rank() const {
        return kind_ == collsched::collective::scan || kind_ == collsched::collective::exscan;
    }

    constexpr void keep_nodes(const detail::expression_table& table) {
        nodes_ = owned_array<tree_node>(table.size() - ranks_);
        for (std::int64_t i = ranks_; i < table.size(); ++i) {
            const std::int64_t a = table.left(i), b = table.right(i);
            const bool turned = smallest(b) < smallest(a);
            nodes_[i - ranks_] = {turned ? b : a, turned ? a : b, smallest(turned ? b : a)};
        }
    }

    constexpr void keep_parts(const stored_schedule& s, detail::basic_replay<detail::expression_table>& state) {
        detail::gap_array<result_part> kept;
        for (rank_t r = 0; r < ranks_; ++r)
            s.contract().results(r, [&](const contract::result_range& range) {
                state.visit_output(r, range.where,
                                   [&](std::int64_t tree, byte_range bytes) { kept.push_back({r, bytes, tree}); });
            });
        parts_ = owned_array<result_part>(std::span<const result_part>(kept.joined()));
    }

    static constexpr void spell_number(rank_t number, auto put) {
        rank_t unit = 1;
        while (number / unit > 9) unit *= 10;
        for (; unit > 0; unit /= 10) put(static_cast<char>('0' + number / unit % 10));
    }

    /// Compares the results of an allreduce with that of rank 0.
    constexpr bool differs_by_rank(association_report& report) const {
        if (kind_ != collsched::collective::allreduce) return false;
        std::int64_t i = 0;
        for (const result_part& part : parts_) {
            if (part.rank == 0) continue;
            if (part.bytes.offset == 0) i = 0;
            for (;; ++i) {
                const result_part& base = parts_[i];
                const bytes_t byte = base.bytes.offset > part.bytes.offset ? base.bytes.offset : part.bytes.offset;
                if (base.tree != part.tree) {
                    report.first = {0, byte};
                    report.second = {part.rank, byte};
                    return true;
                }
                if (base.bytes.end() >= part.bytes.end()) break;
            }
            if (parts_[i].bytes.end() == part.bytes.end()) ++i;
        }
        return false;
    }

    constexpr bool differs_by_position(association_report& report) const {
        for (std::int64_t i = 1; i < parts_.size(); ++i) {
            const result_part &before = parts_[i - 1], &part = parts_[i];
            if (before.tree == part.tree || (per_rank() && before.rank != part.rank)) continue;
            report.first = {before.rank, before.bytes.offset};
            report.second = {part.rank, part.bytes.offset};
            return true;
        }
        return false;
    }

    constexpr bool differs_from_canonical(association_report& report) const {
        owned_array<rank_t> ends(ranks_ +
                                 nodes_.size());  // behind the ranks of a canonical tree; 0: it is not canonical
        for (std::int64_t i = 0; i < ends.size(); ++i) {
            if (i < ranks_) {
                ends[i] = i + 1;
                continue;
            }
            const rank_t first = smallest(i), middle = ends[node(i).left], last = ends[node(i).right];
            if (middle == 0 || last == 0 || middle != smallest(node(i).right)) continue;
            if (middle - first == canonical_split(kind_, last - first)) ends[i] = last;
        }
        for (const result_part& part : parts_)
            if (ends[part.tree] == 0) {
                report.first = report.second = {part.rank, part.bytes.offset};
                return true;
            }
        return false;
    }

    /// Returns whether a tree equals one of another schedule.
    /// @param matched  the tree of several parts of the other schedule that each tree is known to equal, or 0
    constexpr bool equal(std::int64_t tree, const combination_trees& other, std::int64_t other_tree,
                         owned_array<std::int64_t>& matched) const {
        struct tree_pair {
            std::int64_t tree, other_tree;
        };
        detail::gap_array<tree_pair> pending;
        pending.push_back({tree, other_tree});
        while (!pending.empty()) {
            const tree_pair next = pending[pending.size() - 1];
            pending.erase(pending.size() - 1, pending.size());
            if (next.tree < ranks_ || next.other_tree < ranks_) {
                if (next.tree != next.other_tree) return false;
                continue;
            }
            if (matched[next.tree] == next.other_tree) continue;
            matched[next.tree] = next.other_tree;
            pending.push_back({node(next.tree).right, other.node(next.other_tree).right});
            pending.push_back({node(next.tree).left, other.node(next.other_tree).left});
        }
        return true;
    }

    verdict proof_{};
    collsched::collective kind_ = collsched::collective::barrier;
    rank_t ranks_ = 0;
    owned_array<tree_node> nodes_;  // tree ranks_ + i
    owned_array<result_part> parts_;
};

/// Returns the class of the brackets of a reduction: replays the schedule as verify() does, and follows the tree of
/// every byte of the result. docs/association.md defines the classes and the canonical trees.
///
/// @param x        schedule or algorithm. A collective without a combination has the class canonical
/// @param binding  separate buffers, or in place
/// @return verdict and class and, where the next class fails, two bytes of the result. combination_trees has their trees
/// Failure: as of verify().
/// Complexity: that of verify(), where bytes with different trees are different segments.
template <schedulable X>
constexpr association_report association(const X& x, binding binding = binding::separate) {
    return combination_trees(x, binding).association();
}

namespace detail {

/// The class that several schedules of one algorithm and number of ranks have together, such as those of several sizes and
/// segments: the smallest of their classes. Where that is position, trees that differ between schedules make it rank.
class association_sweep {
  public:
    /// Adds a schedule.
    /// @param trees  its trees
    constexpr void add(combination_trees trees) {
        const association_class added = trees.association().level;
        if (added < level_) level_ = added;
        if (base_.parts().empty()) base_ = static_cast<combination_trees&&>(trees);
        else if (level_ == association_class::position && !trees.parts().empty() && !base_.same_as(trees))
            level_ = association_class::rank;
    }

    /// Returns the class of the schedules that were added; canonical without any, any where one is not correct.
    constexpr association_class level() const { return level_; }

  private:
    association_class level_ = association_class::canonical;
    combination_trees base_;  // of the first schedule with a result
};

}  // namespace detail

/// Returns the class that several schedules have together: the smallest of their classes. Where that is position,
/// trees that differ between schedules make it rank.
///
/// @param schedules  schedules or algorithms of one type
/// @param binding    separate buffers, or in place
/// Failure: as of verify().
/// Complexity: the sum of association() of all of them.
template <schedulable X>
constexpr association_class common_association(std::span<const X> schedules, binding binding = binding::separate) {
    detail::association_sweep sweep;
    for (const X& x : schedules) sweep.add(combination_trees(x, binding));
    return sweep.level();
}

}}  // namespace collsched::COLLSCHED_ABI
