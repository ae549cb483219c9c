#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "collsched/select/detail/request_checks.hpp"
#include "collsched/collective/make_numbered.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/select/decision_table.hpp"
#include "collsched/select/detail/price_ref.hpp"
#include "collsched/select/detail/trial_schedule.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Searches the values of one algorithm's parameters, one parameter after another, until no value improves the price.
/// Its result depends on the limits, not on the time of other searches. If the price has estimates, the search compares
/// these, and exact prices of its finalists follow.
class parameter_search {
  public:
    parameter_search(const algorithm_entry& entry, const choice::request& request, const price_ref& price,
                     const choice::resources& use)
        : entry_(&entry), request_(&request), price_(&price), use_(&use), best_parameters_(request.parameters) {}

    const algorithm_entry& entry() const { return *entry_; }
    /// Returns a lower bound of the price with the default parameters, 0 before compute_bound().
    picoseconds bound() const { return bound_; }
    /// Returns the number of messages with the default parameters, 0 before compute_bound().
    std::int64_t messages() const { return messages_; }
    void compute_bound() {
        if (is_over()) return;
        default_.emplace(make_trial(*entry_, request_->parameters, *request_));
        if (default_->error) default_.reset();
        else bound_ = price_->bound(default_->schedule), messages_ = default_->messages;
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
        limit_reached_ = limit;
        for (auto& [key, price] : costs_) price.cost = limit, price.is_computed = false;  // of the default parameters
        for (auto& [hash, price] : equal_) price.cost = limit, price.is_computed = false;
    }
    /// Returns the price of the default parameters, as price_default() and limit_default() leave it.
    picoseconds default_price() const { return limit_reached_; }
    /// Returns the least price of the default parameters and the probes.
    picoseconds first_price() const { return std::min(limit_reached_, probed_price_); }

    /// Prices the default parameters with the i-th of the segments, if the search may choose it. Returns the price if
    /// it is at most `limit`, otherwise `unpriced`.
    picoseconds probe(std::size_t i, picoseconds limit) {
        const decision::free_parameter& segment = free_parameters.front();
        const std::vector<std::int64_t> segments = values_to_try(segment);
        if (!is_free(segment) || i >= segments.size()) return unpriced;
        shape parameters = request_->parameters;
        parameters.*segment.value = segments[i];
        return probe(parameters, limit);
    }
    /// Prices the settings of a row, as above. Values that the search would not try have no price.
    picoseconds probe(const decision& row, picoseconds limit) {
        shape parameters = request_->parameters;
        for (const decision::free_parameter& parameter : free_parameters) {
            const std::int64_t value = row.*parameter.row;
            if (value == shape::as_it_is || !is_free(parameter)) continue;
            if (std::ranges::count(values_to_try(parameter), value) == 0) return unpriced;
            parameters.*parameter.value = value;
        }
        if (key_of(parameters) == key_of(request_->parameters)) return price_default(unpriced);
        return probe(parameters, limit);
    }

    /// Runs the search for prices up to `limit`, which is at most that of each probe. The first values of several
    /// parameters may have twice that price: those of the others lower it.
    void run(picoseconds limit) {
        limit_ = above(limit);
        least_ = has_several_parameters() && limit < unpriced / 2 ? 2 * limit_ : limit_;
        if (limit < unpriced && probed_price_ == limit) {
            best_parameters_ = probed_;
            least_ = limit;
            found_ = true;
            costs_[key_of(probed_)] = {limit, probed_hash_, true};
        }
        attempt(request_->parameters, too_dear());
        if (request_->every_setting) try_all(request_->parameters, 0);
        for (bool better = !request_->every_setting; better && !cut_short_;) {
            better = false;
            for (const decision::free_parameter& parameter : free_parameters)
                if (is_free(parameter)) better = try_values(parameter) || better;
        }
        found_ = found_ && least_ <= limit;
    }

