#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/allreduce/detail/on_pieces.hpp"
#include "collsched/combine/local_step.hpp"
#include "collsched/combine/relabel.hpp"
#include "collsched/core/bits.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/place_parts.hpp"
#include "collsched/core/detail/rank_interval.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce::detail {

/// The first half of an allreduce, with ranks and parts of the message numbered by place (interval_order): place v ends
/// with the result of part v in `output`. Every element is combined in the canonical tree, with the operands in the order
/// of the ranks that have these places.
///
/// An exchange merges the 2^g parts of an interval g levels below it, the smallest intervals first. Before it, each place
/// holds partial results of its part of the message at the lower depth d, and after it those of its part at depth d - g
/// (place_parts), which is contained in the former. In step j = 1 .. 2^g - 1 of an exchange place v receives from the
/// places v + delta and v + delta - 2^d for delta = j 2^(d-g), which together have what v lacks from one of the other
/// parts. Radix k: ceil(log2 p) levels are divided among the fewest exchanges with 2^g <= k, evenly, with more levels in
/// the first ones.
///
/// Siblings at the deepest level are combined on arrival: the second one with the first, in a slot of scratch, and the
/// sibling of the own part with `output`. Then g-1 steps of local edges combine the slots of siblings in that of the
/// lower one, or in `output` where place v is in one of them. An exchange of one level needs neither. Step 0 copies
/// `input` to `output`.
///
/// Rounds: the sum of 2^g - 1 over the exchanges. Places send m (p-1)/p bytes. Scratch: 2^(g-1) - 1 slots at most, which
/// together are m (1/2 - 1/k) bytes where p is a power of two, else less than m, up to the rounding of parts.
/// O(log p) per message, O(log p + edges) per step of local edges.
struct interval_exchange {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    std::int64_t radix = 2;  ///< most parts per exchange, 2 or more; counts as the power of two up to it

    static constexpr algorithm_info info{.collective = collective::allreduce, .name = "interval-exchange"};

    /// An exchange of the parts of depth `depth`, which merges `levels` levels.
    struct exchange {
        step_t depth, levels;
        step_t shift = 0;  ///< step within the exchange, from 1

        constexpr step_t after() const { return depth - levels; }
        constexpr rank_t parts() const { return rank_t{1} << levels; }
        constexpr step_t steps() const { return parts() - 1 + levels - 1; }
        constexpr bool is_message() const { return shift < parts(); }
        constexpr rank_t part_of(rank_t v) const { return (v >> after()) & (parts() - 1); }
        constexpr rank_t sibling(rank_t part) const { return part ^ (parts() / 2); }
    };

    constexpr argument_error check() const {
        if (radix < 2) return {"radix", radix, "2 or more"};
        if (ranks >= rank_t{1} << 61) return {"ranks", ranks, "less than 2^61"};
        for (step_t i = 0; i < exchanges(); ++i)
            if (!slot_bytes(number(i)).ok()) return {"bytes", bytes, "scratch of less than 2^63 bytes"};
        return {};
    }
    constexpr step_t steps() const {
        step_t sum = 1;
        for (step_t i = 0; i < exchanges(); ++i) sum += number(i).steps();
        return sum;
    }
    /// O(log p).
    constexpr bytes_t scratch(rank_t) const {
        bytes_t most = 0;
        for (step_t i = 0; i < exchanges(); ++i)
            if (const bytes_t all = collsched::detail::saturated(slot_bytes(number(i))); all > most) most = all;
        return most;
    }

