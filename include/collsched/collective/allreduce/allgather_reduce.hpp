#pragma once

#include "collsched/collective/allgather/by_dimension.hpp"
#include "collsched/collective/with_contract.hpp"
#include "collsched/combine/local_step.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/then.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

/// An allgather of all messages into scratch, after which every rank combines them itself.
///
/// Rounds: those of the allgather. For the circulant one that is ceil(log2 p) for every p, which is optimal for
/// allreduce. (p-1) m bytes sent and received per rank; p m bytes of scratch in addition to that of the allgather, and
/// (p-1) m bytes combined per rank. Keeps the order of operands, with the same bits on all ranks. Suits short messages.
/// Label defines the name, if it is another. Source: Open MPI's allgather_reduce.
template <described Allgather, class Label = void>
struct allgather_reduce {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    Allgather of{};

    static constexpr algorithm_info info = [] {
        algorithm_info result{.collective = collective::allreduce,
                              .name = "allgather-reduce",
                              .rounds = Allgather::info.rounds,
                              .source = "Open MPI"};
        if constexpr (requires { Label::name; }) result.name = Label::name;
        return result;
    }();

    constexpr auto view() const {
        const contract contract = contract_of(*this);
        const Allgather all =
            with_contract(of, {.collective = collective::allgather, .ranks = ranks, .blocks = block_layout(bytes)});
        const bool single_rank = ranks == 1;
        const auto side_by_side = [single_rank, held = (checked(ranks) * bytes).value()](rank_t, buffer b) {
            if (b == buffer::input) return location{b, 0};
            if (single_rank && b == buffer::output) return location{b, 0};
            return location{buffer::scratch, b == buffer::output ? 0 : held};
        };
        const auto copy_first = [m = single_rank ? 0 : bytes](rank_t, auto f) {
            f(edge{.size = m, .from = buffer::scratch});
        };
        const auto combine_blocks = [m = bytes, p = ranks](rank_t, auto f) {
            for (rank_t i = 1; i < p; ++i)
                f(edge{.from_offset = i * m, .size = m, .from = buffer::scratch, .action = action::combine_after});
        };
        return then(rename_buffers(all, side_by_side, contract),
                    then(local_step(copy_first, contract), local_step(combine_blocks, contract)));
    }
    constexpr argument_error check() const {
        // The allgather may need as much scratch in addition.
        if ((checked(2) * ranks * bytes).ok()) return {};
        return {"bytes", bytes, "2 * ranks * bytes below 2^63"};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        own_parameters<Allgather>(self.of, f);
    }
    static constexpr void parts(auto& self, auto f) { f(self.of); }
    bool operator==(const allgather_reduce&) const = default;
};

namespace detail {

struct allgather_reduce_by_dimension_label {
    static constexpr const char* name = "allgather-reduce-by-dimension";
};

}  // namespace detail

/// allgather::by_dimension of all messages into scratch, after which every rank combines them itself.
///
/// Rounds: the sum of n-1 over the dimensions, with n ranks or rows in them. If rows are equal, (p-1) m bytes are sent
/// and received per rank. p m bytes of scratch, and (p-1) m bytes combined per rank. Keeps the order of operands, with
/// the same bits on all ranks. Suits short messages.
/// Source: folklore.
using allgather_reduce_by_dimension =
    allgather_reduce<allgather::by_dimension, detail::allgather_reduce_by_dimension_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