    /// Returns the best candidate; without an entry if no price is within the limit. Its cost is an estimate if the price
    /// has estimates and keep() has no exact one.
    choice::candidate best() const {
        if (!found_) return {};
        return {entry_, best_parameters_, exact_.value_or(least_), static_cast<int>(costs_.size()),
                has_estimates() && !exact_};
    }

    /// Returns the setting with the least price, or estimate, that was computed; without an entry if none was.
    choice::candidate least_computed() const {
        choice::candidate found;
        for (const auto& [key, price] : costs_)
            if (price.is_computed && (found.entry == nullptr || *price.cost < found.cost))
                found = {entry_, of(key), *price.cost, static_cast<int>(costs_.size()), has_estimates()};
        return found;
    }

    /// A setting whose exact price may be the least.
    struct finalist {
        shape parameters;
        picoseconds estimate;
        std::uint64_t hash;  // of all that the price depends on
    };
    /// Whether finalists need exact prices.
    bool has_estimates() const { return price_->has_estimates() && !request_->every_setting; }
    /// Returns settings with different schedules whose estimates are near the least one, or below: at most `most`.
    std::vector<finalist> finalists(picoseconds least, std::size_t most) const {
        std::vector<finalist> found;
        const values best = key_of(best_parameters_);
        const auto add = [&](const values& key, const priced& price) {
            if (!price.is_computed || *price.cost > near(least)) return;
            if (std::ranges::find(found, price.hash, &finalist::hash) != found.end()) return;
            found.push_back({of(key), *price.cost, price.hash});
        };
        if (const auto position = costs_.find(best); position != costs_.end()) add(best, position->second);
        for (const auto& [key, price] : costs_) add(key, price);
        std::ranges::sort(found, {}, [](const finalist& f) { return std::pair(f.estimate, f.hash); });
        if (found.size() > most) found.resize(most);
        return found;
    }
    /// Returns the exact price of a finalist below a limit; otherwise nothing.
    std::optional<picoseconds> exact_price(const finalist& setting, picoseconds limit) const {
        argument_error error;
        const any_schedule s = make_numbered(*entry_, setting.parameters);
        const std::optional<picoseconds> cost = caught([&] { return (*price_)(s, limit); }, error);
        return cost && *cost < limit ? cost : std::nullopt;
    }
    /// Keeps the exact price of a finalist if it is the least of this search so far.
    void keep(const finalist& setting, picoseconds cost) {
        if (exact_ && *exact_ <= cost) return;
        exact_ = cost;
        best_parameters_ = setting.parameters;
    }
    /// Returns the least price, or that of the default parameters.
    picoseconds least() const { return found_ ? least_ : limit_reached_; }
    /// Returns whether a schedule has a price.
    bool is_priced() const {
        return std::ranges::any_of(costs_, [](const auto& price) { return price.second.cost.has_value(); });
    }
    /// Returns whether the time was over before the search.
    bool is_cut_short() const { return cut_short_; }
    /// Returns the error of the first schedule that has one.
    argument_error error() const { return first_error_; }

  private:
    using values = std::array<std::int64_t, free_parameters.size()>;

    /// The price of a setting, if it has one, or its estimate.
    struct priced {
        std::optional<picoseconds> cost;
        std::uint64_t hash = 0;    // of the schedule
        bool is_computed = false;  // whether the cost is neither a lower bound nor a limit
    };
    /// Number of consecutive price increases after which smaller segments are not tried.
    static constexpr int enough_rises = 3;
    /// Part of the least price by which a search for the best candidate alone must be able to lower it.
    static constexpr picoseconds smallest_gain = 64;
    /// Segments of which there are more, 2^i per message, are not tried if their price is beyond the limit or an eighth above
    /// the least: they take the most time.
    static constexpr std::size_t finest_unseen = 7;
    /// Number of prices beyond the limit that are no increases.
    static constexpr int most_unseen = 6;

