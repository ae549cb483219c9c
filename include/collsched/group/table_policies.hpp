#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/group/choice_policy.hpp"
#include "collsched/select/built_in_rules.hpp"
#include "collsched/select/decide.hpp"
#include "collsched/select/detail/request_checks.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the schedule of the row that takes precedence among those that serve a request.
inline chosen_schedule choose_by_rows(std::span<const decision> rows, std::span<const algorithm_entry> list,
                                      const std::string& origin, const choice::request& request) {
    const decided_call made = decide(rows, request, list);
    std::string skipped;
    for (const decided_call::skipped_row& one : made.skipped)
        skipped += "; skipped " + std::string(one.row->algorithm) + ": " + one.error.text().c_str();
    if (made.entry == nullptr) return {.reason = origin + " has no row that serves it" + skipped};
    std::string reason = origin + ", row " + text_of(*made.row);
    if (made.row->origin != decision::source::stated) reason.append(", ").append(name_of(made.row->origin));
    return chosen_from_list(*made.entry, made.parameters, reason + skipped);
}

/// Returns an error unless the brackets of a schedule have the class of the request.
inline argument_error check_class_of(const chosen_schedule& made, const choice::request& request) {
    if (made.entry == nullptr) return check_bits(*made.schedule, request);
    return check_bits(*made.entry, made.parameters, *made.schedule, request);
}

}  // namespace detail

namespace policies {

/// The first of some policies whose schedule has a class of brackets, which is proved: the bits of the results of
/// reductions do not depend on what the class leaves out.
/// @param least  class that the brackets must have
/// @param those  choose among the algorithms of the class where they can, as tables do
template <class... Policy>
choice_policy of_class(association_class least, const Policy&... those) {
    return [least, policies = std::vector<choice_policy>{those...}](choice::request request) {
        request.bits = least;
        std::string against;
        for (const choice_policy& one : policies) {
            chosen_schedule made = one(request);
            if (made.schedule)
                if (const argument_error wrong = detail::check_class_of(made, request))
                    made = {{}, made.text() + ": " + wrong.text().c_str()};
            if (made.schedule && reduces(request.collective)) made.reason.append(", class ").append(name_of(least));
            if (made.schedule) return made;
            against.append(against.empty() ? "" : "; ").append(made.reason);
        }
        return chosen_schedule{{}, against};
    };
}

/// A decision table, such as one that read_decisions() reads.
/// @param rows    in any order; names of algorithms must live as long as the policy
/// @param list    algorithms that rows may name; the memory of the entries must live as long as the policy
/// @param origin  name of the table in reasons
inline choice_policy table(std::vector<decision> rows, std::span<const algorithm_entry> list,
                           std::string origin = "the table") {
    return [rows = std::move(rows), list, origin = std::move(origin)](const choice::request& request) {
        return detail::choose_by_rows(rows, list, origin, request);
    };
}

/// The built-in rules, and the only algorithm where a collective has one: see built_in_rules and canonical_rules.
/// @param list  algorithms that rows may name: those that are not in it are skipped; as above
inline choice_policy built_in(std::span<const algorithm_entry> list) {
    return [list](const choice::request& request) {
        static constexpr decision only_ones[] = {{.collective = collective::neighbor_allgather, .algorithm = "linear"},
                                                 {.collective = collective::neighbor_alltoall, .algorithm = "linear"}};
        const auto by = [&](std::span<const decision> rows, const char* origin = "the built-in rules") {
            chosen_schedule made = detail::choose_by_rows(rows, list, origin, request);
            if (made.schedule && made.reason.ends_with(name_of(decision::source::simulated)))
                made.reason.append(" for ").append(built_in_model);
            return made;
        };
        if (has_neighbors(request.collective)) return by(only_ones);
        if (request.bits >= association_class::position)
            if (chosen_schedule made = by(canonical_rules, "the built-in canonical rules"); made.schedule) return made;
        return by(built_in_rules);
    };
}

}  // namespace policies

}}  // namespace collsched::COLLSCHED_ABI
