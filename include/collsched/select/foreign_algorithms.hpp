#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "collsched/select/choose.hpp"

namespace collsched::inline v0_1 {

/// An algorithm of another library that does what one of this does.
struct foreign_algorithm {
    collective what;
    const char* algorithm;  ///< here
    const char* foreign;    ///< there: a name, or a number
    bool takes_segments = false;
    std::int64_t radix = shape::as_it_is;  ///< with this one alone
    bool since_main = false;               ///< of Open MPI: not in 4.1
};

/// The cheapest of those that the other library has, for a collective: what it is there, and its settings and cost here.
struct foreign_choice {
    const foreign_algorithm* which = nullptr;
    priced_candidate here;
};

/// For a table of the other library's: from so many ranks and bytes on, this algorithm.
struct foreign_rule {
    collective what = collective::barrier;
    rank_t ranks = 1;
    bytes_t bytes = 0;      ///< as in a decision
    std::string foreign{};  ///< what it is called there
    bytes_t segment = 0;
    std::string remark{};  ///< what is not as it should be; empty: nothing
};

/// Prices all algorithms of `table` that do the collective, with segments where the other library has them, and else with their
/// own defaults. Nothing if none can be used.
template <class Price>
std::optional<foreign_choice> choose_foreign(const choice_request& request, std::span<const algorithm_entry> list,
                                             std::span<const foreign_algorithm> table, bool with_main,
                                             const Price& price) {
    std::optional<foreign_choice> best;
    for (const foreign_algorithm& row : table) {
        if (row.what != request.what || (row.since_main && !with_main)) continue;
        for (const algorithm_entry& entry : list) {
            if (entry.info.what != row.what || !detail::same_text(entry.info.name, row.algorithm)) continue;
            choice_request one = request;
            one.keeps_defaults = true;
            one.wanted.radix = row.radix;
            if (!row.takes_segments) one.wanted.segment = 0;
            const choice made = choose(one, std::span(&entry, 1), price);
            if (!made.candidates.empty() && (!best || made.candidates.front().cost < best->here.cost))
                best = {&row, made.candidates.front()};
        }
    }
    return best;
}

/// Open MPI's component `tuned`: numbers of 4.1 and of its main branch. What is called linear there is not always linear here:
/// its allgather of that name gathers and then broadcasts, which none does here.
/// Source: ompi_info --param coll tuned --level 9.
inline constexpr foreign_algorithm openmpi_algorithms[] = {
    {collective::allgather, "bruck", "2", false, 2},
    {collective::allgather, "recursive-doubling", "3"},
    {collective::allgather, "ring", "4"},
    {collective::allgather, "neighbor-exchange", "5"},
    {collective::allgather, "sparbit", "7", false, shape::as_it_is, true},
    {collective::allgather, "linear", "8", false, shape::as_it_is, true},
    {collective::allreduce, "recursive-doubling", "3"},
    {collective::allreduce, "ring", "4"},
    {collective::allreduce, "segmented-ring", "5", true},
    {collective::allreduce, "rabenseifner", "6"},
    {collective::allreduce, "allgather-reduce", "7", false, shape::as_it_is, true},
    {collective::alltoall, "linear", "1"},
    {collective::alltoall, "pairwise", "2"},
    {collective::alltoall, "bruck", "3", false, 2},
    {collective::barrier, "linear", "1"},
    {collective::barrier, "recursive-doubling", "3"},
    {collective::barrier, "dissemination", "4", false, 2},
    {collective::barrier, "binomial", "6"},
    {collective::broadcast, "linear", "1"},
    {collective::broadcast, "chain", "3", true},
    {collective::broadcast, "k-ary", "5", true, 2},
    {collective::broadcast, "binomial-doubling", "6", true},
    {collective::broadcast, "scatter-recursive-doubling", "8"},
    {collective::broadcast, "scatter-ring", "9"},
    {collective::exscan, "linear", "1"},
    {collective::exscan, "recursive-doubling", "2"},
    {collective::gather, "linear", "1"},
    {collective::gather, "binomial", "2"},
    {collective::reduce, "linear", "1"},
    {collective::reduce, "chain", "3", true},
    {collective::reduce, "k-ary", "4", true, 2},
    {collective::reduce, "binomial", "5", true},
    {collective::reduce, "in-order-binary", "6", true},
    {collective::reduce, "rabenseifner", "7"},
    {collective::reduce_scatter, "reduce-then-scatter", "1"},
    {collective::reduce_scatter, "recursive-halving", "2"},
    {collective::reduce_scatter, "ring", "3"},
    {collective::reduce_scatter, "butterfly", "4"},
    {collective::scan, "linear", "1"},
    {collective::scan, "recursive-doubling", "2"},
    {collective::scatter, "linear", "1"},
    {collective::scatter, "binomial", "2"},
};

/// MPICH: what its collective selection calls them, from 4.0 on.
/// Source: MPICH's own selection file, maint/tuning/coll/mpir/generic.json.
inline constexpr foreign_algorithm mpich_algorithms[] = {
    {collective::allgather, "bruck", "MPIR_Allgather_intra_brucks", false, 2},
    {collective::allgather, "recursive-doubling", "MPIR_Allgather_intra_recursive_doubling"},
    {collective::allgather, "ring", "MPIR_Allgather_intra_ring"},
    {collective::allreduce, "recursive-doubling", "MPIR_Allreduce_intra_recursive_doubling"},
    {collective::allreduce, "rabenseifner", "MPIR_Allreduce_intra_reduce_scatter_allgather"},
    {collective::alltoall, "bruck", "MPIR_Alltoall_intra_brucks", false, 2},
    {collective::alltoall, "linear", "MPIR_Alltoall_intra_scattered"},
    {collective::alltoall, "pairwise", "MPIR_Alltoall_intra_pairwise"},
    {collective::broadcast, "binomial", "MPIR_Bcast_intra_binomial"},
    {collective::broadcast, "scatter-recursive-doubling", "MPIR_Bcast_intra_scatter_recursive_doubling_allgather"},
    {collective::broadcast, "scatter-ring", "MPIR_Bcast_intra_scatter_ring_allgather"},
    {collective::reduce, "binomial", "MPIR_Reduce_intra_binomial"},
    {collective::reduce, "rabenseifner", "MPIR_Reduce_intra_reduce_scatter_gather"},
    {collective::reduce_scatter, "recursive-halving", "MPIR_Reduce_scatter_intra_recursive_halving"},
    {collective::reduce_scatter, "pairwise", "MPIR_Reduce_scatter_intra_pairwise"},
    {collective::reduce_scatter, "recursive-doubling", "MPIR_Reduce_scatter_intra_recursive_doubling"},
};

}  // namespace collsched::inline v0_1