    constexpr void targets(rank_t v, step_t k, auto f) const {
        const exchange x = at(k);
        peers(v, x, x.parts() - x.shift, [&](rank_t peer) {
            if (shared(v, peer, x).size > 0) f(peer);
        });
    }
    constexpr void sources(rank_t v, step_t k, auto f) const {
        const exchange x = at(k);
        peers(v, x, x.shift, [&](rank_t peer) {
            if (shared(peer, v, x).size > 0) f(peer);
        });
    }
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto f) const {
        const exchange x = at(k);
        const rank_t from = x.part_of(src), own_part = x.part_of(dst), sibling = x.sibling(from);
        const byte_range moved = shared(src, dst, x);
        edge e{.from_offset = moved.offset, .into_offset = moved.offset, .size = moved.size, .from = buffer::output};
        if (sibling == own_part || (x.shift > x.parts() / 2 && is_part(dst, sibling, x)))
            e.action = from < sibling ? action::combine_before : action::combine_after;
        if (sibling != own_part) {
            const byte_range kept = shared(dst, dst, x);
            e.into = buffer::scratch;
            e.into_offset += slot(from, own_part, x) * kept.size - kept.offset;
        }
        f(static_cast<const edge&>(e));
    }
    constexpr void local(rank_t v, step_t k, auto f) const {
        if (k == 0) return collect(v, f);
        const exchange x = at(k);
        const step_t level = x.levels - 2 - (x.shift - x.parts());
        if (!x.is_message() && level >= 0) combine(v, x, level, f);
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("radix", self.radix);
    }
    bool operator==(const interval_exchange&) const = default;

  private:
    constexpr step_t exchanges() const {
        const step_t most = floor_log2(radix);
        return (ceil_log2(ranks) + most - 1) / most;
    }
    /// Returns exchange i, in the order of time.
    constexpr exchange number(step_t i) const {
        const step_t all = ceil_log2(ranks), per_exchange = all / exchanges(), longer = all % exchanges();
        return {all - i * per_exchange - (i < longer ? i : longer), per_exchange + (i < longer ? 1 : 0)};
    }
    /// Returns the exchange of step k. Step 0 is one without levels.
    constexpr exchange at(step_t k) const {
        step_t i = 0;
        exchange found{0, 0};
        for (step_t first = 1; first <= k && i < exchanges(); first += found.steps())
            found = number(i++), found.shift = k - first + 1;
        return found;
    }
    constexpr void peers(rank_t v, const exchange& x, rank_t parts_up, auto f) const {
        if (x.shift == 0 || !x.is_message()) return;
        const rank_t up = parts_up << x.after(), down = (x.parts() - parts_up) << x.after();
        if (v >= down) f(v - down);
        if (v < ranks - up) f(v + up);
    }
    /// Returns the bytes that place `src` holds before the exchange and place `dst` after it.
    constexpr byte_range shared(rank_t src, rank_t dst, const exchange& x) const {
        const block_interval blocks = collsched::detail::place_parts{ranks}.shared(src, x.depth, dst, x.after());
        const bytes_t begin = layout().prefix(blocks.first);
        return {begin, layout().prefix(blocks.first + blocks.count) - begin};
    }
    constexpr block_layout layout() const { return block_layout::partition(bytes, ranks, element); }

    /// Returns the slot of a part and its sibling. Those of the own part have none.
    static constexpr rank_t slot(rank_t part, rank_t own_part, const exchange& x) {
        const rank_t pair = part % (x.parts() / 2), own_pair = own_part % (x.parts() / 2);
        return pair - (pair > own_pair ? 1 : 0);
    }
    /// Returns an upper bound of the slots of an exchange in bytes, of all places. Its largest part is in the smallest
    /// interval.
    constexpr checked slot_bytes(const exchange& x) const {
        const rank_t smallest = ranks >> x.after();
        return checked(x.parts() / 2 - 1) * layout().prefix((ranks - 1) / smallest + 1);
    }
    /// Copies `input` to `output`, separately the bytes that steps of local edges are the first to combine: those of a part
    /// without sibling. Executors need no copy of the others.
    constexpr void collect(rank_t v, auto& f) const {
        const exchange x = at(1);
        byte_range kept{};
        if (x.levels > 1 && !is_part(v, x.sibling(x.part_of(v)), x)) kept = shared(v, v, x);
        for (const byte_range run : {byte_range{0, kept.offset}, kept, byte_range{kept.end(), bytes - kept.end()}})
            f(edge{.from_offset = run.offset, .into_offset = run.offset, .size = run.size});
    }
    /// Returns whether the interval of place v has this part.
    constexpr bool is_part(rank_t v, rank_t part, const exchange& x) const {
        return (v & ((rank_t{1} << x.after()) - 1)) + (part << x.after()) < ranks;
    }
    /// Combines the parts whose numbers are equal in their lowest `level` bits, and differ in the next one. Each is in
    /// the slot of its lowest number.
    /// @param level  0 .. levels-2
    constexpr void combine(rank_t v, const exchange& x, step_t level, auto& f) const {
        const rank_t own_part = x.part_of(v), half = rank_t{1} << level;
        const byte_range kept = shared(v, v, x);
        for (rank_t lower = 0; lower < half && kept.size > 0; ++lower) {
            const rank_t upper = lower + half, own_index = own_part & (2 * half - 1);
            if (!is_part(v, upper, x)) return;
            const bool within = own_index == lower || own_index == upper;
            f(edge{.from_offset = slot(own_index == upper ? lower : upper, own_part, x) * kept.size,
                   .into_offset = within ? kept.offset : slot(lower, own_part, x) * kept.size,
                   .size = kept.size,
                   .from = buffer::scratch,
                   .into = within ? buffer::output : buffer::scratch,
                   .action = own_index == upper ? action::combine_before : action::combine_after});
        }
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce::detail

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct interval_halving_label {
    static constexpr const char* name = "interval-halving";
    static constexpr const char* rounds = "2 ceil(log2 p) + S, 2 ceil(log2 p) for S = 1";
};

struct interval_halving_by_dimension_label {
    static constexpr const char* name = "interval-halving-by-dimension";
    static constexpr const char* rounds = "sum of n-1 over the exchanges and the dimensions, in one piece";
};

}  // namespace detail

