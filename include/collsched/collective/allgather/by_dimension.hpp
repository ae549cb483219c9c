#pragma once

#include "collsched/schedule/parameters.hpp"
#include "collsched/core/detail/nested_parts.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

/// Direct exchange along one dimension of a mesh of ranks after the other: first every rank sends its block to the
/// other ranks of its row, then the blocks of its row to the ranks at its place in the other rows of its plane, and so
/// on. In each step it sends to the rank that is one place further.
///
/// There are p / group rows of consecutive ranks, one at least. While 2 * radix or more are left, `radix` consecutive
/// ones form a plane, and the planes are the rows of the next dimension. The last dimension has the rest: a mesh of two
/// dimensions for p / group < 2 * radix. Rows and planes of one dimension differ by one rank at most. The last rank of
/// a larger one receives from the first rank of a smaller one, which sends twice.
///
/// Rounds: the sum of n-1 over the dimensions, with n ranks or rows in them. Every rank receives p-1 blocks, in as many
/// messages as rounds. It sends p-1 if rows are equal. No scratch.
/// Source: folklore; the algorithms for meshes of SimGrid's MPI.
struct by_dimension {
    rank_t ranks = 1;
    block_layout block = 0;
    rank_t group = 8;        ///< smallest number of ranks per row, 1 or more; a number above p counts as p
    std::int64_t radix = 8;  ///< rows per plane, 2 or more

    static constexpr algorithm_info info{.collective = collective::allgather,
                                         .name = "by-dimension",
                                         .rounds = "sum of n-1 over the dimensions",
                                         .source = "folklore"};

    constexpr argument_error check() const {
        if (group < 1) return {"group", group, "1 or more"};
        return radix < 2 ? argument_error{"radix", radix, "2 or more"} : argument_error{};
    }
    constexpr step_t steps() const { return mesh().first_step(mesh().levels()); }

    constexpr void targets(rank_t r, step_t k, auto f) const { mesh().targets(r, k, f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { mesh().sources(r, k, f); }
    constexpr void message(rank_t src, rank_t, step_t k, auto f) const {
        const auto held = mesh().at(src, mesh().level_of(k));
        f(block_interval{held.first, held.size});
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("group", self.group);
        f("radix", self.radix);
    }
    bool operator==(const by_dimension&) const = default;

  private:
    constexpr collsched::detail::nested_parts mesh() const { return {ranks, group, radix}; }
};

}}}  // namespace collsched::COLLSCHED_ABI::allgather
