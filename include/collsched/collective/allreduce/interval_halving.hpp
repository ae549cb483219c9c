#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/allreduce/detail/on_pieces.hpp"
#include "collsched/combine/relabel.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

struct interval_halving_label {
    static constexpr const char* name = "interval-halving";
    static constexpr const char* rounds = "2 ceil(log2 p) + S-1";
    static constexpr bool by_place = true;  // ranks and parts are numbered by interval_order
};

struct interval_halving_by_dimension_label {
    static constexpr const char* name = "interval-halving-by-dimension";
    static constexpr const char* rounds = "ceil(log2 p) + sum of n-1 over the dimensions + S-1";
    static constexpr bool by_place = false;
};

}  // namespace detail

/// reduce_scatter::interval_halving of p parts of the message, then an allgather of the results, on pieces of at most
/// `segment` bytes (0: one piece), each one step after the previous one. Every element of the result is the canonical
/// tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rounds ceil(log2 p) and those of the allgather, plus one for each further piece. Every rank sends m (p-1)/p bytes,
/// and receives as many if p is a power of two, else at most 3/2 as many, up to one element per part of a piece; and
/// those of the allgather. Keeps the order of operands. Scratch: none beyond that of the allgather.
/// Source: Rabenseifner 2004 for powers of two.
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
        const contract whole = contract_of(*this);
        if constexpr (Label::by_place) {
            contract by_place = whole;
            by_place.commutative = true;
            return relabel(then_allgather(allgather::detail::interval_halving_by_place{}, by_place),
                           interval_order{ranks}, whole);
        } else {
            return then_allgather(allgather::interval_halving{}, whole);
        }
    }
    constexpr argument_error check() const {
        if (pieces() < rank_t{1} << 62 && (checked(pieces()) + ranks + 64).ok()) return {};
        return {"segment", segment, "segments so large that there are less than 2^62, and less than 2^63 - p - 64"};
    }

    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("bytes", self.bytes);
        f("element", self.element);
        f("segment", self.segment);
        own_parameters<Allgather>(self.of, f);
    }
    bool operator==(const interval_halving_then&) const = default;

  private:
    template <class Exchange>
    constexpr auto then_allgather(const Exchange& exchange, const contract& whole) const {
        return detail::on_pieces(whole, pieces(), 1, [this, &exchange, &whole](bytes_t size) {
            contract piece = whole;
            piece.bytes = size;
            return detail::reverse_then(exchange, of, piece);
        });
    }
};

/// reduce_scatter::interval_halving, then allgather::circulant: 2 ceil(log2 p) + S-1 rounds in S pieces. Every rank
/// sends 2 m (p-1)/p bytes for every p, up to one element per part of a piece. No scratch. See interval_halving_then.
///
/// Rank r has the part of its place in interval_order, and the circulant allgather is that of the places. So the parts
/// of a message are consecutive modulo p, and neighboring ranks exchange the longest messages. Time O(log p) per
/// message.
using interval_halving = interval_halving_then<allgather::circulant, detail::interval_halving_label>;
/// reduce_scatter::interval_halving, then allgather::by_dimension. See interval_halving_then.
using interval_halving_by_dimension =
    interval_halving_then<allgather::by_dimension, detail::interval_halving_by_dimension_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
