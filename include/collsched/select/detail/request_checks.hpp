#pragma once

#include <cstdint>

#include "collsched/select/choice.hpp"
#include "collsched/verify/combination_trees.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns an error unless a class is that of the request: argument "association", its value the number of the class.
inline argument_error check_class(association_class found, const choice::request& request) {
    if (found >= request.bits) return {};
    constexpr const char* numbers[] = {"", "1 (rank) or more", "2 (position) or more", "3 (canonical)"};
    return {"association", static_cast<std::int64_t>(found), numbers[static_cast<int>(request.bits)]};
}

/// Returns an error unless the brackets of a schedule have the class of the request. Complexity: that of association(),
/// and O(1) for the class any.
inline argument_error check_bits(const any_schedule& s, const choice::request& request) {
    if (request.bits == association_class::any || !reduces(request.collective)) return {};
    return check_class(association(s, request.binding).level, request);
}

/// As above, by choice::request::class_of if the request has it.
inline argument_error check_bits(const algorithm_entry& entry, const shape& parameters, const any_schedule& s,
                                 const choice::request& request) {
    if (request.class_of == nullptr || request.bits == association_class::any || !reduces(request.collective))
        return check_bits(s, request);
    return check_class(request.class_of(entry, parameters), request);
}

/// Returns the first error of a schedule of an algorithm for a request.
inline argument_error check_choice(const algorithm_entry& entry, const shape& parameters, const any_schedule& s,
                                   const choice::request& request) {
    if (const argument_error error = check_schedule(s, request)) return error;
    return check_bits(entry, parameters, s, request);
}

/// Returns an error if an algorithm is planned for a cluster or a network that the request does not have.
inline argument_error check_plans(const algorithm_entry& entry, const choice::request& request) {
    if (entry.takes(&shape::cluster) && !request.has_cluster) return {"cluster", 0, "a cluster that it is planned for"};
    if (entry.takes(&shape::forest) && request.parameters.ranks > 1 && request.parameters.forest.value().trees.empty())
        return {"forest", 0, "a network that it is packed for"};
    if (entry.takes(&shape::transfers) && request.parameters.ranks > 1 &&
        request.parameters.transfers.value().transfers.empty())
        return {"transfers", 0, "a network that they are matched to"};
    return {};
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
