#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collsched/select/detail/foreign_algorithms.hpp"
#include "collsched/select/detail/openmpi_algorithms.hpp"
#include "collsched/select/detail/openmpi_collectives.hpp"
#include "collsched/select/openmpi_rules.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the name of a collective in Open MPI and in its rules files, such as "bcast".
/// @param kind  a collective of Open MPI
constexpr std::string_view name_of(openmpi_rules::collective kind) { return detail::info_of(kind).name; }

/// Returns the name of an algorithm number in Open MPI, such as "ring"; empty for numbers that the release does not have.
/// @param version  a release series
/// @param kind     a collective of Open MPI
/// @param number   number in rules files
constexpr std::string_view algorithm_name(openmpi_rules::release version, openmpi_rules::collective kind,
                                          std::int64_t number) {
    const detail::openmpi_algorithm* const row = detail::find_openmpi_algorithm(version, kind, number);
    return row == nullptr ? std::string_view() : row->name;
}

/// Returns the collectives of Open MPI that are priced as a collective of this library, in the order of their numbers.
/// @param kind  a collective of this library
inline std::vector<openmpi_rules::collective> openmpi_counterparts(collective kind) {
    std::vector<openmpi_rules::collective> found;
    for (const detail::openmpi_collective_info& info : detail::openmpi_collectives)
        if (info.collective == kind) found.push_back(info.id);
    return found;
}

/// Returns whether rules files of a release may have rules for a collective.
/// @param version  a release series
/// @param kind     a collective of Open MPI
constexpr bool has_rules(openmpi_rules::release version, openmpi_rules::collective kind) {
    return version != openmpi_rules::release::v6_0 || detail::info_of(kind).in_schema;
}

/// Returns whether Open MPI selects the rule of a collective by the size of the message, so that rules may differ by size.
/// @param kind  a collective of Open MPI
constexpr bool selects_by_size(openmpi_rules::collective kind) { return detail::info_of(kind).several_sizes; }

/// Returns the algorithm numbers of a collective that are correct for all programs of a promise and have an equivalent
/// algorithm in this library. O(rows of the table of Open MPI's algorithms).
/// @param version  a release series
/// @param kind     a collective of Open MPI
/// @param promise  properties of the programs
inline std::vector<openmpi_rules::algorithm> openmpi_equivalents(openmpi_rules::release version,
                                                                 openmpi_rules::collective kind,
                                                                 openmpi_rules::promise promise) {
    std::vector<openmpi_rules::algorithm> found;
    for (const detail::openmpi_algorithm& row : detail::openmpi_algorithms) {
        if (row.collective != kind || row.algorithm == nullptr || !row.holds(version)) continue;
        if (!detail::is_right(row, promise, false)) continue;
        const bool segments = row.segments != detail::right_for::none;
        found.push_back({version, kind, row.number, row.algorithm, row.fan, segments,
                         segments && detail::is_right(row, promise, true), row.takes_requests});
    }
    return found;
}

/// Prices an algorithm of Open MPI by its equivalent in this library, with segments if they are correct, and otherwise
/// with the algorithm's defaults.
/// @param request    the call
/// @param list       algorithms of this library
/// @param algorithm  one of openmpi_equivalents()
/// @param price      as of choose()
/// @return the equivalent with its price; nothing if either library cannot run it on the request's ranks
template <class Price>
std::optional<choice::candidate> price_openmpi(const choice::request& request, std::span<const algorithm_entry> list,
                                               const openmpi_rules::algorithm& algorithm, const Price& price) {
    const detail::openmpi_algorithm* const row =
        detail::find_openmpi_algorithm(algorithm.version, algorithm.collective, algorithm.number);
    if (row == nullptr) return std::nullopt;
    return detail::price_foreign(request, list, row->equivalent(algorithm.segments_are_right), price);
}

/// Returns the algorithm of MPICH whose equivalent in this library is the cheapest, by its name in MPICH's collective
/// selection.
/// @param request  the call
/// @param list     algorithms of this library
/// @param price    as of choose()
/// @return null if MPICH has none
template <class Price>
const char* cheapest_of_mpich(const choice::request& request, std::span<const algorithm_entry> list,
                              const Price& price) {
    const auto best = detail::choose_foreign(request, list, detail::mpich_algorithms, price);
    return best ? best->algorithm->foreign : nullptr;
}

}}  // namespace collsched::COLLSCHED_ABI
