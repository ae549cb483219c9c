#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/select/parameter_values.hpp"
#include "collsched/simulate/simulate.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Price of a schedule that cannot be priced, in picoseconds.
inline constexpr picoseconds unpriced = std::numeric_limits<picoseconds>::max();

/// The result of choose().
struct choice {
    /// The collective and its size for which choose() searches. It also chooses the free_parameters whose value is
    /// shape::as_it_is.
    struct request {
        collsched::collective collective = collsched::collective::barrier;  ///< the collective
        shape parameters{};  ///< ranks, sizes, and parameters that are fixed or shape::as_it_is
        collsched::binding binding = collsched::binding::separate;  ///< how input and output overlap
        bool keeps_order = false;                                   ///< whether the operation is not commutative
        bool has_cluster = false;     ///< whether `parameters` has a cluster; planned algorithms then take part
        bool keeps_defaults = false;  ///< keep the defaults of all parameters but segments
        bool every_setting = false;   ///< price all combinations of values instead of searching
        std::int64_t edge_limit = std::int64_t{1} << 20;  ///< schedules with more edges are not priced
    };

    /// An algorithm with the best values found for its parameters.
    struct candidate {
        const algorithm_entry* entry = nullptr;  ///< the algorithm, in the list of all algorithms
        shape parameters;                        ///< the request with the best values
        picoseconds cost = 0;                    ///< price of the schedule, or `unpriced`
        int tried = 0;                           ///< number of tried values of parameters, including this one
    };

    /// An algorithm that cannot serve the request, with the reason.
    struct refusal {
        const algorithm_entry* entry = nullptr;  ///< the algorithm, in the list of all algorithms
        argument_error error;                    ///< the reason
    };

    std::vector<candidate> candidates;  ///< cheapest first; equal ones in the order of the list
    std::vector<refusal> refused;       ///< in the order of the list
};

namespace detail {

/// A reference to a price function, of one type for all functions.
class price_ref {
  public:
    template <class Price>
    explicit price_ref(const Price& price)
        : price_(&price), call_([](const void* p, const any_schedule& s) -> picoseconds {
              return (*static_cast<const Price*>(p))(s);
          }) {}
    picoseconds operator()(const any_schedule& s) const { return call_(price_, s); }

  private:
    const void* price_;
    picoseconds (*call_)(const void*, const any_schedule&);
};

/// Searches the values of one algorithm's parameters, one parameter after another, until no value improves the price.
class parameter_search {
  public:
    parameter_search(const algorithm_entry& entry, const choice::request& request, const price_ref& price)
        : entry_(entry), request_(request), price_(price) {}

    /// Runs the search. Returns the best candidate, or the error that all values have.
    argument_error run(choice::candidate& best) {
        shape best_parameters = request_.parameters;
        std::optional<picoseconds> least = cost_of(best_parameters);
        if (request_.every_setting) try_all(request_.parameters, 0, best_parameters, least);
        for (bool better = !request_.every_setting; better;) {
            better = false;
            for (const shape::free_parameter& parameter : free_parameters) {
                if (!is_free(parameter)) continue;
                std::optional<picoseconds> last = least;
                int rises = 0;
                for (const std::int64_t value : values_of(parameter, request_.parameters)) {
                    if (parameter.value == &shape::segment && rises == enough_rises) break;
                    shape other = best_parameters;
                    other.*parameter.value = value;
                    const std::optional<picoseconds> cost = cost_of(other);
                    rises = !cost || (last && *cost >= *last) ? rises + 1 : 0;
                    last = cost;
                    if (!cost || (least && *cost >= *least)) continue;
                    least = cost;
                    best_parameters = other;
                    better = true;
                }
            }
        }
        if (!least) return first_error_;
        best = {&entry_, best_parameters, *least, static_cast<int>(costs_.size())};
        return {};
    }

  private:
    /// Number of consecutive price increases after which smaller segments are not tried.
    static constexpr int enough_rises = 4;

