#pragma once

#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The library that loads a program. The two libraries use different names for reduce_scatter and have different
/// limits.
enum class msccl_loader : std::uint8_t {
    msccl,  ///< MSCCL
    rccl,   ///< RCCL, and the executor of MSCCL programs for NCCL
};

/// The limits of a loader of MSCCL programs. A loader rejects a program that exceeds most of them. Limits that the
/// loader does not check bound the size of its arrays.
/// Sources: MSCCL's src/include/msccl.h, src/graph/xml.h, src/graph/topo.cc; RCCL's src/include/msccl/msccl_struct.h,
/// msccl_parser.h, src/misc/msccl/msccl_parser.cc.
struct msccl_limits {
    std::int64_t steps = 256;             ///< per thread block
    std::int64_t thread_blocks = 216;     ///< per rank
    std::int64_t most_bytes = INT64_MAX;  ///< maxBytes of a program for messages of any size

    static constexpr std::int64_t ranks = 1024;
    static constexpr std::int64_t channels = 32;
    static constexpr std::int64_t peers = 32;  ///< senders, and receivers, per rank and channel
    static constexpr std::int64_t xml_nodes =
        4095;  ///< per rank, in bytes: the program, all ranks, its own thread blocks and steps
    static constexpr std::int64_t awaited =
        128;  ///< thread blocks per rank with dependent steps in other thread blocks: the id is a signed byte
    static constexpr std::int64_t offset = 32767;      ///< in chunks
    static constexpr std::int64_t buffer = INT32_MAX;  ///< in chunks
    static constexpr std::int64_t fused = 16;          ///< consecutive combinations of one place run as one
    static constexpr std::int64_t name = 255;          ///< bytes per attribute

    constexpr explicit msccl_limits(msccl_loader loader = msccl_loader::msccl) {
        if (loader == msccl_loader::msccl) return;
        steps = 64;
        thread_blocks = 1024;
        most_bytes = 0;
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
