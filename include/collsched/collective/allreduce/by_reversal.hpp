#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/collective/with_contract.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/combine/then.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

/// Returns the contract of one half of an allreduce: an allgather of the parts of the message, or a broadcast.
/// @param half   allgather or broadcast
/// @param contract  contract of the allreduce
constexpr contract half_contract(collective half, const contract& contract) {
    return {.collective = half,
            .ranks = contract.ranks,
            .blocks = half == collective::allgather
                          ? block_layout::partition(contract.bytes, contract.ranks, contract.element)
                          : block_layout(0),
            .bytes = contract.bytes,
            .element = contract.element};
}

/// Returns `down`, an allgather or a broadcast, as the second half of an allreduce: `output` has the operands too. Ranks
/// and sizes of `down` are set here.
/// @param contract  contract of the allreduce
template <algorithm Down>
constexpr auto spread_results(const Down& down, const contract& contract) {
    const collsched::contract half = half_contract(Down::info.collective, contract);
    const auto spreading = [parts = half.layout()](rank_t r, buffer b) {
        return b == buffer::input ? location{buffer::output, parts.displ(r)} : location{b, 0};
    };
    return rename_buffers(with_contract(down, half), spreading, contract);
}

/// Returns `up` in reverse, with combination, then `down`: both are allgathers of the parts of the message, or both are
/// broadcasts. Ranks and sizes of both are set here.
/// @param contract  contract of the allreduce
template <algorithm Up, algorithm Down>
constexpr auto reverse_then(const Up& up, const Down& down, contract contract) {
    static_assert(Up::info.collective == Down::info.collective);
    const collsched::contract half = half_contract(Up::info.collective, contract);
    // The result of a rank stays in `output`, at its part: no step copies it.
    const auto reduction = collsched::detail::reversed_view(with_contract(up, half), 1, true);
    contract.commutative = reduction.contract().commutative;
    const auto reducing = [parts = half.layout()](rank_t r, buffer b) {
        if (b == buffer::input) return location{b, 0};
        return location{buffer::output, b == buffer::output ? parts.displ(r) : 0};
    };
    return then(rename_buffers(reduction, reducing, contract), spread_results(down, contract));
}

}  // namespace detail

/// An allreduce by reversal: an allgather or a broadcast in reverse, with combination, then forwards. Over an allgather
/// that is a reduce_scatter of p parts of the message, then the allgather of the results. Over a broadcast it is a
/// reduce to rank 0 and the broadcast from there. Every byte of the result is combined on one rank, so all ranks have
/// the same bits.
///
/// Rounds and messages are twice those of X. Every rank sends, and receives, the sum of the bytes that it sends and
/// receives in X. Over an allgather that moves p-1 blocks per rank that is 2 m (p-1)/p bytes, up to one element per
/// part. `output` is the accumulator, scratch is that of X. Keeps the order of operands if X::reverse_keeps_order().
/// Label defines name, rounds and source.
template <described X, class Label = void>
struct by_reversal {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    X of{};

    /// Whether X is an allgather; else it is a broadcast.
    static constexpr bool in_parts = X::info.collective == collective::allgather;
    static_assert(in_parts || X::info.collective == collective::broadcast);

    static constexpr algorithm_info info = [] {
        algorithm_info result = X::info;
        result.collective = collective::allreduce;
        result.rounds = in_parts ? "twice those of the allgather" : "twice those of the broadcast";
        result.commutative = true;
        if constexpr (requires { Label::name; }) result.name = Label::name;
        if constexpr (requires { Label::rounds; }) result.rounds = Label::rounds;
        if constexpr (requires { Label::source; }) result.source = Label::source;
        return result;
    }();

    constexpr auto view() const { return detail::reverse_then(of, of, contract_of(*this)); }
    /// Returns whether step 0 only copies `input` to `output`, on every rank: always.
    static constexpr bool copies_first() { return true; }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        own_parameters<X>(self.of, f);
    }
    bool operator==(const by_reversal&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
