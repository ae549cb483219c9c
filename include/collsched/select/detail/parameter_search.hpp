#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/select/parameter_values.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A reference to a price function, of one type for all functions. A function that takes a limit may return any price
/// from the limit on for schedules that are not cheaper. Its member bound() returns a lower bound of a price, if it has
/// one.
class price_ref {
  public:
    template <class Price>
    explicit price_ref(const Price& price)
        : price_(&price),
          call_([](const void* p, const any_schedule& s, picoseconds limit) -> picoseconds {
              const Price& called = *static_cast<const Price*>(p);
              if constexpr (std::invocable<const Price&, const any_schedule&, picoseconds>) return called(s, limit);
              else return called(s);
          }),
          bound_([](const void* p, const any_schedule& s) -> picoseconds {
              if constexpr (requires(const Price& q) { q.bound(s); }) return static_cast<const Price*>(p)->bound(s);
              else return 0;
          }) {}
    picoseconds operator()(const any_schedule& s, picoseconds limit) const { return call_(price_, s, limit); }
    picoseconds bound(const any_schedule& s) const { return bound_(price_, s); }

  private:
    const void* price_;
    picoseconds (*call_)(const void*, const any_schedule&, picoseconds);
    picoseconds (*bound_)(const void*, const any_schedule&);
};

/// Searches the values of one algorithm's parameters, one parameter after another, until no value improves the price.
/// Its result depends on the limits, not on the time of other searches.
class parameter_search {
  public:
    parameter_search(const algorithm_entry& entry, const choice::request& request, const price_ref& price,
                     const choice::resources& use)
        : entry_(&entry), request_(&request), price_(&price), use_(&use), best_parameters_(request.parameters) {}

    const algorithm_entry& entry() const { return *entry_; }
    /// Returns a lower bound of the price with the default parameters, 0 before compute_bound().
    picoseconds bound() const { return bound_; }
    void compute_bound() {
        if (is_over()) return;
        default_.emplace(entry_->make(request_->parameters));
        if (error_of(*default_)) default_.reset();
        else bound_ = price_->bound(*default_);
    }

    /// Prices the default parameters. Returns any price from `limit` on if the price is not below it, and `unpriced` if
    /// there is none.
    picoseconds price_default(picoseconds limit) {
        if (bound_ >= limit) limit_reached_ = limit;
        else if (const auto cost = cost_of(request_->parameters, limit, limit)) limit_reached_ = std::min(*cost, limit);
        return limit_reached_;
    }
    /// Replaces the price of the default parameters by `limit` if it is not below it.
    void limit_default(picoseconds limit) {
        if (limit_reached_ == unpriced || limit_reached_ < limit) return;
        costs_[key_of(request_->parameters)] = limit_reached_ = limit;
    }
    /// Returns the price of the default parameters, as price_default() and limit_default() leave it.
    picoseconds default_price() const { return limit_reached_; }

    /// Prices the default parameters with the i-th of the segments, if the search may choose it. Returns the price if
    /// it is at most `limit`, otherwise `unpriced`.
    picoseconds probe(std::size_t i, picoseconds limit) {
        const shape::free_parameter& segment = free_parameters.front();
        if (!is_free(segment) || is_over()) return unpriced;
        const std::vector<std::int64_t> segments = values_of(segment, request_->parameters);
        if (i >= segments.size()) return unpriced;
        shape parameters = request_->parameters;
        parameters.*segment.value = segments[i];
        const any_schedule s = entry_->make(parameters);
        argument_error error = error_of(s);
        if (error) return unpriced;
        const std::optional<picoseconds> cost = price_or(s, error, above(limit), above(limit));
        if (!cost || *cost > limit) return unpriced;
        if (*cost < probed_price_) probed_ = parameters;
        probed_price_ = std::min(probed_price_, *cost);
        return *cost;
    }

