#pragma once

#include "collsched/core/slot_layout.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace neighbor_alltoall {

namespace detail {

/// A neighborhood collective in one step: every rank sends each block from its place in `input` to its place in
/// `output` of the target. Blocks for the rank itself are copied. See linear here and in neighbor_allgather.
template <collective Collective, class Slots>
struct in_one_step {
    rank_t ranks = 1;
    neighborhood neighbors{};
    Slots block = 0;

    static constexpr algorithm_info info{
        .collective = Collective, .name = "linear", .rounds = "1", .source = "folklore"};

    class slot_by_slot;
    constexpr slot_by_slot view() const { return slot_by_slot(*this); }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("neighbors", self.neighbors);
        f("block", self.block);
    }
    bool operator==(const in_one_step&) const = default;
};

/// The schedule. O(own slots) per rank.
template <collective Collective, class Slots>
class in_one_step<Collective, Slots>::slot_by_slot {
  public:
    rank_t ranks;

    constexpr explicit slot_by_slot(const in_one_step& algorithm) : ranks(algorithm.ranks), algorithm_(algorithm) {
        const neighborhood& lists = algorithm.neighbors;
        if (lists.check(lists.ranks())) return;
        for (rank_t r = 0; r < lists.ranks() && steps_ == 0; ++r)
            for (rank_t i = 0; i < lists.out_degree(r) && steps_ == 0; ++i)
                if (lists.target(r, i) != neighborhood::none) steps_ = 1;
    }

    /// 1, or 0 where no rank has a neighbor.
    constexpr step_t steps() const { return steps_; }
    constexpr step_t next(rank_t, step_t k) const { return k < steps_ ? k : steps_; }

    constexpr void sends(rank_t r, step_t, auto f) const {
        for (rank_t i = 0; i < algorithm_.neighbors.out_degree(r); ++i) emit(r, i, f);
    }
    constexpr void receives(rank_t r, step_t, auto f) const {
        for (rank_t j = 0; j < algorithm_.neighbors.in_degree(r); ++j)
            if (const rank_t src = algorithm_.neighbors.source(r, j); src != r && src != neighborhood::none)
                emit(src, algorithm_.neighbors.departure(r, j), f);
    }

    static constexpr bool scratchless = true;
    constexpr bytes_t scratch(rank_t) const { return 0; }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const { return contract_of(algorithm_); }
    constexpr argument_error check() const { return check_parameters(algorithm_); }
    constexpr std::uint64_t fingerprint() const { return collsched::detail::describe(algorithm_); }

  private:
    /// Emits the block of out-slot i of rank r.
    constexpr void emit(rank_t r, rank_t i, auto& f) const {
        const rank_t dst = algorithm_.neighbors.target(r, i);
        const byte_range sent = algorithm_.block.sent(algorithm_.neighbors, r, i);
        if (dst == neighborhood::none || sent.size == 0) return;
        const bytes_t into = algorithm_.block.recv_displ(algorithm_.neighbors, dst, algorithm_.neighbors.arrival(r, i));
        f(edge{.src = r, .dst = dst, .from_offset = sent.offset, .into_offset = into, .size = sent.size});
    }

    in_one_step algorithm_;
    step_t steps_ = 0;
};

}  // namespace detail

/// Every rank sends a different block to each target, in one step.
///
/// Rounds 1 (0 if no two ranks are neighbors, or no bytes are exchanged), with one message per ordered pair of
/// neighbors and one edge per slot. Every rank sends and receives the bytes of its slots once, except those for itself,
/// which it copies. No scratch.
/// Source: folklore.
using linear = detail::in_one_step<collective::neighbor_alltoall, slot_layout::exchanged>;

}}}  // namespace collsched::COLLSCHED_ABI::neighbor_alltoall

namespace collsched { inline namespace COLLSCHED_ABI { namespace neighbor_allgather {

/// Every rank sends its block to all its targets, in one step.
///
/// Rounds 1 (0 if no two ranks are neighbors, or no bytes are exchanged), with one message per ordered pair of
/// neighbors and one edge per slot. A rank sends its block once for each out-slot to another rank, receives one block
/// for each in-slot from another rank, and copies it for each slot to itself. No scratch.
/// Source: folklore.
using linear = neighbor_alltoall::detail::in_one_step<collective::neighbor_allgather, slot_layout::gathered>;

}}}  // namespace collsched::COLLSCHED_ABI::neighbor_allgather