    /// Part of a price by which an estimate differs from it at most, nearly always.
    static constexpr picoseconds largest_error = 32;

    /// Returns the largest estimate of a schedule that may be cheaper than one with this estimate.
    picoseconds near(picoseconds estimate) const {
        const picoseconds more = has_estimates() ? estimate / largest_error : 0;
        return estimate < unpriced - more ? estimate + more : unpriced;
    }
    static picoseconds above(picoseconds limit) { return limit < unpriced ? limit + 1 : unpriced; }
    bool is_over() const { return use_->is_over && use_->is_over(); }
    /// Returns the lower bound from which on a schedule is not priced for a price below `least`.
    picoseconds worth(picoseconds least) const { return request_->best_only ? least - least / smallest_gain : least; }
    /// Returns a price from which on prices are not computed: less would hide how they change with the segment.
    picoseconds too_dear() const { return least_ < unpriced / 2 ? 2 * least_ : unpriced; }

    bool is_free(const decision::free_parameter& parameter) const {
        if (request_->keeps_defaults && parameter.value != &shape::segment) return false;
        return entry_->takes(parameter.value) && request_->parameters.*parameter.value == shape::as_it_is;
    }
    /// Returns the values to try.
    std::vector<std::int64_t> values_to_try(const decision::free_parameter& parameter) const {
        std::vector<std::int64_t> all = values_of(parameter, request_->parameters);
        if (parameter.value == &shape::segment)
            std::erase_if(all, [&](std::int64_t value) { return value > 0 && value < request_->least_segment; });
        return all;
    }
    /// Returns whether there are two free parameters or more besides the segment.
    bool has_several_parameters() const {
        return std::ranges::count_if(free_parameters, [&](const decision::free_parameter& parameter) {
                   return parameter.value != &shape::segment && is_free(parameter);
               }) > 1;
    }
    /// Tries the values of a parameter, beside the best values of the others. Returns whether one is better.
    bool try_values(const decision::free_parameter& parameter) {
        const bool segments = parameter.value == &shape::segment;
        const picoseconds before = least_;
        picoseconds last = found_ ? least_ : unpriced, lowest = unpriced;
        int rises = 0, unseen = 0;
        const std::vector<std::int64_t> all = values_to_try(parameter);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((segments && rises == enough_rises) || cut_short_) break;
            const bool fine = segments && i > finest_unseen;
            shape other = best_parameters_;
            other.*parameter.value = all[i];
            const picoseconds far = too_dear();
            const std::optional<picoseconds> cost = attempt(other, segments ? far : near(least_));
            if (segments && cost && *cost == last) {  // the same schedule, mostly
                lowest = std::min(lowest, *cost);
                continue;
            }
            // Until a price is within the limit, those beyond may fall.
            const bool falls_unseen =
                (!found_ || lowest >= far) && !at_bound_ && cost && *cost >= far && unseen++ < most_unseen;
            const bool rise = !falls_unseen && (!cost || *cost >= far || *cost > last);
            rises = rise ? rises + 1 : 0;
            last = cost.value_or(last);
            if (fine && cost && *cost >= far) break;
            const picoseconds most = lowest < unpriced / 2 ? lowest + lowest / (fine ? 8 : 2) : far;
            if (segments && cost && lowest < far && *cost >= std::min(far, most)) break;
            lowest = std::min(lowest, cost.value_or(lowest));
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
        for (const std::int64_t value : values_to_try(free_parameters[i])) {
            shape other = parameters;
            other.*free_parameters[i].value = value;
            try_all(other, i + 1);
        }
    }

