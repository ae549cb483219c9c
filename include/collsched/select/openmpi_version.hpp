#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A release series of Open MPI that rules files are written for: what holds for all of its releases.
enum class openmpi_version : std::uint8_t { v4_0, v4_1, v5_0, v6_0 };

inline constexpr std::array openmpi_versions = {openmpi_version::v4_0, openmpi_version::v4_1, openmpi_version::v5_0,
                                                openmpi_version::v6_0};

/// "4.1".
constexpr std::string_view name_of(openmpi_version version) {
    constexpr std::string_view names[] = {"4.0", "4.1", "5.0", "6.0"};
    return names[static_cast<std::size_t>(version)];
}

/// The tag or commit of Open MPI at which the version's numbers were read. Those of 4.1 and 5.0 were also run there.
constexpr std::string_view source_of(openmpi_version version) {
    constexpr std::string_view sources[] = {"v4.0.3rc4", "v4.1.4", "v5.0.7",
                                            "14bf22e9bf8192050d5554291b7af9b8a45e6e1a"};
    return sources[static_cast<std::size_t>(version)];
}

/// The version of a name, or nothing.
constexpr std::optional<openmpi_version> find_openmpi_version(std::string_view name) {
    for (const openmpi_version version : openmpi_versions)
        if (name_of(version) == name) return version;
    return std::nullopt;
}

}}  // namespace collsched::COLLSCHED_ABI
