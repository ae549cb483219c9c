#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/select/decision_table.hpp"
#include "collsched/verify/association_report.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the entry of an algorithm; null if there is none. O(entries).
/// @param list       entries
/// @param operation  the collective
/// @param name       name of the algorithm, such as "ring"
constexpr const algorithm_entry* find_algorithm(std::span<const algorithm_entry> list, collective operation,
                                                std::string_view name) {
    for (const algorithm_entry& entry : list)
        if (entry.info.collective == operation && name == entry.info.name) return &entry;
    return nullptr;
}

/// Price of a schedule that cannot be priced, in picoseconds.
inline constexpr picoseconds unpriced = std::numeric_limits<picoseconds>::max();

/// The result of choose().
struct choice {
    struct resources;  ///< processors and time that choose() may use
    struct selection;  ///< a schedule for a call, and why it was chosen
    struct search;     ///< limits of the search of policies::cheapest(); in group/cheapest_policy.hpp

    /// The collective and its size for which choose() searches. It also chooses the free_parameters whose value is
    /// shape::as_it_is.
    struct request {
        collsched::collective collective = collsched::collective::barrier;  ///< the collective
        shape parameters{};         ///< ranks, sizes, and parameters that are fixed or shape::as_it_is
        rank_t ranks_per_node = 0;  ///< largest number of ranks on one node, for rows; 0: that of the placement
        collsched::binding binding = collsched::binding::separate;  ///< how input and output overlap
        bool keeps_order = false;                                   ///< whether the operation is not commutative
        association_class bits = association_class::any;  ///< class that the brackets of a reduction must have
        /// Returns the class of an algorithm's brackets, called concurrently if the search is; null: association() of each
        /// schedule.
        association_class (*class_of)(const algorithm_entry& entry, const shape& parameters) = nullptr;
        bool has_cluster = false;      ///< whether `parameters` has a cluster; planned algorithms then take part
        bool keeps_defaults = false;   ///< keep the defaults of all parameters but segments
        bool every_setting = false;    ///< price all combinations of values instead of searching
        bool best_only = false;        ///< leave out algorithms that are not cheaper than those before them in the list
        picoseconds limit = unpriced;  ///< if `best_only`, schedules with a larger price are not candidates
        /// Rows whose settings are priced first if `best_only`, such as those for a neighboring size: their prices limit the
        /// search. Rows of other algorithms, and values that the search would not try, have no effect.
        std::span<const decision> neighbors{};
        bytes_t least_segment = 0;  ///< smallest segment that is tried, in bytes, for models without a cost per message
        std::int64_t edge_limit = std::int64_t{1} << 20;         ///< schedules with more edges are not priced
        step_t step_limit = std::numeric_limits<step_t>::max();  ///< schedules with more steps are not chosen
    };

    /// An algorithm with the best values found for its parameters.
    struct candidate {
        const algorithm_entry* entry = nullptr;  ///< the algorithm, in the list of all algorithms
        shape parameters;                        ///< the request with the best values
        picoseconds cost = 0;                    ///< price of the schedule, or `unpriced`
        int trials = 0;                          ///< number of tried values of parameters, including this one
        bool is_estimate = false;  ///< whether `cost` is near the price, which there was no time to compute
    };

    /// An algorithm that cannot serve the request, with the reason.
    struct refusal {
        const algorithm_entry* entry = nullptr;  ///< the algorithm, in the list of all algorithms
        argument_error error;                    ///< the reason
    };

    /// An algorithm whose search the end of resources::is_over cut short. It may be a candidate too, with the best
    /// values until then.
    struct unfinished_search {
        const algorithm_entry* entry = nullptr;  ///< the algorithm, in the list of all algorithms
        picoseconds bound = 0;                   ///< lower bound of its price with its default parameters
        bool priced = false;                     ///< whether at least one of its schedules was priced
    };

    std::vector<candidate> candidates;  ///< cheapest first; equal ones in the order of the list
    /// If request::best_only, the algorithms that are no candidates but of which a schedule was priced: each with the least
    /// price that was computed, or its estimate. It may not be the algorithm's least. Cheapest first.
    std::vector<candidate> other_prices;
    std::vector<refusal> refused;               ///< in the order of the list
    std::vector<unfinished_search> unfinished;  ///< in the order of the list
    int left_out = 0;                           ///< number of algorithms that request::best_only leaves out
};

namespace detail {

/// Returns an error if a schedule may reorder the operands of an operation that does not commute.
inline argument_error check_order(const any_schedule& s, const choice::request& request) {
    if (!request.keeps_order || !s.contract().commutative) return {};
    return {"commutative", 1, "a schedule that keeps the order of operands"};
}

/// Returns the first error of a schedule for a request, the class of its brackets aside.
inline argument_error check_schedule(const any_schedule& s, const choice::request& request) {
    if (const argument_error error = s.check()) return error;
    if (s.steps() > request.step_limit) return {"steps", s.steps(), "no more than the limit of the request"};
    return check_order(s, request);
}

}  // namespace detail

/// The processors and the time that choose() may use. Without is_over, the result does not depend on them.
struct choice::resources {
    /// Calls f(0) .. f(n-1), in any order, also concurrently, and returns when all calls have returned; empty: in
    /// order.
    std::function<void(std::int64_t n, const std::function<void(std::int64_t)>& f)> for_each{};
    /// Returns whether the time is over; from then on, always. It is called concurrently; empty: never.
    std::function<bool()> is_over{};
};

/// A schedule for a call, and why it was chosen.
struct choice::selection {
    std::optional<any_schedule> schedule{};  ///< none: no algorithm serves the call
    std::string reason{};                    ///< one line: the origin of the choice, or why there is none
    std::string algorithm{};                 ///< with its parameters, such as "ring:segment=4096"; empty: unnamed
    const algorithm_entry* entry = nullptr;  ///< the algorithm in the list of the policy; null: from no list
    shape parameters{};                      ///< of the entry

    /// Returns the algorithm and the reason as one line.
    std::string text() const { return algorithm.empty() ? reason : algorithm + ", " + reason; }
};

}}  // namespace collsched::COLLSCHED_ABI
