#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/select/decision_table.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A schedule for a call, and why it was chosen.
struct chosen_schedule {
    std::optional<any_schedule> schedule{};  ///< none: no algorithm serves the call
    std::string reason{};                    ///< one line: the origin of the choice, or why there is none
    std::string algorithm{};                 ///< with its parameters, such as "ring:segment=4096"; empty: unnamed
    const algorithm_entry* entry = nullptr;  ///< the algorithm in the list of the policy; null: from no list
    shape parameters{};                      ///< of the entry

    /// Returns the algorithm and the reason as one line.
    std::string text() const { return algorithm.empty() ? reason : algorithm + ", " + reason; }
};

/// The rule by which a group chooses schedules: a function of the call alone, so that all ranks choose alike without a
/// message. It is called once for each kind of call. Where ranks have different policies, the ends of a message find
/// that their schedules differ, and the operation fails on all ranks.
using choice_policy = std::function<chosen_schedule(const choice::request&)>;

namespace detail {

/// Returns "ring" or "ring:segment=4096:radix=4": an algorithm with those free parameters that have a value.
inline std::string name_with_parameters(const algorithm_entry& entry, const shape& values) {
    std::string text = entry.info.name;
    for (const free_parameter& parameter : free_parameters) {
        const std::int64_t value = values.*parameter.value;
        if (value == shape::as_it_is || value == shape().*parameter.value || !entry.takes(parameter.value)) continue;
        text.append(":").append(parameter.name).append("=").append(std::to_string(value));
    }
    return text;
}

}  // namespace detail

/// Returns the schedule of an algorithm of a list.
/// @param entry       an algorithm that serves the parameters
/// @param parameters  its parameters
/// @param reason      reason of the choice
inline chosen_schedule chosen_from_list(const algorithm_entry& entry, const shape& parameters, std::string reason) {
    return {.schedule = entry.make(parameters),
            .reason = std::move(reason),
            .algorithm = detail::name_with_parameters(entry, parameters),
            .entry = &entry,
            .parameters = parameters};
}

namespace detail {

/// Returns the schedule of an algorithm with parameters of its own.
template <algorithm A>
chosen_schedule choose_one(A algorithm, const choice::request& request) {
    A::parameters(algorithm, [&](const char* name, auto& parameter) { request.parameters.give(name, parameter); });
    any_schedule schedule(algorithm);
    if (const argument_error error = check_schedule(schedule, request))
        return {{}, std::string(A::info.name) + ": " + error.text().c_str()};
    return {std::move(schedule), "the named algorithm", A::info.name};
}

}  // namespace detail

/// Policies of groups.
namespace policies {

/// Named algorithms: for a call the first one of its collective that serves it.
/// @param algorithms  with the values of their parameters; sizes, ranks and root come from the call
template <algorithm... A>
choice_policy named(const A&... algorithms) {
    return [algorithms...](const choice::request& request) {
        chosen_schedule result;
        std::string refusals;
        const auto attempt = [&](const auto& algorithm) {
            if (result.schedule || algorithm.info.collective != request.collective) return;
            result = detail::choose_one(algorithm, request);
            if (!result.schedule) refusals.append(refusals.empty() ? "" : "; ").append(result.reason);
        };
        (attempt(algorithms), ...);
        return result.schedule ? std::move(result) : chosen_schedule{{}, refusals.empty() ? "none is named" : refusals};
    };
}

}  // namespace policies

}}  // namespace collsched::COLLSCHED_ABI
