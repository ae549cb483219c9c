#pragma once

#include <algorithm>
#include <concepts>
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
        bool best_only = false;       ///< leave out algorithms that are not cheaper than those before them in the list
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
    int left_out = 0;                   ///< number of algorithms that request::best_only leaves out
};

namespace detail {

/// A reference to a price function, of one type for all functions. A function that takes a limit may return any price
/// from the limit on for schedules that are not cheaper.
class price_ref {
  public:
    template <class Price>
    explicit price_ref(const Price& price)
        : price_(&price), call_([](const void* p, const any_schedule& s, picoseconds limit) -> picoseconds {
              const Price& called = *static_cast<const Price*>(p);
              if constexpr (std::invocable<const Price&, const any_schedule&, picoseconds>) return called(s, limit);
              else return called(s);
          }) {}
    picoseconds operator()(const any_schedule& s, picoseconds limit) const { return call_(price_, s, limit); }

  private:
    const void* price_;
    picoseconds (*call_)(const void*, const any_schedule&, picoseconds);
};

/// Searches the values of one algorithm's parameters, one parameter after another, until no value improves the price.
class parameter_search {
  public:
    /// Only prices below `limit` are of interest.
    parameter_search(const algorithm_entry& entry, const choice::request& request, const price_ref& price,
                     picoseconds limit)
        : entry_(entry), request_(request), price_(price), least_(limit), best_parameters_(request.parameters) {}

    /// Runs the search. Returns the best candidate, an empty one if no price is below the limit, or the error that all
    /// values have.
    argument_error run(choice::candidate& best) {
        attempt(request_.parameters);
        if (request_.every_setting) try_all(request_.parameters, 0);
        for (bool better = !request_.every_setting; better;) {
            better = false;
            for (const shape::free_parameter& parameter : free_parameters) {
                if (!is_free(parameter)) continue;
                picoseconds last = found_ ? least_ : unpriced;
                int rises = 0;
                for (const std::int64_t value : values_of(parameter, request_.parameters)) {
                    if (parameter.value == &shape::segment && rises == enough_rises) break;
                    shape other = best_parameters_;
                    other.*parameter.value = value;
                    const picoseconds before = least_, far = too_dear();
                    const std::optional<picoseconds> cost = attempt(other);
                    rises = !cost || *cost >= far || *cost >= last ? rises + 1 : 0;
                    last = cost.value_or(last);
                    better = better || least_ < before;
                }
            }
        }
        if (!priced_) return first_error_;
        if (found_) best = {&entry_, best_parameters_, least_, static_cast<int>(costs_.size())};
        return {};
    }

  private:
    /// Number of consecutive price increases after which smaller segments are not tried.
    static constexpr int enough_rises = 3;

    /// Returns a price from which on prices are not computed: less would hide how they change.
    picoseconds too_dear() const { return least_ < unpriced / 2 ? 2 * least_ : unpriced; }

    bool is_free(const shape::free_parameter& parameter) const {
        if (request_.keeps_defaults && parameter.value != &shape::segment) return false;
        return entry_.takes(parameter.name) && request_.parameters.*parameter.value == shape::as_it_is;
    }
    /// Prices these parameters, and keeps them if they are the cheapest so far. Returns their price, if they have one.
    std::optional<picoseconds> attempt(const shape& parameters) {
        const std::optional<picoseconds> cost = cost_of(parameters);
        priced_ = priced_ || cost;
        if (cost && *cost < least_) {
            least_ = *cost;
            best_parameters_ = parameters;
            found_ = true;
        }
        return cost;
    }
    /// Tries all values of the parameters from the i-th on.
    void try_all(const shape& parameters, std::size_t i) {
        if (i == free_parameters.size()) {
            attempt(parameters);
            return;
        }
        try_all(parameters, i + 1);
        if (!is_free(free_parameters[i])) return;
        for (const std::int64_t value : values_of(free_parameters[i], request_.parameters)) {
            shape other = parameters;
            other.*free_parameters[i].value = value;
            try_all(other, i + 1);
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
            if (const picoseconds cost = price_(s, too_dear()); cost != unpriced) return cost;
        } catch (const bad_argument& refused) {
            error = refused.which();
        }
#else
        if (const picoseconds cost = price_(s, too_dear()); cost != unpriced) return cost;
#endif
        return std::nullopt;
    }

    const algorithm_entry& entry_;
    const choice::request& request_;
    const price_ref& price_;
    picoseconds least_;  // the limit at first
    shape best_parameters_;
    bool priced_ = false, found_ = false;
    std::map<std::array<std::int64_t, free_parameters.size()>, std::optional<picoseconds>> costs_;
    argument_error first_error_;
};

inline choice choose_by(const choice::request& request, std::span<const algorithm_entry> list, const price_ref& price) {
    choice result;
    picoseconds least = unpriced;
    for (const algorithm_entry& entry : list) {
        if (entry.info.collective != request.collective) continue;
        choice::candidate best;
        argument_error error;
        if (entry.takes("cluster") && !request.has_cluster) error = {"cluster", 0, "a cluster that it is planned for"};
        if (!error) error = parameter_search(entry, request, price, request.best_only ? least : unpriced).run(best);
        if (error) {
            result.refused.push_back({&entry, error});
        } else if (best.entry == nullptr) {
            ++result.left_out;
        } else {
            least = std::min(least, best.cost);
            result.candidates.push_back(std::move(best));
        }
    }
    std::ranges::sort(result.candidates, {},
                      [](const choice::candidate& candidate) { return std::pair(candidate.cost, candidate.entry); });
    return result;
}

}  // namespace detail

/// Prices every algorithm of the list for the request's collective, each with the best values of its free parameters
/// that the search finds. The search changes one parameter after another, from the algorithm's defaults, while the
/// price falls. It tries segments from large to small until the price has risen three times in a row, or is twice the
/// least. Schedules that are `unpriced`, or whose price throws an exception, are not candidates.
/// @param request  collective, sizes and options of the search
/// @param list     algorithms to price
/// @param price    callable: picoseconds price(const any_schedule&), or price(const any_schedule&, picoseconds limit),
///                 which may return any price from `limit` on for a schedule that is not cheaper
/// @return candidates by price, and refused algorithms with the reason
template <class Price>
choice choose(const choice::request& request, std::span<const algorithm_entry> list, const Price& price) {
    return detail::choose_by(request, list, detail::price_ref(price));
}

/// Returns a price for choose(): the completion of a simulated run under a model that simulate() takes.
/// @param model  costs of messages and local work
/// @param when   start times, which must remain valid as long as the price, binding, pacing, staging and limit
template <class Model>
auto simulated_price(const Model& model, const simulation::conditions& when) {
    return [model, when](const any_schedule& s, picoseconds limit = unpriced) {
        simulation::conditions until = when;
        until.limit = std::min(limit, when.limit);
        const simulation run = simulate(s, model, until);
        if (run.is_beyond_limit()) return limit;
        return run.check() ? unpriced : run.completion;
    };
}
/// Returns a price for choose(): the completion of a simulated run in which all ranks start at time 0.
/// @param model    costs of messages and local work
/// @param binding  how input and output overlap
template <class Model>
auto simulated_price(const Model& model, binding binding = binding::separate) {
    return simulated_price(model, simulation::conditions{.binding = binding});
}

}}  // namespace collsched::COLLSCHED_ABI