    shape of(const values& key) const {
        shape parameters = request_->parameters;
        for (std::size_t i = 0; i < key.size(); ++i) parameters.*free_parameters[i].value = key[i];
        return parameters;
    }
    static values key_of(const shape& parameters) {
        values key{};
        for (std::size_t i = 0; i < key.size(); ++i) key[i] = parameters.*free_parameters[i].value;
        return key;
    }
    /// Prices a setting before the search. Returns the price if it is at most `limit`, otherwise `unpriced`.
    picoseconds probe(const shape& parameters, picoseconds limit) {
        if (is_over()) return unpriced;
        const trial_schedule trial = make_trial(*entry_, parameters, *request_);
        argument_error error = trial.error;
        const auto cost =
            error ? std::nullopt : price_or(trial.schedule, parameters, error, above(limit), above(limit));
        if (!cost || *cost > limit) return unpriced;
        if (*cost < probed_price_) probed_ = parameters, probed_hash_ = trial.hash;
        probed_price_ = std::min(probed_price_, *cost);
        return *cost;
    }
    /// Returns the price; any from `least` on if a lower bound reaches it, and any from `limit` on if the price does.
    std::optional<picoseconds> cost_of(const shape& parameters, picoseconds least, picoseconds limit) {
        const values key = key_of(parameters);
        at_bound_ = false;
        if (const auto found = costs_.find(key); found != costs_.end()) return found->second.cost;
        cut_short_ = cut_short_ || is_over();
        if (cut_short_) return std::nullopt;
        const std::optional<trial_schedule> first = std::exchange(default_, std::nullopt);
        const trial_schedule trial = first && costs_.empty() ? *first : make_trial(*entry_, parameters, *request_);
        if (const auto duplicate = equal_.find(trial.hash); !trial.error && duplicate != equal_.end())
            return (costs_[key] = duplicate->second).cost;
        argument_error error = trial.error;
        const auto cost = error ? std::nullopt : price_or(trial.schedule, parameters, error, least, limit);
        if (cut_short_) return std::nullopt;
        if (!cost && !first_error_) first_error_ = error;
        const priced price{cost, trial.hash, cost && *cost < limit && !at_bound_};
        if (!trial.error) equal_[trial.hash] = price;
        costs_[key] = price;
        return cost;
    }
    /// Returns the price, or nothing with an error. A schedule that takes more than 2^63 picoseconds is not a
    /// candidate.
    std::optional<picoseconds> price_or(const any_schedule& s, const shape& parameters, argument_error& error,
                                        picoseconds least, picoseconds limit) {
        if ((error = check_bits(*entry_, parameters, s, *request_))) return std::nullopt;
        const auto cost = caught([&] { return price_from(s, least, limit); }, error);
        if (!cost) cut_short_ = is_over();
        return cost;
    }
    picoseconds price_from(const any_schedule& s, picoseconds least, picoseconds limit) {
        const picoseconds bound = least < unpriced || has_estimates() ? price_->bound(s) : 0;
        if (least < unpriced && bound >= worth(std::min(least, limit_))) {
            at_bound_ = true;
            return std::max(bound, least);
        }
        return has_estimates() ? price_->estimate(s, limit, bound) : (*price_)(s, limit);
    }

    const algorithm_entry* entry_;
    const choice::request* request_;
    const price_ref* price_;
    const choice::resources* use_;
    picoseconds limit_ = unpriced;  // 1 more than that of run()
    picoseconds least_ = unpriced;  // price of the best candidate, at first `limit_` or twice it
    picoseconds bound_ = 0, limit_reached_ = unpriced;
    std::int64_t messages_ = 0;
    picoseconds probed_price_ = unpriced;  // least of the probes
    std::uint64_t probed_hash_ = 0;
    shape best_parameters_, probed_;
    bool found_ = false, cut_short_ = false;
    bool at_bound_ = false;  // whether the last price is a lower bound, which is not below the least price
    std::map<values, priced> costs_;
    std::map<std::uint64_t, priced> equal_;  // by the hash of a schedule
    std::optional<picoseconds> exact_;       // least exact price of its finalists
    argument_error first_error_;
    std::optional<trial_schedule> default_;  // with the default parameters, until it is priced
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
