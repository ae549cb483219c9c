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

/// The rule by which a group chooses schedules: a function of the call alone, so that all ranks choose alike without a
/// message. It is called once for each kind of call. Where ranks have different policies, the ends of a message find
/// that their schedules differ, and the operation fails on all ranks.
using choice_policy = std::function<choice::selection(const choice::request&)>;

namespace detail {

/// Returns "ring" or "ring:segment=4096:radix=4": an algorithm with those free parameters that have a value.
inline std::string name_with_parameters(const algorithm_entry& entry, const shape& values) {
    std::string text = entry.info.name;
    for (const decision::free_parameter& parameter : free_parameters) {
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
inline choice::selection chosen_from_list(const algorithm_entry& entry, const shape& parameters, std::string reason) {
    return {.schedule = entry.make(parameters),
            .reason = std::move(reason),
            .algorithm = detail::name_with_parameters(entry, parameters),
            .entry = &entry,
            .parameters = parameters};
}

namespace detail {

/// Returns the schedule of an algorithm with parameters of its own.
template <algorithm A>
choice::selection choose_one(A algorithm, const choice::request& request) {
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
        choice::selection result;
        std::string refusals;
        const auto attempt = [&](const auto& algorithm) {
            if (result.schedule || algorithm.info.collective != request.collective) return;
            result = detail::choose_one(algorithm, request);
            if (!result.schedule) refusals.append(refusals.empty() ? "" : "; ").append(result.reason);
        };
        (attempt(algorithms), ...);
        return result.schedule ? std::move(result)
                               : choice::selection{{}, refusals.empty() ? "none is named" : refusals};
    };
}

}  // namespace policies

}}  // namespace collsched::COLLSCHED_ABI
