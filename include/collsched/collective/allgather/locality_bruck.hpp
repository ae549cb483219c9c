#pragma once

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/core/digits.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Bruck's algorithm among regions of R = group consecutive ranks, which share the links to other regions. First the
/// ranks of a region collect their R blocks. Before stage i = 1, 2, ... a region holds the blocks of R^(i-1) regions:
/// its own and the following ones. In stage i rank l > 0 of a region receives the missing blocks of the region l *
/// R^(i-1) further on from rank l there, and all ranks of a region exchange the received blocks. Collection and
/// exchange within a region use allgather::circulant, in ceil(log2 R) steps.
///
/// Rounds, for p > 1, ceil(log_R p) * (ceil(log2 R) + 1) - 1, including ceil(log_R p) - 1 between regions. Every rank
/// receives p-1 blocks, sends as many on average, and sends at most one message per step. Rank l > 0 of a region sends
/// ceil(log_R(p/l)) - 1 messages to other regions, rank 0 none. The message of stage i has min(R^i, p - l * R^i)
/// blocks. A region thus sends and receives p-R blocks, the minimum. R divides p; a region size above p counts as p and
/// gives the circulant algorithm. Regions of one rank are an error. No scratch.
/// Source: Bienz, Gautam, Kharel 2022, "A locality-aware Bruck allgather".
struct locality_bruck {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t group = 2;  ///< ranks per region R, 2 or more; a divisor of p, or above p, which counts as p

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "locality-bruck",
                                         .ranks = "a multiple of group",
                                         .rounds = "ceil(log_k p) (ceil(log2 k) + 1) - 1, groups of k",
                                         .source = "Bienz, Gautam, Kharel 2022"};

    constexpr argument_error check() const {
        if (group < 2) return {"group", group, "2 or more: one rank alone shares no way"};
        if (ranks % region() != 0) return {"ranks", ranks, "a multiple of group, or less than group"};
        return {};
    }
    constexpr step_t steps() const { return ranks == 1 ? 0 : ceil_log(region(), ranks) * period() - 1; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (crosses(k)) {
            if (crosses_for(r, k)) f(wrap(r - part(k, local(r)), ranks));
        } else {
            within().targets(local(r), spread(k), [&](rank_t l) { f(region_start(r) + l); });
        }
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (crosses(k)) {
            if (crosses_for(r, k)) f(wrap(r + part(k, local(r)), ranks));
        } else {
            within().sources(local(r), spread(k), [&](rank_t l) { f(region_start(r) + l); });
        }
    }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        if (crosses(k)) return f(block_interval{region_start(src), part(k, local(src) + 1) - part(k, local(src))});
        within().message(local(src), local(dst), spread(k), [&](block_interval parts) {
            const rank_t end = parts.first + parts.count, turn = end < region() ? end : region();
            emit(region_start(src), k, parts.first, turn, f);
            emit(region_start(src), k, 0, end - turn, f);
        });
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("group", self.group);
    }
    bool operator==(const locality_bruck&) const = default;

  private:
    constexpr rank_t region() const { return group < ranks ? group : ranks; }
    constexpr rank_t local(rank_t r) const { return r % region(); }
    constexpr rank_t region_start(rank_t r) const { return r - local(r); }
    constexpr circulant within() const { return {.ranks = region()}; }

    /// Returns the number of steps per stage: one between regions, which stage 0 lacks, and those within regions.
    constexpr step_t period() const { return within().steps() + 1; }
    constexpr step_t stage(step_t k) const { return (k + 1) / period(); }
    constexpr bool crosses(step_t k) const { return (k + 1) % period() == 0; }
    constexpr step_t spread(step_t k) const { return (k + 1) % period() - 1; }

    /// Returns the first block of part l of a stage, relative to the region's own. Part l, which local rank l
    /// contributes, is the blocks part(k, l) .. part(k, l+1) - 1.
    constexpr rank_t part(step_t k, rank_t l) const {
        const rank_t width = power(region(), stage(k));
        return l <= (ranks - 1) / width ? l * width : ranks;
    }
    constexpr bool crosses_for(rank_t r, step_t k) const { return local(r) > 0 && part(k, local(r)) < ranks; }

    /// Emits the parts first .. last-1. From stage 1 on every rank holds part 0.
    constexpr void emit(rank_t region_start, step_t k, rank_t first, rank_t last, auto& f) const {
        const rank_t from = part(k, first == 0 && stage(k) > 0 ? 1 : first), to = part(k, last);
        if (from < to) f(block_interval{wrap(region_start + from, ranks), to - from});
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
