#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "foreign_algorithms.hpp"
#include "openmpi_collectives.hpp"
#include "openmpi_rules.hpp"

namespace collsched::foreign {

/// The arguments of ranks for which an algorithm of Open MPI is correct.
enum class right_for : std::uint8_t {
    any,    ///< all arguments that MPI allows, such as different or resized datatypes of one signature
    equal,  ///< counts and datatypes that are equal on all ranks, also where MPI ignores them
    none    ///< incorrect or failing for some equal arguments too, or not known to be correct
};

/// An algorithm number in rules files of Open MPI, with its properties.
struct openmpi_algorithm {
    openmpi_rules::collective collective;
    int number;
    std::string_view name;                 ///< name in Open MPI
    const char* algorithm = nullptr;       ///< the equivalent algorithm of this library; null: none
    right_for types = right_for::any;      ///< without segments
    bool keeps_order = true;               ///< correct for operators that do not commute
    right_for segments = right_for::none;  ///< with segments; none if it takes no segments
    std::int64_t radix = shape::as_it_is;  ///< of the algorithm of this library
    rank_counts ranks = rank_counts::any;  ///< on others Open MPI fails for `two`, and substitutes otherwise
    std::uint8_t versions = 0b1111;        ///< bit v: this row holds for openmpi_rules::release v
    int fan = 0;                           ///< value of fan in its rules
    bool takes_requests = false;           ///< a rule's number of requests bounds those in flight

