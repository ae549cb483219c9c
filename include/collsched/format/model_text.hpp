#pragma once

#include <cstdint>
#include <string>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/cost/loggp.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns a model in the notation of the command line, without loss of precision: "loggp:L_us=1.500000,...".
/// @param model  a LogGP model
inline std::string model_text(const loggp_model& model) {
    const auto millionths = [](std::int64_t parts) {
        return fmt::format(FMT_COMPILE("{}.{:06}"), parts / 1'000'000, parts % 1'000'000);
    };
    return fmt::format(FMT_COMPILE("loggp:L_us={},o_us={},g_us={},G_ns={},copy_ns={},combine_ns={}"),
                       millionths(model.latency_ps), millionths(model.overhead_ps), millionths(model.gap_ps),
                       millionths(model.byte_fs), millionths(model.copy_fs), millionths(model.combine_fs)) +
           (model.connection_ps == 0 ? "" : ",connection_us=" + millionths(model.connection_ps));
}

}}  // namespace collsched::COLLSCHED_ABI
