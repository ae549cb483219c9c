#pragma once

#include <string>

#include "collsched/core/argument_error.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The end of a collective on one rank, as a value: success, wrong arguments, or a failure with its rank and step.
struct outcome {
    run_status status{};     ///< of this rank; idle if the call was refused, running before the end
    argument_error wrong{};  ///< why the call was refused, without any effect
    /// The first failure in the group that has reached this rank; on the rank that it names it is `status`. State idle:
    /// none.
    run_status cause{};

    /// Returns whether the collective has ended without failure.
    constexpr bool ok() const { return status.done() && !wrong; }
    /// Returns whether it has not ended.
    constexpr bool running() const { return status.running(); }
    /// Returns one line: "done", the wrong argument, or the failure with its rank, peer and step.
    std::string text() const {
        if (wrong) return wrong.text().c_str();
        if (status.done()) return "done";
        if (!status.failed()) return status.running() ? "running" : "not started";
        const bool follows = cause.failed() && (cause.rank != status.rank || cause.error != status.error);
        return sentence(status) + (follows ? "; it follows from: " + sentence(cause) : "");
    }

  private:
    static std::string sentence(const run_status& failed) {
        std::string text = "rank " + std::to_string(failed.rank);
        if (failed.step >= 0) text += ", step " + std::to_string(failed.step);
        if (failed.peer >= 0) text += ", message with rank " + std::to_string(failed.peer);
        text.append(": ").append(error_text(failed.error));
        return failed.error > message::error::revoked ? text + " " + std::to_string(failed.error) : text;
    }
};

}}  // namespace collsched::COLLSCHED_ABI
