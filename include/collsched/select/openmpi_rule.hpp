#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A collective for which Open MPI's component `tuned` has algorithms. The values are its numbers in rules files.
enum class openmpi_collective : std::uint8_t {
    allgather = 0,
    allgatherv = 1,
    allreduce = 2,
    alltoall = 3,
    alltoallv = 4,
    barrier = 6,
    bcast = 7,
    exscan = 8,
    gather = 9,
    reduce = 11,
    reduce_scatter = 12,
    reduce_scatter_block = 13,
    scan = 14,
    scatter = 15
};

/// A rule for Open MPI: on these numbers of ranks and for these sizes, this number.
struct openmpi_rule {
    static constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

    openmpi_collective collective = openmpi_collective::barrier;
    std::int64_t ranks = 0, last_ranks = no_end;  ///< both ends belong to it; text files have the first end alone
    std::int64_t bytes = 0, last_bytes = no_end;
    std::int64_t number = 0;  ///< 0: Open MPI decides itself
    std::int64_t fan = 0;
    std::int64_t segment = 0;   ///< in bytes; 0: none
    std::int64_t requests = 0;  ///< at most so many in flight; 0: no limit
    std::string remark{};
    int line = 0;  ///< where it was read

    /// Returns whether both rules are equal apart from remark and line.
    bool same_as(const openmpi_rule& other) const {
        return collective == other.collective && ranks == other.ranks && last_ranks == other.last_ranks &&
               bytes == other.bytes && last_bytes == other.last_bytes && number == other.number && fan == other.fan &&
               segment == other.segment && requests == other.requests;
    }
};

/// Properties of all programs that run with a rules file. Without either, files have only numbers that are right for
/// every program that MPI allows.
struct openmpi_promise {
    bool commutative_only = false;  ///< their operators commute
    bool equal_arguments = false;   ///< right_for::equal
};

/// Sets last_ranks and last_bytes of each rule to the value before the next rule. Precondition: rules are grouped by
/// collective and sorted by ranks, then bytes.
inline void end_rules(std::span<openmpi_rule> rules) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        openmpi_rule& rule = rules[i];
        rule.last_ranks = rule.last_bytes = openmpi_rule::no_end;
        for (std::size_t j = i + 1; j < rules.size() && rules[j].collective == rule.collective; ++j) {
            if (rules[j].ranks == rule.ranks) {
                if (j == i + 1) rule.last_bytes = rules[j].bytes - 1;
                continue;
            }
            rule.last_ranks = rules[j].ranks - 1;
            break;
        }
    }
}

}}  // namespace collsched::COLLSCHED_ABI
