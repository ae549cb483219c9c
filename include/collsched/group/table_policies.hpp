#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/select/detail/request_checks.hpp"
#include "collsched/group/choice_policy.hpp"
#include "collsched/select/built_in_rules.hpp"
#include "collsched/select/decide.hpp"
#include "collsched/select/choice.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the schedule of the row that takes precedence among those that serve a request.
inline choice::selection choose_by_rows(std::span<const decision> rows, std::span<const algorithm_entry> list,
                                        const std::string& origin, const choice::request& request) {
    const decision::result call = decide(rows, request, list);
    std::string skipped;
    for (const decision::result::skipped_row& row : call.skipped)
        skipped += "; skipped " + std::string(row.row->algorithm) + ": " + row.error.text().c_str();
    if (call.entry == nullptr) return {.reason = origin + " has no row that serves it" + skipped};
    std::string reason = origin + ", row " + text_of(*call.row);
    if (call.row->origin != decision::source::stated) reason.append(", ").append(name_of(call.row->origin));
    return chosen_from_list(*call.entry, call.parameters, reason + skipped);
}

/// Returns an error unless the brackets of a schedule have the class of the request.
inline argument_error check_class_of(const choice::selection& call, const choice::request& request) {
    if (call.entry == nullptr) return check_bits(*call.schedule, request);
    return check_bits(*call.entry, call.parameters, *call.schedule, request);
}

}  // namespace detail

namespace policies {

/// The first of some policies whose schedule has a class of brackets, which is proved: the bits of the results of
/// reductions do not depend on what the class leaves out.
/// @param bits        class that the brackets must have
/// @param candidates  choose among the algorithms of the class where they can, as tables do
template <class... Policy>
choice_policy of_class(association_class bits, const Policy&... candidates) {
    return [bits, policies = std::vector<choice_policy>{candidates...}](choice::request request) {
        request.bits = bits;
        std::string refusals;
        for (const choice_policy& policy : policies) {
            choice::selection result = policy(request);
            if (result.schedule)
                if (const argument_error error = detail::check_class_of(result, request))
                    result = {{}, result.text() + ": " + error.text().c_str()};
            if (result.schedule && reduces(request.collective)) result.reason.append(", class ").append(name_of(bits));
            if (result.schedule) return result;
            refusals.append(refusals.empty() ? "" : "; ").append(result.reason);
        }
        return choice::selection{{}, refusals};
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
        static constexpr decision only_rows[] = {{.collective = collective::neighbor_allgather, .algorithm = "linear"},
                                                 {.collective = collective::neighbor_alltoall, .algorithm = "linear"}};
        const auto choose = [&](std::span<const decision> rows, const char* origin = "the built-in rules") {
            choice::selection result = detail::choose_by_rows(rows, list, origin, request);
            if (result.schedule && result.reason.ends_with(name_of(decision::source::simulated)))
                result.reason.append(" for ").append(built_in_model);
            return result;
        };
        if (has_neighbors(request.collective)) return choose(only_rows);
        if (request.bits >= association_class::position)
            if (choice::selection result = choose(canonical_rules, "the built-in canonical rules"); result.schedule)
                return result;
        return choose(built_in_rules);
    };
}

}  // namespace policies

}}  // namespace collsched::COLLSCHED_ABI
