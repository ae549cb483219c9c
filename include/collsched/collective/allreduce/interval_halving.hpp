#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/allreduce/detail/interval_exchange.hpp"
#include "collsched/collective/allreduce/detail/on_pieces.hpp"
#include "collsched/combine/local_step.hpp"
#include "collsched/combine/relabel.hpp"
#include "collsched/core/detail/interval_order.hpp"

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
