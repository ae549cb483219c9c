#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "collsched/schedule/contract.hpp"
#include "openmpi_rules.hpp"

namespace collsched::foreign {

/// The properties of an openmpi_rules::collective for rules files and pricing.
struct openmpi_collective_info {
    openmpi_rules::collective id;
    std::string_view name;             ///< name in Open MPI and in its JSON
    collsched::collective collective;  ///< the collective of this library as which it is priced
    bool reads_ignored;  ///< selection reads datatype sizes that MPI ignores: in place, or on ranks other than the root
    bool several_sizes;  ///< ranks with equal arguments select by the message, so rules may differ by size
    bool in_schema;      ///< the schema of 6.0 and its reader use the same name for it
};

/// Selection: by the first rule for alltoallv and barrier, by the size of one element times ranks for scan and exscan,
/// by the mean block for allgatherv. Source: coll_tuned_decision_dynamic.c of the versions' sources;
/// tuned_dynamic_file_schema.json, which lacks allgatherv, and has reducescatter where the reader takes reduce_scatter
/// alone.
inline constexpr std::array<openmpi_collective_info, 14> openmpi_collectives = {{
    {openmpi_rules::collective::allgather, "allgather", collective::allgather, true, true, true},
    {openmpi_rules::collective::allgatherv, "allgatherv", collective::allgather, true, false, false},
    {openmpi_rules::collective::allreduce, "allreduce", collective::allreduce, false, true, true},
    {openmpi_rules::collective::alltoall, "alltoall", collective::alltoall, true, true, true},
    {openmpi_rules::collective::alltoallv, "alltoallv", collective::alltoall, false, false, true},
    {openmpi_rules::collective::barrier, "barrier", collective::barrier, false, false, true},
    {openmpi_rules::collective::bcast, "bcast", collective::broadcast, false, true, true},
    {openmpi_rules::collective::exscan, "exscan", collective::exscan, false, false, true},
    {openmpi_rules::collective::gather, "gather", collective::gather, true, true, true},
    {openmpi_rules::collective::reduce, "reduce", collective::reduce, false, true, true},
    {openmpi_rules::collective::reduce_scatter, "reduce_scatter", collective::reduce_scatter, false, true, false},
    {openmpi_rules::collective::reduce_scatter_block, "reduce_scatter_block", collective::reduce_scatter, false, true,
     false},
    {openmpi_rules::collective::scan, "scan", collective::scan, false, false, true},
    {openmpi_rules::collective::scatter, "scatter", collective::scatter, true, true, true},
}};

constexpr const openmpi_collective_info& info_of(openmpi_rules::collective id) {
    for (const openmpi_collective_info& info : openmpi_collectives)
        if (info.id == id) return info;
    return openmpi_collectives.front();
}

/// Returns the collective of a number in rules files, or nothing.
constexpr std::optional<openmpi_rules::collective> find_openmpi_collective(std::int64_t number) {
    for (const openmpi_collective_info& info : openmpi_collectives)
        if (static_cast<std::int64_t>(info.id) == number) return info.id;
    return std::nullopt;
}

/// Returns the collective of a name in rules files, or nothing.
constexpr std::optional<openmpi_rules::collective> find_openmpi_collective(std::string_view name) {
    for (const openmpi_collective_info& info : openmpi_collectives)
        if (info.name == name) return info.id;
    return std::nullopt;
}

}  // namespace collsched::foreign