    /// Runs the search for prices up to `limit`, which is at most that of each probe. The first values of several
    /// parameters may have twice that price: those of the others lower it.
    void run(picoseconds limit) {
        least_ = above(has_several_parameters() && limit < unpriced / 2 ? 2 * limit : limit);
        if (limit < unpriced && probed_price_ == limit) {
            best_parameters_ = probed_;
            least_ = limit;
            found_ = true;
            costs_[key_of(probed_)] = limit;
        }
        attempt(request_->parameters, too_dear());
        if (request_->every_setting) try_all(request_->parameters, 0);
        for (bool better = !request_->every_setting; better && !cut_short_;) {
            better = false;
            for (const shape::free_parameter& parameter : free_parameters)
                if (is_free(parameter)) better = try_values(parameter) || better;
        }
        found_ = found_ && least_ <= limit;
    }

    /// Returns the best candidate; without an entry if no price is within the limit.
    choice::candidate best() const {
        if (!found_) return {};
        return {entry_, best_parameters_, least_, static_cast<int>(costs_.size())};
    }
    /// Returns the least price, or that of the default parameters.
    picoseconds least() const { return found_ ? least_ : limit_reached_; }
    /// Returns whether a schedule has a price.
    bool is_priced() const {
        return std::ranges::any_of(costs_, [](const auto& cost) { return cost.second.has_value(); });
    }
    /// Returns whether the time was over before the search.
    bool is_cut_short() const { return cut_short_; }
    /// Returns the error of the first schedule that has one.
    argument_error error() const { return first_error_; }

  private:
    using values = std::array<std::int64_t, free_parameters.size()>;

    /// Number of consecutive price increases after which smaller segments are not tried.
    static constexpr int enough_rises = 3;
    /// Number of prices beyond the limit that are no increases.
    static constexpr int most_unseen = 6;

    static picoseconds above(picoseconds limit) { return limit < unpriced ? limit + 1 : unpriced; }
    bool is_over() const { return use_->is_over && use_->is_over(); }
    /// Returns a price from which on prices are not computed: less would hide how they change with the segment.
    picoseconds too_dear() const { return least_ < unpriced / 2 ? 2 * least_ : unpriced; }

    bool is_free(const shape::free_parameter& parameter) const {
        if (request_->keeps_defaults && parameter.value != &shape::segment) return false;
        return entry_->takes(parameter.name) && request_->parameters.*parameter.value == shape::as_it_is;
    }
    /// Returns whether there are two free parameters or more besides the segment.
    bool has_several_parameters() const {
        return std::ranges::count_if(free_parameters, [&](const shape::free_parameter& one) {
                   return one.value != &shape::segment && is_free(one);
               }) > 1;
    }
    /// Tries the values of a parameter, beside the best values of the others. Returns whether one is better.
    bool try_values(const shape::free_parameter& parameter) {
        // In one group of all ranks, a radix of groups has no effect.
        const bool one_group = entry_->takes("group") && best_parameters_.group >= request_->parameters.ranks;
        if (one_group && parameter.value == &shape::radix) return false;
        const bool segments = parameter.value == &shape::segment;
        const picoseconds before = least_;
        picoseconds last = found_ ? least_ : unpriced;
        int rises = 0, unseen = 0;
        for (const std::int64_t value : values_of(parameter, request_->parameters)) {
            if ((segments && rises == enough_rises) || cut_short_) break;
            shape other = best_parameters_;
            other.*parameter.value = value;
            const picoseconds far = too_dear();
            const std::optional<picoseconds> cost = attempt(other, segments ? far : least_);
            // Until a price is within the limit, those beyond may fall.
            const bool falls_unseen = !found_ && !at_bound_ && cost && *cost >= far && unseen++ < most_unseen;
            const bool rise = !falls_unseen && (!cost || *cost >= far || *cost >= last);
            rises = rise ? rises + 1 : 0;
            last = cost.value_or(last);
        }
        return least_ < before;
    }
    /// Prices these parameters, and keeps them if they are the cheapest so far. Returns their price, if they have one.
    std::optional<picoseconds> attempt(const shape& parameters, picoseconds limit) {
        const std::optional<picoseconds> cost = cost_of(parameters, least_, limit);
        if (cost && *cost < least_) {
            least_ = *cost;
            best_parameters_ = parameters;
            found_ = true;
        }
        return cost;
    }
    /// Tries all values of the parameters from the i-th on.
    void try_all(const shape& parameters, std::size_t i) {
        if (cut_short_) return;
        if (i == free_parameters.size()) {
            attempt(parameters, least_);
            return;
        }
        try_all(parameters, i + 1);
        if (!is_free(free_parameters[i])) return;
        for (const std::int64_t value : values_of(free_parameters[i], request_->parameters)) {
            shape other = parameters;
            other.*free_parameters[i].value = value;
            try_all(other, i + 1);
        }
    }

