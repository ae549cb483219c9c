#pragma once

#include <cstdint>

#include "collsched/core/fraction.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/schedule/detail/block_store.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/tree/detail/forest_hops.hpp"
#include "collsched/tree/planned_forest.hpp"
#include "collsched/tree/transfer_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast::detail {

/// Returns floor(amount * part / whole).
/// @pre amount >= 0 and 0 <= part <= whole, whole >= 1
constexpr std::int64_t share(std::int64_t amount, std::int64_t part, std::int64_t total) {
    return collsched::detail::mul_div(amount, part, total).value();
}

/// The piece of a block that a tree of a forest carries, in elements from the begin of the block.
struct forest_piece {
    rank_t root = 0;
    std::int64_t first = 0, count = 0;
    bool operator==(const forest_piece&) const = default;
};

/// Returns the piece of each tree. The block of a root is cut at its elements floor(n * w / total), where n is its
/// number of elements and w the weight of the first trees of the root. O(trees).
/// @param elements  elements(root) is the number of elements that the trees of a root carry
/// @pre no error in all.check()
constexpr owned_array<forest_piece> pieces_of(const trees::forest& all, auto elements) {
    owned_array<forest_piece> pieces(all.trees.size());
    std::int64_t weight = 0;
    for (std::int64_t t = 0; t < pieces.size(); ++t) {
        const trees::forest::tree& tree = all.trees[t];
        if (t == 0 || tree.root != all.trees[t - 1].root) weight = 0;
        const std::int64_t n = elements(tree.root), first = share(n, weight, all.total);
        weight += tree.weight;
        pieces[t] = {tree.root, first, share(n, weight, all.total) - first};
    }
    return pieces;
}

/// Returns the piece of each chunk: part i of n elements is those from floor(n i / parts) on. O(chunks).
/// @pre no error in all.check()
constexpr owned_array<forest_piece> pieces_of(const trees::transfer_plan& all, auto elements) {
    owned_array<forest_piece> pieces(all.ranks * all.parts);
    for (std::int64_t c = 0; c < pieces.size(); ++c) {
        const rank_t root = c / all.parts;
        const std::int64_t part = c % all.parts, n = elements(root), first = share(n, part, all.parts);
        pieces[c] = {root, first, share(n, part + 1, all.parts) - first};
    }
    return pieces;
}

/// Pieces of blocks, cut into segments, and the trees or transfers that carry them.
struct forest_cargo {
    owned_array<forest_piece> pieces;                            ///< per tree
    collsched::detail::shared<trees::detail::forest_hops> hops;  ///< of the trees with a piece that is not empty
    step_t segments = 1;                                         ///< of each piece

    /// The same number of segments for all pieces, so that the largest piece has segments of at most `most` elements;
    /// 0: one segment. O(trees) if no piece is empty, else O(ranks + edges).
    constexpr forest_cargo(const auto& forest, owned_array<forest_piece> cut, std::int64_t most)
        : pieces(static_cast<owned_array<forest_piece>&&>(cut)), hops(forest.hops()) {
        bool all = true;
        for (const forest_piece& piece : pieces) {
            all = all && piece.count > 0;
            if (const step_t n = collsched::detail::piece_count(piece.count, most); n > segments) segments = n;
        }
        const auto used = [this](std::int64_t t) { return pieces[t].count > 0; };
        if (!all) hops = collsched::detail::shared(trees::detail::forest_hops(forest.value(), used));
    }

    /// Returns segment s of a piece of n elements: from element ceil(n s / S) on. With n >= S none is empty.
    constexpr forest_piece segment(std::int64_t tree, step_t s) const {
        const forest_piece& piece = pieces[tree];
        const std::int64_t remaining = share(piece.count, segments - s, segments);
        return {piece.root, piece.first + piece.count - remaining,
                remaining - share(piece.count, segments - s - 1, segments)};
    }
};

/// Schedule of an allgather or a broadcast over a forest. In step k a rank sends segment k - l of the piece of each
/// tree in which it is l steps from the root, for all l. An edge takes as many steps as its path has links, at least 2.
/// Or schedule of an allgather by planned transfers: a rank sends segment k - l of the piece of each chunk that it sends
/// in step l.
template <class Trees>
class forest_pipeline {
  public:
    rank_t ranks;

    /// Cuts blocks, or the message. O(trees), and O(ranks + edges) if a tree has an empty piece.
    /// @param contract  an allgather or a broadcast
    /// @param forest    trees of each rank that has bytes, or transfers
    /// @param segment   largest segment in bytes; 0: no segments
    /// @param window    pacing
    /// @param error     first error of the parameters; with an error the schedule has no messages
    constexpr forest_pipeline(const collsched::contract& contract, const Trees& forest, bytes_t segment, step_t window,
                              const argument_error& error)
        : ranks(contract.ranks),
          contract_(contract),
          window_(window),
          segment_(segment),
          forest_(forest),
          error_(error),
          cargo_(load()) {}

