#pragma once

#include "collsched/collective/broadcast/detail/circulant_pipeline.hpp"
#include "collsched/collective/broadcast/detail/whole_store.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

namespace detail {

/// Simultaneous broadcasts of all blocks over one circulant graph. All pieces from one rank to another in one step form
/// one message. All blocks are cut into the same number of pieces of whole elements; a small block has empty pieces.
struct simultaneous_broadcasts {
    rank_t ranks;
    block_layout blocks;
    bytes_t element;
    rank_t pieces;
    argument_error error;  ///< belongs to the parameters

    constexpr step_t steps() const { return ranks == 1 ? 1 : run().steps(); }
    constexpr step_t next(rank_t, step_t k) const { return k < steps() ? k : steps(); }
    constexpr collsched::detail::step_ranges busy(rank_t) const { return {{0, steps() - 1}}; }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        const collsched::detail::run_cursor from_root(buffer::input, {0, blocks.count(r)});
        if (k == 0)
            collsched::detail::join_runs({.src = r, .dst = r}, from_root,
                                         collsched::detail::run_cursor(buffer::output, blocks, ranks, {r, 1}), f);
        if (ranks > 1) transfers(r, wrap(r + run().distance(k), ranks), k, f);
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        if (ranks > 1) transfers(wrap(r - run().distance(k), ranks), r, k, f);
    }

    static constexpr bool scratchless = true;
    constexpr bytes_t scratch(rank_t) const { return 0; }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const {
        return {.collective = collective::allgather, .ranks = ranks, .blocks = blocks, .element = element};
    }
    constexpr argument_error check() const { return error ? error : run().check(); }
    constexpr std::uint64_t fingerprint() const {
        return fingerprint_of("simultaneous broadcasts", contract(), pieces);
    }

  private:
    constexpr broadcast::detail::circulant_pipeline run() const { return {ranks, pieces}; }

    /// Calls f for the pieces of all blocks that dst receives from src in step k. Adjacent pieces form one edge.
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto& f) const {
        edge joined{.step = k, .src = src, .dst = dst};
        run().arrivals(k, [&](rank_t v, rank_t piece) {
            const edge e = transfer(joined, wrap(dst - v, ranks), piece);
            const bool behind = e.from == joined.from && e.from_offset == joined.source().end() &&
                                e.into_offset == joined.target().end();
            if (e.size == 0) return;
            if (behind) {
                joined.size += e.size;
                return;
            }
            if (joined.size > 0) f(static_cast<const edge&>(joined));
            joined = e;
        });
        if (joined.size > 0) f(static_cast<const edge&>(joined));
    }
    constexpr edge transfer(edge e, rank_t root, rank_t piece) const {
        const block_layout cut = block_layout::partition(blocks.count(root), pieces, element);
        const bool from_root = e.src == root;
        e.from = from_root ? buffer::input : buffer::output;
        e.into_offset = blocks.displ(root) + cut.displ(piece);
        e.from_offset = from_root ? cut.displ(piece) : e.into_offset;
        e.size = cut.count(piece);
        return e;
    }
};

}  // namespace detail

/// broadcast::circulant of all blocks at the same time. The largest block is cut into S pieces of at most `segment`
/// bytes (0: one piece), and all other blocks into S pieces of whole elements.
/// @pre `element` divides every count
///
/// Rounds S-1+q, q = ceil(log2 p), for every p. Every rank receives every other block once, and sends as many bytes if
/// all blocks are equal. No scratch. A message has at most m/S + p * element bytes for m bytes of all blocks, for any
/// distribution of sizes. If a message of n bytes takes alpha + beta n, the allgather takes at most (S-1+q) (alpha +
/// beta (m/S + p * element)). For one nonempty block that is the time of a broadcast. With about sqrt((q-1) m beta /
/// alpha) pieces it is close to the time to receive m bytes.
///
/// O(p log p) per step and rank; with one piece O(p log p) for all steps of a rank together.
/// Source: Traeff 2024, "Optimal broadcast schedules in logarithmic time".
struct circulant_blocks {
    rank_t ranks = 1;
    block_layout block = 0;
    bytes_t element = 1;
    bytes_t segment = 0;

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "circulant-blocks",
                                         .rounds = "S-1+ceil(log2 p)",
                                         .source = "Traeff 2024"};

    constexpr detail::simultaneous_broadcasts view() const {
        const argument_error error = check_parameters(*this);
        return {ranks, block, element, error ? 1 : collsched::detail::piece_count(largest(), segment), error};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
    }
    bool operator==(const circulant_blocks&) const = default;

  private:
    constexpr bytes_t largest() const {
        bytes_t result = 0;
        for (rank_t i = 0; i < ranks; i += stride()) result = block.count(i) > result ? block.count(i) : result;
        return result;
    }
    /// Returns the distance between blocks that are inspected. The first and the last block determine a regular layout.
    constexpr rank_t stride() const { return block.irregular() || ranks == 1 ? 1 : ranks - 1; }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