    bool is_free(const shape::free_parameter& parameter) const {
        if (request_.keeps_defaults && parameter.value != &shape::segment) return false;
        return entry_.takes(parameter.name) && request_.parameters.*parameter.value == shape::as_it_is;
    }
    /// Tries all values of the parameters from the i-th on.
    void try_all(const shape& parameters, std::size_t i, shape& best, std::optional<picoseconds>& least) {
        if (i == free_parameters.size()) {
            const std::optional<picoseconds> cost = cost_of(parameters);
            if (cost && (!least || *cost < *least)) least = cost, best = parameters;
            return;
        }
        try_all(parameters, i + 1, best, least);
        if (!is_free(free_parameters[i])) return;
        for (const std::int64_t value : values_of(free_parameters[i], request_.parameters)) {
            shape other = parameters;
            other.*free_parameters[i].value = value;
            try_all(other, i + 1, best, least);
        }
    }

    std::optional<picoseconds> cost_of(const shape& parameters) {
        std::array<std::int64_t, free_parameters.size()> key{};
        for (std::size_t i = 0; i < key.size(); ++i) key[i] = parameters.*free_parameters[i].value;
        const auto [found, inserted] = costs_.try_emplace(key);
        if (inserted) found->second = price(parameters);
        return found->second;
    }

    std::optional<picoseconds> price(const shape& parameters) {
        const any_schedule s = entry_.make(parameters);
        argument_error error = s.check();
        if (!error && request_.keeps_order && s.contract().commutative)
            error = {"commutative", 1, "a schedule that keeps the order of operands"};
        if (const std::int64_t edges = error ? 0 : edges_up_to(s, request_.edge_limit); edges > request_.edge_limit)
            error = {"edges", edges, "a schedule with fewer"};
        std::optional<picoseconds> cost;
        if (!error) cost = price_or(s, error);
        if (cost) return cost;
        if (!first_error_) first_error_ = error;
        return std::nullopt;
    }

    /// Returns the price, or nothing with an error. A schedule that takes more than 2^63 picoseconds is not a
    /// candidate.
    std::optional<picoseconds> price_or(const any_schedule& s, argument_error& error) const {
        error = {"price", unpriced, "less"};
#if COLLSCHED_EXCEPTIONS
        try {
            if (const picoseconds cost = price_(s); cost != unpriced) return cost;
        } catch (const bad_argument& refused) {
            error = refused.which();
        }
#else
        if (const picoseconds cost = price_(s); cost != unpriced) return cost;
#endif
        return std::nullopt;
    }

    const algorithm_entry& entry_;
    const choice::request& request_;
    const price_ref& price_;
    std::map<std::array<std::int64_t, free_parameters.size()>, std::optional<picoseconds>> costs_;
    argument_error first_error_;
};

inline choice choose_by(const choice::request& request, std::span<const algorithm_entry> list, const price_ref& price) {
    choice result;
    for (const algorithm_entry& entry : list) {
        if (entry.info.collective != request.collective) continue;
        choice::candidate best;
        argument_error error;
        if (entry.takes("cluster") && !request.has_cluster) error = {"cluster", 0, "a cluster that it is planned for"};
        if (!error) error = parameter_search(entry, request, price).run(best);
        if (error) result.refused.push_back({&entry, error});
        else result.candidates.push_back(std::move(best));
    }
    std::ranges::sort(result.candidates, {},
                      [](const choice::candidate& candidate) { return std::pair(candidate.cost, candidate.entry); });
    return result;
}

}  // namespace detail

/// Prices every algorithm of the list for the request's collective, each with the best values of its free parameters
/// that the search finds. The search changes one parameter after another, from the algorithm's defaults, while the
/// price falls. It tries segments from large to small until the price has risen four times in a row. price(const
/// any_schedule&) returns picoseconds. Schedules that are `unpriced`, or whose price throws an exception, are not
/// candidates.
/// @param request  collective, sizes and options of the search
/// @param list     algorithms to price
/// @param price    callable: picoseconds price(const any_schedule&)
/// @return candidates by price, and refused algorithms with the reason
template <class Price>
choice choose(const choice::request& request, std::span<const algorithm_entry> list, const Price& price) {
    return detail::choose_by(request, list, detail::price_ref(price));
}

/// Returns a price for choose(): the completion of a simulated run under a model that simulate() takes.
/// @param model    costs of messages and local work
/// @param binding  how input and output overlap
template <class Model>
auto simulated_price(const Model& model, binding binding = binding::separate) {
    return [model, binding](const any_schedule& s) {
        const simulation run = simulate(s, model, {.binding = binding});
        return run.check() ? unpriced : run.completion;
    };
}

}}  // namespace collsched::COLLSCHED_ABI
