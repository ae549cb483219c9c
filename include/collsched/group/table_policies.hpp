#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/group/choice_policy.hpp"
#include "collsched/select/built_in_rules.hpp"
#include "collsched/select/choose.hpp"
#include "collsched/select/decide.hpp"
#include "collsched/select/detail/request_checks.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the schedule of the row that takes precedence among those that serve a request.
inline chosen_schedule choose_by_rows(std::span<const decision> rows, std::span<const algorithm_entry> list,
                                      const char* origin, const choice::request& request) {
    const decided_call made = decide(rows, request, list, request.parameters.placement.ranks_per_node());
    std::string skipped;
    for (const decided_call::skipped_row& one : made.skipped)
        skipped += "; skipped " + std::string(one.row->algorithm) + ": " + one.error.text().c_str();
    if (made.entry == nullptr)
        return no_schedule(request, std::string(origin) + " has no row that serves it" + skipped);
    std::string reason =
        name_with_parameters(*made.entry, made.parameters) + ", " + origin + ", row " + text_of(*made.row);
    if (made.row->origin != decision::source::stated) reason.append(", ").append(name_of(made.row->origin));
    return {made.entry->make(made.parameters), reason + skipped};
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
                if (const argument_error wrong = detail::check_bits(*made.schedule, request))
                    made = {{}, made.reason + ": " + wrong.text().c_str()};
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
                           const char* origin = "the table") {
    return [rows = std::move(rows), list, origin](const choice::request& request) {
        return detail::choose_by_rows(rows, list, origin, request);
    };
}

/// The built-in rules, and the only algorithm where a collective has one: see built_in_rules and canonical_rules.
/// @param list  algorithms that rows may name: those that are not in it are skipped; as above
inline choice_policy built_in(std::span<const algorithm_entry> list) {
    return [list](const choice::request& request) {
        static constexpr decision only_ones[] = {{.collective = collective::neighbor_allgather, .algorithm = "linear"},
                                                 {.collective = collective::neighbor_alltoall, .algorithm = "linear"}};
        const auto by = [&](std::span<const decision> rows) {
            return detail::choose_by_rows(rows, list, "the built-in rules", request);
        };
        if (has_neighbors(request.collective)) return by(only_ones);
        if (request.bits >= association_class::position)
            if (chosen_schedule made = by(canonical_rules); made.schedule) return made;
        return by(built_in_rules);
    };
}

/// The cheapest algorithm under a cost model, as choose() finds it.
/// @param model  costs of messages and local work, such as hockney_model; equal on all ranks
/// @param list   algorithms to price; the memory of the entries must live as long as the policy
template <class Model>
choice_policy cheapest(const Model& model, std::span<const algorithm_entry> list) {
    return [model, list](choice::request request) -> chosen_schedule {
        request.best_only = true;
        const choice found = choose(request, list, simulated_price(model, request.binding));
        std::string refused;
        for (const choice::refusal& one : found.refused)
            refused += "; " + std::string(one.entry->info.name) + ": " + one.error.text().c_str();
        if (found.candidates.empty() || found.candidates.front().cost == unpriced)
            return detail::no_schedule(request, "none can be priced" + refused);
        const choice::candidate& best = found.candidates.front();
        return {best.entry->make(best.parameters), detail::name_with_parameters(*best.entry, best.parameters) +
                                                       ", the cheapest by the model, " +
                                                       std::to_string(best.cost / 1000) + " ns"};
    };
}

}  // namespace policies

}}  // namespace collsched::COLLSCHED_ABI
