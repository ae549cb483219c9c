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
    std::string reason{};                    ///< one line: the algorithm and its origin, or why there is none
};

/// The rule by which a group chooses schedules: a function of the call alone, so that all ranks choose alike without a
/// message. It is called once for each kind of call. Where ranks have different policies, the ends of a message find
/// that their schedules differ, and the operation fails on all ranks.
using choice_policy = std::function<chosen_schedule(const choice::request&)>;

namespace detail {

/// Returns "ring" or "ring:segment=4096": an algorithm with those free parameters that have a value.
inline std::string name_with_parameters(const algorithm_entry& entry, const shape& values) {
    std::string text = entry.info.name;
    char separator = ':';
    for (const free_parameter& one : free_parameters) {
        const std::int64_t value = values.*one.value;
        if (value == shape::as_it_is || value == shape().*one.value || !entry.takes(one.name)) continue;
        text.append(1, separator).append(one.name).append("=").append(std::to_string(value));
        separator = ',';
    }
    return text;
}

inline chosen_schedule no_schedule(const choice::request& request, const std::string& why) {
    return {{}, std::string("no algorithm for ") + name_of(request.collective) + ": " + why};
}

/// Returns why a schedule does not serve a request, the class of its brackets aside; empty: it does.
inline std::string reason_against(const any_schedule& s, const choice::request& request) {
    if (const argument_error wrong = s.check()) return wrong.text().c_str();
    if (check_order(s, request)) return "it does not keep the order of operands";
    return {};
}

/// Returns the schedule of an algorithm with parameters of its own.
template <algorithm A>
chosen_schedule choose_one(A algorithm, const choice::request& request) {
    A::parameters(algorithm, [&](const char* name, auto& parameter) { request.parameters.give(name, parameter); });
    any_schedule made(algorithm);
    if (const std::string against = reason_against(made, request); !against.empty())
        return {{}, std::string(A::info.name) + ": " + against};
    return {std::move(made), std::string(A::info.name) + ", the named algorithm"};
}

}  // namespace detail

/// Policies of groups.
namespace policies {

/// Named algorithms: for a call the first one of its collective that serves it.
/// @param algorithms  with the values of their parameters; sizes, ranks and root come from the call
template <algorithm... A>
choice_policy named(const A&... algorithms) {
    return [algorithms...](const choice::request& request) {
        chosen_schedule made;
        std::string against;
        const auto attempt = [&](const auto& one) {
            if (made.schedule || one.info.collective != request.collective) return;
            made = detail::choose_one(one, request);
            if (!made.schedule) against.append(against.empty() ? "" : "; ").append(made.reason);
        };
        (attempt(algorithms), ...);
        return made.schedule ? std::move(made)
                             : detail::no_schedule(request, against.empty() ? "none is named" : against);
    };
}

}  // namespace policies

}}  // namespace collsched::COLLSCHED_ABI
