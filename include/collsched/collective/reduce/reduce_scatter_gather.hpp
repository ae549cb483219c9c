#pragma once

#include "collsched/collective/allgather/interval_halving.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/with_contract.hpp"
#include "collsched/combine/relabel.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/combine/then.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace reduce {

/// A reduce_scatter of p parts of the message (the reverse of the given allgather), then a gather of the results over a
/// binomial tree.
///
/// Rounds: those of the allgather plus ceil(log2 p). Over an allgather that moves p-1 blocks per rank the root receives
/// 2 m (p-1)/p bytes, whereas a tree delivers m ceil(log2 p) to it. Scratch: m bytes for the accumulator, plus that of
/// the gather; the root accumulates in `output`. Keeps the order of operands if Allgather::reverse_keeps_order().
/// Source: Rabenseifner 2004.
template <described Allgather, class Label>
struct reduce_scatter_gather {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    Allgather of{};

    static constexpr algorithm_info info{.collective = collective::reduce,
                                         .name = Label::name,
                                         .ranks = Allgather::info.ranks,
                                         .rounds = Label::rounds,
                                         .source = "Rabenseifner 2004",
                                         .commutative = true};

    constexpr auto view() const {
        using gather_parts = gather::over_tree<trees::binomial>;
        contract contract = contract_of(*this);
        const block_layout parts = block_layout::partition(bytes, ranks, element);
        const auto sums = [root = root](rank_t r) { return r == root ? buffer::output : buffer::scratch; };
        const auto reducing = [parts, sums](rank_t r, buffer b) {
            if (b == buffer::input) return location{b, 0};
            return location{sums(r), b == buffer::output ? parts.displ(r) : 0};
        };
        const auto gathering = [parts, sums, held = bytes](rank_t r, buffer b) {
            if (b == buffer::input) return location{sums(r), parts.displ(r)};
            return location{b, b == buffer::scratch && sums(r) == b ? held : 0};
        };
        const collsched::contract part{.ranks = ranks, .root = root, .blocks = parts};
        // The parts stay in the accumulators, from which the gather sends them: no step copies them.
        const auto scattering = collsched::detail::reversed_view(with_contract(of, part), 1, true);
        contract.commutative = scattering.contract().commutative;
        return then(rename_buffers(scattering, reducing, contract),
                    rename_buffers(with_contract(gather_parts{}, part), gathering, contract));
    }
    /// Returns an error for bytes of 2^62 or more, since the gather may need as much scratch in addition.
    constexpr argument_error check() const {
        if ((checked(2) * bytes).ok()) return {};
        return {"bytes", bytes, "2 * bytes below 2^63"};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        own_parameters<Allgather>(self.of, f);
    }
    bool operator==(const reduce_scatter_gather&) const = default;
};

namespace detail {

struct rabenseifner_label {
    static constexpr const char* name = "rabenseifner";
    static constexpr const char* rounds = "2 log2 p; floor(log2 p) + 2 + ceil(log2 p) where p is no power of two";
};

}  // namespace detail

/// A reduce_scatter by recursive halving of p parts of the message, then a binomial gather of the results.
///
/// Rounds 2 log2 p, or floor(log2 p) + 2 + ceil(log2 p); see reduce_scatter_gather. A rank sends at most m (3/2 - 1/p)
/// bytes if p is a power of two, else less than 3/2 m, up to one element per part.
/// Source: Rabenseifner 2004, "Optimization of collective reduction operations".
using rabenseifner = reduce_scatter_gather<allgather::recursive_doubling, detail::rabenseifner_label>;

namespace detail {

struct interval_halving_label {
    static constexpr const char* name = "interval-halving";
    static constexpr const char* rounds = "2 ceil(log2 p)";
};

}  // namespace detail

/// reduce_scatter::interval_halving of p parts of the message, then a binomial gather of the results. For every root
/// each element of the result is the canonical tree: for n ranks (the first ceil(n/2)) op (the others), recursively.
///
/// Rank r has the part of its place in interval_order, and the tree of the gather is that of the places. So the parts
/// of a message are consecutive.
///
/// Rounds 2 ceil(log2 p); see reduce_scatter_gather. A rank sends less than 3/2 m bytes, up to one element per part.
/// Keeps the order of operands. Time O(log p) per message.
/// Source: Rabenseifner 2004 for powers of two.
struct interval_halving {
    using by_place =
        reduce_scatter_gather<allgather::detail::interval_halving_by_place, detail::interval_halving_label>;

    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info = [] {
        algorithm_info result = by_place::info;
        result.commutative = false;
        return result;
    }();

    constexpr auto view() const {
        const collsched::detail::interval_order order{ranks};
        const rank_t place = check_parameters(*this) ? 0 : order.virtual_rank(root);
        return relabel(by_place{.ranks = ranks, .root = place, .bytes = bytes, .element = element}, order,
                       contract_of(*this));
    }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const interval_halving&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::reduce