    constexpr bool holds(openmpi_rules::release version) const {
        return (versions >> static_cast<int>(version) & 1) != 0;
    }
    /// Returns the row for pricing, with the collective of this library.
    constexpr foreign_algorithm equivalent(bool with_segments) const {
        return {info_of(collective).collective, algorithm, "", with_segments, radix, ranks};
    }
};

namespace openmpi {

using enum openmpi_rules::collective;
inline constexpr right_for any_types = right_for::any, equal_types = right_for::equal, no_types = right_for::none;
inline constexpr std::uint8_t from_4_0 = 0b1111, from_4_1 = 0b1110, from_5_0 = 0b1100, only_6_0 = 0b1000,
                              before_6_0 = 0b0111, before_5_0 = 0b0011;
inline constexpr std::int64_t own_radix = shape::as_it_is;

inline constexpr openmpi_algorithm rows[] = {
    {allgather, 1, "linear"},
    {allgather, 2, "bruck", "bruck", any_types, true, no_types, 2, rank_counts::any, before_6_0},
    {allgather, 2, "bruck-k-fanout", "bruck", any_types, true, no_types, 2, rank_counts::any, only_6_0, 2},
    {allgather, 3, "recursive_doubling", "recursive-doubling", any_types, true, no_types, own_radix,
     rank_counts::powers_of_two},
    {allgather, 4, "ring", "ring"},
    {allgather, 5, "neighbor", "neighbor-exchange", any_types, true, no_types, own_radix, rank_counts::even},
    {allgather, 6, "two_proc", nullptr, any_types, true, no_types, own_radix, rank_counts::two},
    {allgather, 7, "sparbit", "sparbit", no_types, true, no_types, own_radix, rank_counts::any, from_5_0},
    {allgather, 8, "direct-messaging", "linear", equal_types, true, no_types, own_radix, rank_counts::any, only_6_0},
    {allgatherv, 1, "default"},
    {allgatherv, 2, "bruck", "bruck", any_types, true, no_types, 2},
    {allgatherv, 3, "ring", "ring"},
    {allgatherv, 4, "neighbor", "neighbor-exchange", any_types, true, no_types, own_radix, rank_counts::even},
    {allgatherv, 5, "two_proc", nullptr, any_types, true, no_types, own_radix, rank_counts::two},
    {allgatherv, 6, "sparbit", "sparbit", equal_types, true, no_types, own_radix, rank_counts::any, from_5_0},
    {allreduce, 1, "basic_linear"},
    {allreduce, 2, "nonoverlapping"},
    {allreduce, 3, "recursive_doubling", "recursive-doubling"},
    {allreduce, 4, "ring", "ring", any_types, false},
    {allreduce, 5, "segmented_ring", nullptr, any_types, false},  // with segments it crashes for resized datatypes
    {allreduce, 6, "rabenseifner", "rabenseifner"},               // linear for operators that do not commute
    {allreduce, 7, "allgather_reduce", nullptr, no_types, false, no_types, own_radix, rank_counts::any, only_6_0},
    {alltoall, 1, "linear", "linear"},
    {alltoall, 2, "pairwise", "pairwise"},
    {alltoall, 3, "modified_bruck", "bruck", equal_types, true, no_types, 2},
    {alltoall, 4, "linear_sync", "linear", any_types, true, no_types, own_radix, rank_counts::any, from_4_0, 0, true},
    {alltoall, 5, "two_proc", nullptr, any_types, true, no_types, own_radix, rank_counts::two},
    {alltoallv, 1, "basic_linear", "linear"},
    {alltoallv, 2, "pairwise", "pairwise"},
    {barrier, 1, "linear", "linear"},
    {barrier, 2, "double_ring", "double-ring"},
    {barrier, 3, "recursive_doubling", "recursive-doubling"},
    {barrier, 4, "bruck", "dissemination", any_types, true, no_types, 2},
    {barrier, 5, "two_proc", nullptr, any_types, true, no_types, own_radix, rank_counts::two},
    {barrier, 6, "tree", "binomial"},
    {bcast, 1, "basic_linear", "linear"},
    {bcast, 2, "chain", "chain", any_types, true, equal_types, 4, rank_counts::any, from_4_0, 4},
    {bcast, 3, "pipeline", "chain", any_types, true, equal_types},
    {bcast, 4, "split_binary_tree", "split-binary-tree", equal_types, true, equal_types},
    {bcast, 5, "binary_tree", "k-ary", any_types, true, equal_types, 2},
    {bcast, 6, "binomial", "binomial-doubling", any_types, true, equal_types},
    {bcast, 7, "knomial", nullptr, any_types, true, equal_types},
    {bcast, 8, "scatter_allgather", "scatter-recursive-doubling", equal_types},
    {bcast, 9, "scatter_allgather_ring", "scatter-ring", equal_types},
    {exscan, 1, "linear", "linear"},
    {exscan, 2, "recursive_doubling", "recursive-doubling"},
    {gather, 1, "basic_linear", "linear"},
    {gather, 2, "binomial", "binomial"},
    {gather, 3, "linear_sync"},
    {reduce, 1, "linear", "linear"},
    {reduce, 2, "chain", "chain", any_types, false, any_types, 4, rank_counts::any, from_4_0, 4},
    {reduce, 3, "pipeline", "chain", any_types, false, any_types},
    {reduce, 4, "binary", "k-ary", any_types, false, any_types, 2},
    {reduce, 5, "binomial", "binomial", any_types, false, any_types},
    {reduce, 6, "in-order_binary", "in-order-binary", any_types, true, any_types},
    {reduce, 7, "rabenseifner", "rabenseifner"},  // linear for operators that do not commute
    {reduce, 8, "knomial", nullptr, no_types, false, no_types, own_radix, rank_counts::any, only_6_0},
    {reduce_scatter, 1, "non-overlapping", "reduce-then-scatter"},
    {reduce_scatter, 2, "recursive_halving", "recursive-halving", any_types, false},
    {reduce_scatter, 3, "ring", "ring", any_types, false},
    {reduce_scatter, 4, "butterfly", "butterfly"},
    {reduce_scatter_block, 1, "basic_linear", "reduce-then-scatter"},
    {reduce_scatter_block, 2, "recursive_doubling", "recursive-doubling"},
    {reduce_scatter_block, 3, "recursive_halving", "recursive-halving"},  // linear for operators that do not commute
    {reduce_scatter_block, 4, "butterfly", "butterfly"},
    {scan, 1, "linear", "linear"},
    {scan, 2, "recursive_doubling", "recursive-doubling"},
    {scatter, 1, "basic_linear", "linear"},
    {scatter, 2, "binomial", "binomial", no_types, true, no_types, own_radix, rank_counts::any,
     before_5_0},  // as of 4.1.0
    {scatter, 2, "binomial", "binomial", any_types, true, no_types, own_radix, rank_counts::any, from_5_0},
    {scatter, 3, "linear_nb", nullptr, any_types, true, no_types, own_radix, rank_counts::any, from_4_1},
};

}  // namespace openmpi

/// All rows for rules files of Open MPI, by collective and number; each is valid for some versions. Number 0, Open
/// MPI's own choice, has no row. Sources: coll_tuned_*_decision.c and coll_base_*.c at source_of() each version. 4.1
/// and 5.0 were also run, each number with test/cli/legal_calls.cpp on 4 ranks. Errors of any release of a series are
/// marked (binomial scatter before 4.1.1).
inline constexpr std::span<const openmpi_algorithm> openmpi_algorithms = openmpi::rows;

/// Returns the row of a number in a version, or null.
constexpr const openmpi_algorithm* find_openmpi_algorithm(openmpi_rules::release version,
                                                          openmpi_rules::collective collective, std::int64_t number) {
    for (const openmpi_algorithm& row : openmpi_algorithms)
        if (row.collective == collective && row.number == number && row.holds(version)) return &row;
    return nullptr;
}

/// Returns whether the segment size affects the algorithm.
constexpr bool takes_segments(const openmpi_algorithm& row) {
    return row.segments != right_for::none ||
           (row.collective == openmpi_rules::collective::allreduce && row.number == 5);
}

/// Returns whether a version's number is correct for all programs with the properties, on every number of ranks.
/// `segmented`: with segments.
constexpr bool is_right(const openmpi_algorithm& row, openmpi_rules::program_properties programs, bool segmented) {
    const right_for types = segmented ? row.segments : row.types;
    const bool reads_ignored = info_of(row.collective).reads_ignored;
    if (types == right_for::none || row.ranks == rank_counts::two) return false;
    if ((types == right_for::equal || reads_ignored) && !programs.equal_arguments) return false;
    return row.keeps_order || programs.commutative_only;
}

}  // namespace collsched::foreign