/// A reduce_scatter of p parts of the message, then an allgather of the results, on pieces of at most `segment` bytes (0:
/// one piece), each one step after the previous one. Every element of the result is the canonical tree: for n ranks (the
/// first ceil(n/2)) op (the others), recursively.
///
/// The reduce_scatter has exchanges of g levels, the smallest intervals first: the 2^g parts of an interval, g levels
/// below it, exchange partial results. g is 1, or at most log2 k if the allgather has a radix k; the ceil(log2 p) levels
/// are divided evenly among the fewest exchanges. Ranks and parts of the message are numbered by place (interval_order),
/// for the allgather too. So the parts of a message are consecutive modulo p, and neighboring ranks exchange the longest
/// messages.
///
/// Rounds, in one piece: the sum of 2^g - 1 over the exchanges, and those of the allgather; S more in S > 1 pieces, which
/// pause for a step between the two halves. Every rank sends m (p-1)/p bytes, and receives as many if p is a power of
/// two, else less than 2 m, up to one element per part of a piece; and those of the allgather. Keeps the order of
/// operands. Scratch: none for g = 1, else m (1/2 - 1/2^g) if p is a power of two, and less than m for other p, up to the
/// rounding of the parts of each piece. Time O(log p) per message.
/// Source: Rabenseifner 2004 for powers of two and radix 2.
template <described Allgather, class Label>
struct interval_halving_then {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;
    Allgather of{};

    static constexpr algorithm_info info{.collective = collective::allreduce,
                                         .name = Label::name,
                                         .ranks = Allgather::info.ranks,
                                         .rounds = Label::rounds,
                                         .source = "Rabenseifner 2004, for powers of two"};

    constexpr rank_t pieces() const { return collsched::detail::piece_count(bytes, segment); }

    constexpr auto view() const {
        const contract contract = contract_of(*this);
        const auto of_size = [&](bytes_t size) {
            collsched::contract piece = contract;
            piece.bytes = size;
            // Each of several pieces ends its exchanges before the second half of the preceding piece begins.
            const auto pause = local_step([](rank_t, auto) {}, piece, pieces() > 1);
            return then(exchange(size), then(pause, detail::spread_results(of, piece)));
        };
        return relabel(detail::on_pieces(contract, pieces(), 1, of_size), collsched::detail::interval_order{ranks},
                       contract);
    }
    constexpr argument_error check() const {
        if (pieces() >= rank_t{1} << 61 || ranks >= rank_t{1} << 61)
            return {"segment", segment, "fewer than 2^61 segments, and fewer ranks"};
        const bytes_t longest = block_layout::partition(bytes, pieces(), element).count(0);
        if (argument_error error = exchange(longest).check()) return error;
        if (!(checked(exchange(longest).scratch(0)) * pieces()).ok())
            return {"bytes", bytes, "scratch of less than 2^63 bytes"};
        return {};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
        own_parameters<Allgather>(self.of, f);
    }
    bool operator==(const interval_halving_then&) const = default;

  private:
    constexpr detail::interval_exchange exchange(bytes_t size) const {
        std::int64_t radix = 2;
        if constexpr (requires { of.radix; }) radix = of.radix;
        return {.ranks = ranks, .bytes = size, .element = element, .radix = radix};
    }
};

/// Exchanges of one level, then allgather::circulant: 2 ceil(log2 p) rounds, and S more in S > 1 pieces. Every rank sends
/// 2 m (p-1)/p bytes for every p, up to one element per part of a piece. No scratch. See interval_halving_then.
using interval_halving = interval_halving_then<allgather::circulant, detail::interval_halving_label>;
/// Exchanges of up to log2 k levels for radix k, then allgather::by_dimension with this radix. See interval_halving_then.
using interval_halving_by_dimension =
    interval_halving_then<allgather::by_dimension, detail::interval_halving_by_dimension_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