    constexpr step_t steps() const { return cargo_->segments - 1 + (depth() > 0 ? depth() : 1); }
    constexpr step_t next(rank_t r, step_t k) const { return busy(r).from(k, steps()); }
    /// Returns step 0 for a rank with bytes of its own, and the steps in which segments can pass a rank.
    constexpr collsched::detail::step_ranges busy(rank_t r) const {
        const collsched::detail::step_ranges levels{cargo_->hops->sends.levels(r), cargo_->hops->receives.levels(r)};
        step_range messages = levels.hull();
        if (!messages.empty()) messages.last += cargo_->segments - 1;
        return {bytes_of(r) > 0 ? step_range{0, 0} : step_range{}, messages};
    }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (k == 0)
            collsched::detail::join_runs({.src = r, .dst = r},
                                         collsched::detail::run_cursor(buffer::input, {0, bytes_of(r)}),
                                         collsched::detail::run_cursor(buffer::output, {place_of(r), bytes_of(r)}), f);
        cargo_->hops->sends.visit(r, levels(k), [&](const trees::detail::forest_hop& hop) {
            transfer({.step = k, .src = r, .dst = hop.peer}, hop, f);
        });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        cargo_->hops->receives.visit(r, levels(k), [&](const trees::detail::forest_hop& hop) {
            transfer({.step = k, .src = hop.peer, .dst = r}, hop, f);
        });
    }

    static constexpr bool scratchless = true;
    constexpr bytes_t scratch(rank_t) const { return 0; }
    constexpr bytes_t staging(rank_t) const { return 0; }
    /// Allows for segments that are on their way along the longest path.
    constexpr collsched::pacing pacing() const { return {window_ > 0 ? window_ - 1 + cargo_->hops->longest : 0}; }
    constexpr collsched::contract contract() const { return contract_; }
    constexpr argument_error check() const {
        if (error_) return error_;
        if (cargo_->segments < step_t{1} << 61) return {};
        return {"segment", segment_, "segments so large that there are less than 2^61 of them"};
    }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("forest pipeline", contract_, forest_, segment_, window_);
    }

  private:
    constexpr forest_cargo load() const {
        if (error_) return {Trees(), owned_array<forest_piece>(), 0};
        const auto elements = [this](rank_t root) { return bytes_of(root) / contract_.element; };
        return {forest_, pieces_of(forest_.value(), elements), segment_ / contract_.element};
    }
    constexpr step_t depth() const { return cargo_->hops->depth; }
    /// Returns the levels whose ranks send in step k.
    constexpr step_range levels(step_t k) const {
        const step_t segments = cargo_->segments;
        return {k < segments ? 0 : k - segments + 1, k};
    }
    /// Returns the bytes that a rank sends to all others, and their place in `output` of each rank.
    constexpr bytes_t bytes_of(rank_t r) const { return contract_.input_bytes(r); }
    constexpr bytes_t place_of(rank_t r) const {
        return contract_.collective == collective::broadcast ? 0 : contract_.layout().displ(r);
    }
    constexpr void transfer(edge e, const trees::detail::forest_hop& hop, auto& f) const {
        const forest_piece moved = cargo_->segment(hop.tree, e.step - hop.level);
        if (moved.count == 0) return;
        const bytes_t offset = moved.first * contract_.element, place = place_of(moved.root);
        e.size = moved.count * contract_.element;
        e.from = e.src == moved.root ? buffer::input : buffer::output;
        e.from_offset = e.src == moved.root ? offset : place + offset;
        e.into_offset = place + offset;
        f(static_cast<const edge&>(e));
    }

    collsched::contract contract_;
    step_t window_;
    bytes_t segment_;
    Trees forest_;
    argument_error error_;
    collsched::detail::shared<forest_cargo> cargo_;
};

/// Returns an error unless the forest has p ranks, and trees of every rank for which sends(rank) is true. O(p).
constexpr argument_error check_roots(const trees::planned_forest& forest, rank_t p, auto sends) {
    if (argument_error error = forest.check(p)) return error;
    for (rank_t r = 0; p > 1 && r < p; ++r)
        if (sends(r) && forest.trees_of(r).empty()) return {"forest", 0, "trees of every rank that sends bytes", r};
    return {};
}

}}}  // namespace collsched::COLLSCHED_ABI::broadcast::detail