    static values key_of(const shape& parameters) {
        values key{};
        for (std::size_t i = 0; i < key.size(); ++i) key[i] = parameters.*free_parameters[i].value;
        return key;
    }
    /// Returns the price; any from `least` on if a lower bound reaches it, and any from `limit` on if the price does.
    std::optional<picoseconds> cost_of(const shape& parameters, picoseconds least, picoseconds limit) {
        const values key = key_of(parameters);
        at_bound_ = false;
        if (const auto found = costs_.find(key); found != costs_.end()) return found->second;
        cut_short_ = cut_short_ || is_over();
        if (cut_short_) return std::nullopt;
        const std::optional<any_schedule> made = std::exchange(default_, std::nullopt);  // if any, the first is priced
        const any_schedule s = made && costs_.empty() ? *made : entry_->make(parameters);
        argument_error error = made ? argument_error{} : error_of(s);
        std::optional<picoseconds> cost;
        if (!error) cost = price_or(s, error, least, limit);
        if (cut_short_) return std::nullopt;
        if (!cost && !first_error_) first_error_ = error;
        return costs_[key] = cost;
    }
    argument_error error_of(const any_schedule& s) const {
        if (argument_error error = s.check()) return error;
        if (request_->keeps_order && s.contract().commutative)
            return {"commutative", 1, "a schedule that keeps the order of operands"};
        if (const std::int64_t edges = edges_up_to(s, request_->edge_limit); edges > request_->edge_limit)
            return {"edges", edges, "a schedule with fewer"};
        return {};
    }
    /// Returns the price, or nothing with an error. A schedule that takes more than 2^63 picoseconds is not a
    /// candidate.
    std::optional<picoseconds> price_or(const any_schedule& s, argument_error& error, picoseconds least,
                                        picoseconds limit) {
        error = {"price", unpriced, "less"};
#if COLLSCHED_EXCEPTIONS
        try {
            if (const picoseconds cost = price_from(s, least, limit); cost != unpriced) return cost;
        } catch (const bad_argument& refused) {
            error = refused.which();
        }
#else
        if (const picoseconds cost = price_from(s, least, limit); cost != unpriced) return cost;
#endif
        cut_short_ = is_over();
        return std::nullopt;
    }
    picoseconds price_from(const any_schedule& s, picoseconds least, picoseconds limit) {
        if (least < unpriced)
            if (const picoseconds bound = price_->bound(s); bound >= least) {
                at_bound_ = true;
                return bound;
            }
        return (*price_)(s, limit);
    }

    const algorithm_entry* entry_;
    const choice::request* request_;
    const price_ref* price_;
    const choice::resources* use_;
    picoseconds least_ = unpriced;  // at first 1 more than the limit
    picoseconds bound_ = 0, limit_reached_ = unpriced;
    picoseconds probed_price_ = unpriced;  // least of the probes
    shape best_parameters_, probed_;
    bool found_ = false, cut_short_ = false;
    bool at_bound_ = false;  // whether the last price is a lower bound, which is not below the least price
    std::map<values, std::optional<picoseconds>> costs_;
    argument_error first_error_;
    std::optional<any_schedule> default_;  // with the default parameters, until it is priced
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
