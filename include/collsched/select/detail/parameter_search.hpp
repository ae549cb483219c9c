#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
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
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/select/decision_table.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A reference to a price function, of one type for all functions. A function that takes a limit may return any price
/// from the limit on for schedules that are not cheaper. Its member bound() returns a lower bound of a price, if it has
/// one.
class price_ref {
  public:
    template <class Price>
    explicit price_ref(const Price& price)
        : call_([&](const any_schedule& s, picoseconds limit) -> picoseconds {
              if constexpr (std::invocable<const Price&, const any_schedule&, picoseconds>) return price(s, limit);
              else return price(s);
          }),
          bound_([&](const any_schedule& s) -> picoseconds {
              if constexpr (requires { price.bound(s); }) return price.bound(s);
              else return 0;
          }) {}
    picoseconds operator()(const any_schedule& s, picoseconds limit) const { return call_(s, limit); }
    picoseconds bound(const any_schedule& s) const { return bound_(s); }

  private:
    std::function<picoseconds(const any_schedule&, picoseconds)> call_;
    std::function<picoseconds(const any_schedule&)> bound_;
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
    /// Returns the number of messages with the default parameters, 0 before compute_bound().
    std::int64_t messages() const { return messages_; }
    void compute_bound() {
        if (is_over()) return;
        default_.emplace(made_with(request_->parameters));
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
        costs_[key_of(request_->parameters)] = limit_reached_ = limit;
        for (auto& [hash, cost] : equal_) cost = limit;  // of the default parameters, if they have a price
    }
    /// Returns the price of the default parameters, as price_default() and limit_default() leave it.
    picoseconds default_price() const { return limit_reached_; }

    /// Prices the default parameters with the i-th of the segments, if the search may choose it. Returns the price if
    /// it is at most `limit`, otherwise `unpriced`.
    picoseconds probe(std::size_t i, picoseconds limit) {
        const decision::free_parameter& segment = free_parameters.front();
        if (!is_free(segment) || is_over()) return unpriced;
        const std::vector<std::int64_t> segments = values_to_try(segment);
        if (i >= segments.size()) return unpriced;
        shape parameters = request_->parameters;
        parameters.*segment.value = segments[i];
        const made_schedule trial = made_with(parameters);
        if (trial.error) return unpriced;
        argument_error error;
        const std::optional<picoseconds> cost = price_or(trial.schedule, parameters, error, above(limit), above(limit));
        if (!cost || *cost > limit) return unpriced;
        if (*cost < probed_price_) probed_ = parameters;
        probed_price_ = std::min(probed_price_, *cost);
        return *cost;
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
            costs_[key_of(probed_)] = limit;
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

    struct made_schedule {
        any_schedule schedule;
        argument_error error;
        std::int64_t messages;
        std::uint64_t hash;  // of all that a price depends on
    };

    /// Number of consecutive price increases after which smaller segments are not tried.
    static constexpr int enough_rises = 3;
    /// Part of the least price by which a search for the best candidate alone must be able to lower it.
    static constexpr picoseconds smallest_gain = 64;
    /// Number of prices beyond the limit that are no increases.
    static constexpr int most_unseen = 6;

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
        for (const std::int64_t value : values_to_try(parameter)) {
            if ((segments && rises == enough_rises) || cut_short_) break;
            shape other = best_parameters_;
            other.*parameter.value = value;
            const picoseconds far = too_dear();
            const std::optional<picoseconds> cost = attempt(other, segments ? far : least_);
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
            if (segments && cost && lowest < far && *cost >= std::min(far, lowest + lowest / 2)) break;
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
        const std::optional<made_schedule> first = std::exchange(default_, std::nullopt);
        const made_schedule trial = first && costs_.empty() ? *first : made_with(parameters);
        if (const auto duplicate = equal_.find(trial.hash); !trial.error && duplicate != equal_.end())
            return costs_[key] = duplicate->second;
        argument_error error = trial.error;
        const auto cost = error ? std::nullopt : price_or(trial.schedule, parameters, error, least, limit);
        if (cut_short_) return std::nullopt;
        if (!cost && !first_error_) first_error_ = error;
        if (!trial.error) equal_[trial.hash] = cost;
        return costs_[key] = cost;
    }
    made_schedule made_with(const shape& parameters) const {
        made_schedule trial{make_numbered(*entry_, parameters), {}, 0, 0};
        const any_schedule& s = trial.schedule;
        if ((trial.error = check_schedule(s, *request_))) return trial;
        description_hash hash;
        hash(s.pacing().window);
        std::int64_t edges = 0;
        for (rank_t r = 0; r < s.ranks && edges <= request_->edge_limit; ++r) {
            hash(s.staging(r));
            for (step_t k = s.next(r, 0); k < s.steps() && edges <= request_->edge_limit; k = s.next(r, k + 1)) {
                rank_t receiver = r;
                s.sends(r, k, [&](const edge& e) {
                    hash(e);
                    ++edges;
                    if (std::exchange(receiver, e.dst) != e.dst) ++trial.messages;
                });
            }
        }
        trial.hash = hash.value();
        if (edges > request_->edge_limit) trial.error = {"edges", edges, "a schedule with fewer"};
        return trial;
    }
    /// Returns the price, or nothing with an error. A schedule that takes more than 2^63 picoseconds is not a
    /// candidate.
    std::optional<picoseconds> price_or(const any_schedule& s, const shape& parameters, argument_error& error,
                                        picoseconds least, picoseconds limit) {
        if ((error = check_bits(*entry_, parameters, s, *request_))) return std::nullopt;
        error = {"price", unpriced, "less"};
#if COLLSCHED_EXCEPTIONS
        try {
            if (const picoseconds cost = price_from(s, least, limit); cost != unpriced) return cost;
        } catch (const bad_argument& refused) {
            error = refused.error();
        }
#else
        if (const picoseconds cost = price_from(s, least, limit); cost != unpriced) return cost;
#endif
        cut_short_ = is_over();
        return std::nullopt;
    }
    picoseconds price_from(const any_schedule& s, picoseconds least, picoseconds limit) {
        if (least < unpriced)
            if (const picoseconds bound = price_->bound(s); bound >= worth(std::min(least, limit_))) {
                at_bound_ = true;
                return std::max(bound, least);
            }
        return (*price_)(s, limit);
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
    shape best_parameters_, probed_;
    bool found_ = false, cut_short_ = false;
    bool at_bound_ = false;  // whether the last price is a lower bound, which is not below the least price
    std::map<values, std::optional<picoseconds>> costs_;
    std::map<std::uint64_t, std::optional<picoseconds>> equal_;  // prices by the hash of a schedule
    argument_error first_error_;
    std::optional<made_schedule> default_;  // with the default parameters, until it is priced
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
