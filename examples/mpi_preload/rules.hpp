#pragma once

#include <limits>

#include "arguments.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"

namespace collsched::preload {

/// The operators that a rule is for: all, all with root 0, or those that commute.
enum class operators : std::uint8_t { any, any_to_root_0, commutative };

inline constexpr bytes_t no_end = std::numeric_limits<bytes_t>::max();
inline constexpr bytes_t kib = 1024;

/// A rule. The first rule that matches is used.
struct rule {
    function what;
    rank_t ranks;   ///< at most
    bytes_t bytes;  ///< at most
    operators op;
    const char* algorithm;
    bytes_t segment = 0;
};
inline constexpr rank_t any_number = std::numeric_limits<rank_t>::max();

inline constexpr rule rules[] = {
    {function::barrier, any_number, no_end, operators::any, "dissemination"},
    {function::bcast, 2, no_end, operators::any, "binomial"},
    {function::bcast, any_number, 32 * kib, operators::any, "binomial"},
    {function::bcast, any_number, 512 * kib, operators::any, "scatter-circulant"},
    {function::bcast, any_number, no_end, operators::any, "scatter-ring"},
    {function::scatter, any_number, no_end, operators::any, "binomial"},
    {function::gather, any_number, no_end, operators::any, "binomial"},
    {function::allgather, any_number, 2 * kib, operators::any, "bruck"},
    {function::allgather, any_number, 64 * kib, operators::any, "circulant"},
    {function::allgather, any_number, no_end, operators::any, "ring"},
    {function::allgatherv, any_number, 64 * kib, operators::any, "circulant"},
    {function::allgatherv, any_number, no_end, operators::any, "ring"},
    {function::reduce, 2, no_end, operators::any, "linear"},
    {function::reduce, any_number, 64 * kib, operators::commutative, "binomial"},
    {function::reduce, any_number, no_end, operators::commutative, "rabenseifner"},
    {function::reduce, 4, no_end, operators::any, "linear"},
    {function::reduce, 16, kib, operators::any, "linear"},
    {function::reduce, any_number, no_end, operators::any_to_root_0, "binomial"},  // in order of ranks
    {function::reduce, any_number, no_end, operators::any, "linear"},
    {function::allreduce, any_number, 8 * kib, operators::any, "recursive-doubling"},
    {function::allreduce, any_number, 512 * kib, operators::commutative, "rabenseifner"},
    {function::allreduce, any_number, no_end, operators::commutative, "ring"},
    {function::allreduce, any_number, no_end, operators::any, "recursive-doubling"},
    {function::reduce_scatter, any_number, 512 * kib, operators::commutative, "recursive-halving"},
    {function::reduce_scatter, any_number, no_end, operators::commutative, "pairwise"},
    {function::reduce_scatter, any_number, no_end, operators::any, "butterfly"},
    {function::reduce_scatter_block, any_number, 512 * kib, operators::commutative, "recursive-halving"},
    {function::reduce_scatter_block, any_number, no_end, operators::commutative, "pairwise"},
    {function::reduce_scatter_block, any_number, no_end, operators::any, "butterfly"},
    {function::alltoall, 4, no_end, operators::any, "linear"},
    {function::alltoall, any_number, 256, operators::any, "bruck"},
    {function::alltoall, any_number, 32 * kib, operators::any, "linear"},
    {function::alltoall, any_number, no_end, operators::any, "pairwise"},
    {function::scan, any_number, no_end, operators::any, "recursive-doubling"},
    {function::exscan, any_number, no_end, operators::any, "recursive-doubling"},
};

}  // namespace collsched::preload
