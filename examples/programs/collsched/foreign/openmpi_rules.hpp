#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched::foreign {

/// Rules for Open MPI's component `tuned`: the content of a rules file.
struct openmpi_rules {
    /// A release series of Open MPI for which rules files are written. Its properties apply to all its releases.
    enum class release : std::uint8_t { v4_0, v4_1, v5_0, v6_0 };

    /// A collective for which Open MPI's component `tuned` has algorithms. The values are its numbers in rules files.
    enum class collective : std::uint8_t {
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

    /// A rule for Open MPI: the algorithm number for a range of ranks and sizes.
    struct rule {
        /// End of a range without an upper limit.
        static constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

        openmpi_rules::collective collective = openmpi_rules::collective::barrier;  ///< the collective
        std::int64_t ranks = 0,     ///< smallest number of ranks; text files contain only this end of the range
            last_ranks = no_end;    ///< largest number of ranks
        std::int64_t bytes = 0,     ///< smallest size in bytes; text files contain only this end of the range
            last_bytes = no_end;    ///< largest size in bytes
        std::int64_t number = 0;    ///< 0: Open MPI's own choice
        std::int64_t fan = 0;       ///< fan-in or fan-out of trees and chains; 0: not given
        std::int64_t segment = 0;   ///< in bytes; 0: none
        std::int64_t requests = 0;  ///< largest number of messages in flight; 0: no limit
        std::string remark{};       ///< a comment for the file; empty: none
        int line = 0;               ///< line in the file

        /// Returns whether both rules are equal apart from remark and line.
        /// @param other  another rule
        bool same_as(const rule& other) const {
            return collective == other.collective && ranks == other.ranks && last_ranks == other.last_ranks &&
                   bytes == other.bytes && last_bytes == other.last_bytes && number == other.number &&
                   fan == other.fan && segment == other.segment && requests == other.requests;
        }
    };

    /// An algorithm number of Open MPI that has an equivalent in this library.
    struct algorithm {
        release version = release::v4_0;                                            ///< the release of the number
        openmpi_rules::collective collective = openmpi_rules::collective::barrier;  ///< the collective
        int number = 0;                                                             ///< number in rules files
        const char* equivalent = "";      ///< name of the algorithm of this library
        int fan = 0;                      ///< value of `fan` in its rules
        bool takes_segments = false;      ///< whether the number has segments
        bool segments_are_right = false;  ///< whether it is correct with segments, for the same programs
        bool takes_requests = false;      ///< whether the number of requests of a rule bounds those in flight
    };

    /// Properties of all programs that run with a rules file. Without properties, files contain only numbers that are
    /// correct for every valid MPI program.
    struct program_properties {
        bool commutative_only = false;  ///< whether all operators commute
        bool equal_arguments = false;   ///< right_for::equal
    };

    /// A fault of a rule, and the line of the rule.
    struct finding {
        int line = 0;      ///< line of the rule, from 1
        std::string text;  ///< description of the fault
    };

    static constexpr std::size_t most_rules = std::size_t{1} << 20;  ///< per file

    int format = 1;                    ///< 1 and 2: text, without and with requests; 3: JSON
    std::optional<release> version{};  ///< the version that the file specifies, if any
    std::vector<rule> rules{};         ///< in the order of the file
    std::vector<finding> findings{};   ///< faults that rules cannot represent
};

/// All versions of rules files, in ascending order.
inline constexpr std::array openmpi_versions = {openmpi_rules::release::v4_0, openmpi_rules::release::v4_1,
                                                openmpi_rules::release::v5_0, openmpi_rules::release::v6_0};

/// Returns the name of a version, such as "4.1".
/// @param version  a release series
constexpr std::string_view name_of(openmpi_rules::release version) {
    constexpr std::string_view names[] = {"4.0", "4.1", "5.0", "6.0"};
    return names[static_cast<std::size_t>(version)];
}

/// Returns the tag or commit of Open MPI from which the version's numbers were read. Those of 4.1 and 5.0 were also run
/// at it.
/// @param version  a release series
constexpr std::string_view source_of(openmpi_rules::release version) {
    constexpr std::string_view sources[] = {"v4.0.3rc4", "v4.1.4", "v5.0.7",
                                            "14bf22e9bf8192050d5554291b7af9b8a45e6e1a"};
    return sources[static_cast<std::size_t>(version)];
}

/// Returns the version of a name, or nothing.
/// @param name  such as "4.1"
constexpr std::optional<openmpi_rules::release> find_openmpi_version(std::string_view name) {
    for (const openmpi_rules::release version : openmpi_versions)
        if (name_of(version) == name) return version;
    return std::nullopt;
}

/// Sets last_ranks and last_bytes of each rule to the value before the next rule. Precondition: rules are grouped by
/// collective and sorted by ranks, then bytes.
/// @param rules  rules of one file
inline void end_rules(std::span<openmpi_rules::rule> rules) {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        openmpi_rules::rule& rule = rules[i];
        rule.last_ranks = rule.last_bytes = openmpi_rules::rule::no_end;
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

}  // namespace collsched::foreign
