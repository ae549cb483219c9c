#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/select/choose.hpp"
#include "collsched/select/choice.hpp"

namespace collsched::foreign {

/// The numbers of ranks on which another library runs an algorithm itself, rather than a substitute or an error.
enum class rank_counts : std::uint8_t { any, powers_of_two, even, two };

/// Returns whether a number of ranks is one of `counts`.
constexpr bool is_among(rank_t ranks, rank_counts counts) {
    switch (counts) {
        case rank_counts::powers_of_two: return (ranks & (ranks - 1)) == 0;
        case rank_counts::even: return ranks % 2 == 0;
        case rank_counts::two: return ranks == 2;
        default: return true;
    }
}

/// A rule for a table of another library: the algorithm from a number of ranks and a size on.
struct foreign_rule {
    collsched::collective collective = collsched::collective::barrier;  ///< the collective
    rank_t ranks = 1;                                                   ///< smallest number of ranks
    bytes_t bytes = 0;      ///< of the message, or of the blocks of all ranks together
    std::string foreign{};  ///< name of the algorithm in the other library
    bytes_t segment = 0;    ///< size of a segment in bytes; 0: none
    std::string remark{};   ///< a cheaper algorithm that the other library does not have; empty: none
};

/// An algorithm of another library that is equivalent to an algorithm of this library.
struct foreign_algorithm {
    collsched::collective collective;
    const char* algorithm;  ///< name in this library
    const char* foreign;    ///< name in the other library
    bool takes_segments = false;
    std::int64_t radix = shape::as_it_is;  ///< only with this radix
    rank_counts ranks = rank_counts::any;
};

/// The cheapest algorithm of the other library for a collective, with its settings and its price in this library.
struct foreign_choice {
    const foreign_algorithm* algorithm = nullptr;
    choice::candidate candidate;
};

/// An algorithm of another library with the number of requests that it has in flight.
struct foreign_setting {
    foreign_algorithm row;
    std::int64_t requests = 0;  ///< 0: the default

    bool operator==(const foreign_setting& other) const {
        return row.collective == other.row.collective && std::string_view(row.algorithm) == other.row.algorithm &&
               row.takes_segments == other.row.takes_segments && row.radix == other.row.radix &&
               row.ranks == other.row.ranks && requests == other.requests;
    }
};

/// Prices the algorithm of `list` that a setting names, with segments if the other library has them, and otherwise with the
/// algorithm's defaults. Returns nothing if either library cannot run it on the request's ranks, or if the price is above
/// request.limit.
/// @param use  processors and time, as for choose()
template <class Price>
std::optional<choice::candidate> price_foreign(const choice::request& request, std::span<const algorithm_entry> list,
                                               const foreign_setting& setting, const Price& price,
                                               const choice::resources& use = {}) {
    const foreign_algorithm& row = setting.row;
    if (!is_among(request.parameters.ranks, row.ranks)) return std::nullopt;
    const algorithm_entry* const entry = find_algorithm(list, row.collective, row.algorithm);
    if (entry == nullptr) return std::nullopt;
    choice::request single = request;
    single.keeps_defaults = true;
    single.best_only = true;
    single.parameters.radix = row.radix;
    if (setting.requests > 0) single.parameters.window = setting.requests;
    if (!row.takes_segments) single.parameters.segment = 0;
    const choice result = choose(single, std::span(entry, 1), price, use);
    return result.candidates.empty() ? std::nullopt : std::optional(result.candidates.front());
}

/// Prices settings; equal ones once. They share the processors, each in one thread.
/// @param only_least  whether prices above the least may be missing. The least one does not depend on the processors.
/// @return the prices, in the order of the settings
template <class Price>
std::vector<std::optional<choice::candidate>> price_each(const choice::request& request,
                                                         std::span<const algorithm_entry> list,
                                                         std::span<const foreign_setting> settings, const Price& price,
                                                         const choice::resources& use, bool only_least) {
    std::vector<std::optional<choice::candidate>> prices(settings.size());
    const auto first = [&](std::size_t i) {
        return static_cast<std::size_t>(std::ranges::find(settings, settings[i]) - settings.begin());
    };
    std::atomic<picoseconds> least = unpriced;
    const auto compute = [&](std::int64_t n) {
        const auto i = static_cast<std::size_t>(n);
        if (first(i) != i) return;
        choice::request limited = request;
        limited.limit = only_least ? least.load() : unpriced;
        prices[i] = price_foreign(limited, list, settings[i], price, {.is_over = use.is_over});
        const picoseconds cost = prices[i] ? prices[i]->cost : unpriced;
        for (picoseconds before = least; cost < before && !least.compare_exchange_weak(before, cost);) {}
    };
    const auto count = static_cast<std::int64_t>(settings.size());
    if (use.for_each) use.for_each(count, compute);
    else
        for (std::int64_t n = 0; n < count; ++n) compute(n);
    for (std::size_t i = 0; i < prices.size(); ++i) prices[i] = prices[first(i)];
    return prices;
}

/// Returns the cheapest algorithm of `table` for the collective, or nothing if there is none.
template <class Price>
std::optional<foreign_choice> choose_foreign(const choice::request& request, std::span<const algorithm_entry> list,
                                             std::span<const foreign_algorithm> table, const Price& price,
                                             const choice::resources& use = {}) {
    std::vector<foreign_setting> settings;
    std::vector<const foreign_algorithm*> rows;
    for (const foreign_algorithm& row : table)
        if (row.collective == request.collective) settings.push_back({row}), rows.push_back(&row);
    const auto prices = price_each(request, list, settings, price, use, true);
    std::optional<foreign_choice> best;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (prices[i] && (!best || prices[i]->cost < best->candidate.cost)) best = {rows[i], *prices[i]};
    return best;
}

/// The algorithms of MPICH, by the names of its collective selection, from 4.0 on. Its recursive doubling for allgather
/// aborts unless the number of ranks is a power of two.
/// Source: MPICH 4.0.2, maint/tuning/coll/mpir/generic.json and the restrictions in src/mpi/coll.
inline constexpr foreign_algorithm mpich_algorithms[] = {
    {collective::allgather, "bruck", "MPIR_Allgather_intra_brucks", false, 2},
    {collective::allgather, "recursive-doubling", "MPIR_Allgather_intra_recursive_doubling", false, shape::as_it_is,
     rank_counts::powers_of_two},
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

}  // namespace collsched::foreign
