#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "collsched/select/detail/request_checks.hpp"
#include "collsched/collective/algorithm_list.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/select/detail/parameter_search.hpp"
#include "collsched/select/detail/price_ref.hpp"
#include "collsched/simulate/simulate.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Runs the searches of all algorithms of a request. Each search has a limit that the times of others do not change:
/// the least price of the defaults, and for most algorithms that of the searches whose defaults are cheapest.
class algorithm_search {
  public:
    algorithm_search(const choice::request& request, std::span<const algorithm_entry> list, const price_ref& price,
                     const choice::resources& use)
        : request_(request), use_(use) {
        for (const algorithm_entry& entry : list) {
            if (entry.info.collective != request.collective) continue;
            if (const argument_error error = check_plans(entry, request)) result_.refused.push_back({&entry, error});
            else searches_.emplace_back(entry, request, price, use);
        }
    }

    choice run() {
        order_.resize(searches_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        if (request_.best_only || use_.is_over)
            for_each(0, searches_.size(), [](parameter_search& search) { search.compute_bound(); });
        alternate_orders();
        if (request_.best_only) {
            run_best();
        } else {
            // If the time ends, each algorithm has the price of its defaults first.
            if (use_.is_over)
                for_each(0, searches_.size(), [](parameter_search& search) { search.price_default(unpriced); });
            for_each(0, searches_.size(), [](parameter_search& search) { search.run(unpriced); });
        }
        if (!searches_.empty() && searches_.front().has_estimates()) price_finalists();
        return result();
    }

  private:
    /// Number of algorithms whose searches lower the limit of the others. That of the first one lowers those of all.
    static constexpr std::size_t first_searches = 4;
    /// Segments that are priced before a search: 8 per message before all searches, then 32 and 128.
    static constexpr std::size_t probed_segments[] = {3, 5, 7};
    /// Number of settings with exact prices: of all algorithms if only the best is searched, otherwise of each.
    static constexpr std::size_t most_finalists = 4, finalists_of_each = 2;

    void run_best() {
        std::atomic<picoseconds> shared = request_.limit;
        const auto lower = [&](picoseconds cost) {
            for (picoseconds least = shared; cost < least && !shared.compare_exchange_weak(least, cost);) {}
        };
        for_each(0, searches_.size(), [&](parameter_search& search) {
            for (const decision& row : request_.neighbors)
                if (find_algorithm({&search.entry(), 1}, row.collective, row.algorithm) != nullptr)
                    lower(search.probe(row, request_.limit));
        });
        for_each(0, searches_.size(), [&](parameter_search& search) { lower(search.price_default(doubled(shared))); });
        const picoseconds before = shared;  // equal for all searches, since their order follows from the prices
        for_each(0, searches_.size(),
                 [&](parameter_search& search) { lower(search.probe(probed_segments[0], before)); });
        const auto probe = [&](std::size_t begin, std::size_t end, std::size_t i) {
            for_each(begin, end, [&](parameter_search& search) { lower(search.probe(i, shared)); });
        };
        for (parameter_search& search : searches_) search.limit_default(doubled(shared));
        order_by([](const parameter_search& search) { return search.first_price(); });
        std::size_t begin = 0;
        for (const std::size_t most : {std::size_t{1}, first_searches, searches_.size()}) {
            const std::size_t end = std::min(most, searches_.size());
            for (const std::size_t i : std::span(probed_segments).subspan(1)) probe(begin, end, i);
            const picoseconds least = shared;
            for_each(begin, end, [&](parameter_search& search) { search.run(least); });
            for (const parameter_search& search : searches_) lower(search.least());
            begin = end;
        }
    }
    /// Computes the exact prices of the settings whose estimates are the least: of all searches, or of each.
    void price_finalists() {
        struct entrant {
            parameter_search* search;
            parameter_search::finalist setting;
            std::optional<picoseconds> cost;
        };
        picoseconds least = unpriced;
        for (const parameter_search& search : searches_) least = std::min(least, search.least());
        std::vector<entrant> all;
        for (parameter_search& search : searches_) {
            const picoseconds limit = request_.best_only ? least : search.least();
            for (const auto& setting : search.finalists(limit, request_.best_only ? most_finalists : finalists_of_each))
                all.push_back({&search, setting, {}});
        }
        std::ranges::sort(all, {}, [](const entrant& e) {
            return std::tuple(e.setting.estimate, e.search->entry().info.name, e.setting.hash);
        });
        if (request_.best_only && all.size() > most_finalists) all.resize(most_finalists);
        if (all.empty()) return;
        picoseconds limit = unpriced;
        const auto price = [&](entrant& e) { e.cost = e.search->exact_price(e.setting, limit); };
        price(all.front());
        if (request_.best_only && all.front().cost) limit = *all.front().cost;
        call_each(all.size() - 1, [&](std::size_t i) { price(all[i + 1]); });
        for (const entrant& e : all)
            if (e.cost) e.search->keep(e.setting, *e.cost);
    }
    static picoseconds doubled(picoseconds cost) { return cost < unpriced / 2 ? 2 * cost : unpriced; }

    /// Orders searches by a key; equal ones as in the list.
    template <class Key>
    void order_by(Key key) {
        std::ranges::sort(order_, {}, [&](std::size_t i) { return std::pair(key(searches_[i]), i); });
    }
    /// Orders searches by messages and by lower bounds in turns: the first are priced fastest, or may be the cheapest.
    void alternate_orders() {
        order_by([](const parameter_search& search) { return search.bound(); });
        const std::vector<std::size_t> promising = order_;
        order_by([](const parameter_search& search) { return search.messages(); });
        const std::vector<std::size_t> fast = std::exchange(order_, {});
        for (std::size_t i = 0; i < fast.size(); ++i)
            for (const std::size_t next : {fast[i], promising[i]})
                if (std::ranges::find(order_, next) == order_.end()) order_.push_back(next);
    }
    /// Calls f for the searches from `begin` to `end` of the order.
    template <class F>
    void for_each(std::size_t begin, std::size_t end, F f) {
        call_each(end - begin, [&](std::size_t i) { f(searches_[order_[begin + i]]); });
    }
    /// Calls f(0) .. f(n-1), concurrently if the resources do.
    template <class F>
    void call_each(std::size_t n, F f) {
        if (use_.for_each)
            return use_.for_each(static_cast<std::int64_t>(n), [&](std::int64_t i) { f(static_cast<std::size_t>(i)); });
        for (std::size_t i = 0; i < n; ++i) f(i);
    }

    choice result() {
        const bool is_exact = std::ranges::any_of(searches_, [](const parameter_search& search) {
            return search.best().entry != nullptr && !search.best().is_estimate;
        });
        for (const parameter_search& search : searches_) {
            choice::candidate best = search.best();
            if (request_.best_only && is_exact && best.is_estimate) best.entry = nullptr;
            if (search.is_cut_short())
                result_.unfinished.push_back({&search.entry(), search.bound(), search.is_priced()});
            const choice::candidate computed = request_.best_only ? search.least_computed() : choice::candidate();
            if (best.entry == nullptr && computed.entry != nullptr) result_.other_prices.push_back(computed);
            if (best.entry != nullptr) result_.candidates.push_back(best);
            else if (search.is_priced() || search.bound() > 0) result_.left_out += search.is_cut_short() ? 0 : 1;
            else if (!search.is_cut_short()) result_.refused.push_back({&search.entry(), search.error()});
        }
        std::ranges::sort(result_.refused, {}, &choice::refusal::entry);
        for (auto* const list : {&result_.candidates, &result_.other_prices})
            std::ranges::sort(*list, {}, [](const choice::candidate& candidate) {
                return std::pair(candidate.cost, candidate.entry);
            });
        return std::move(result_);
    }

    const choice::request& request_;
    const choice::resources& use_;
    std::vector<parameter_search> searches_;  // in the order of the list
    std::vector<std::size_t> order_;
    choice result_;
};

}  // namespace detail

/// Prices every algorithm of the list for the request's collective, each with the best values of its free parameters
/// that the search finds. The search changes one parameter after another, from the algorithm's defaults, while the
/// price falls. It tries segments from large to small until the price has risen three times in a row, is half as much
/// again as that of a larger segment, or is twice the least. Schedules with equal edges, pacing and staging are priced
/// once. If `request.best_only`, a schedule is priced only if its lower bound is less than 63/64 of the least price, so that
/// the search may end with other, mostly at most 1/63 dearer, parameters. Schedules that are `unpriced`, or whose price
/// throws an exception, are not candidates, nor are reductions whose brackets are not of the class `request.bits`, which
/// association() proves for each schedule before it is priced. If the price has estimates, which take less time, the
/// search compares these, unless `request.every_setting`; then the settings with the least estimates are priced: of each
/// algorithm, or of all together if `request.best_only`. `request.neighbors` are then priced before all others.
/// @param request  collective, sizes and options of the search
/// @param list     algorithms to price
/// @param price    callable: picoseconds price(const any_schedule&), or price(const any_schedule&, picoseconds limit),
///                 which may return any price from `limit` on for a schedule that is not cheaper; a member
///                 price.bound(const any_schedule&), if there is one, returns a lower bound of the price, and a member
///                 price.estimate(const any_schedule&, picoseconds limit, picoseconds bound) an estimate within about 1/32 of it, if
///                 price.has_estimates(). All must be callable concurrently if `use` calls concurrently.
/// @param use      processors and time; without a limit of time the result does not depend on them
/// @return candidates by price, and refused algorithms with the reason
template <class Price>
choice choose(const choice::request& request, std::span<const algorithm_entry> list, const Price& price,
              const choice::resources& use = {}) {
    const detail::price_ref called(price);
    return detail::algorithm_search(request, list, called, use).run();
}

namespace detail {

/// The price of a schedule for choose(): the completion of a simulated run under a model that simulate() takes.
/// Callable concurrently. See simulated_price().
template <class Model>
struct simulated_cost {
    Model model;                    ///< costs of messages and local work
    simulation::conditions when{};  ///< start times, binding, pacing, staging, limit and is_over

    /// Returns the completion, `limit` if it is not below, or `unpriced` without one.
    /// @param s      a schedule
    /// @param limit  picoseconds
    picoseconds operator()(const any_schedule& s, picoseconds limit = unpriced) const { return cost(s, limit, 0); }
    /// Whether estimate() takes less time than the price: if messages that share links have rates.
    static constexpr bool has_estimates() {
        return requires(const Model& m) { m.rank_network(); };
    }
    /// Returns the completion as operator() does, but with rates of messages that change only a few hundred times.
    /// @param s      a schedule
    /// @param limit  picoseconds
    /// @param lower  bound() of the schedule
    picoseconds estimate(const any_schedule& s, picoseconds limit, picoseconds lower) const {
        constexpr picoseconds intervals = 512;  // of the lower bound
        return cost(s, limit, lower / intervals);
    }
    /// Returns a lower bound of the completion, 0 or more.
    /// @param s  a schedule
    picoseconds bound(const any_schedule& s) const {
        if constexpr (requires { completion_bound(s, model); }) return completion_bound(s, model);
        else return 0;
    }

  private:
    picoseconds cost(const any_schedule& s, picoseconds limit, picoseconds rate_interval) const {
        simulation::conditions until = when;
        until.limit = std::min(limit, when.limit);
        until.rate_interval = rate_interval;
        const simulation run = simulate(s, model, until);
        if (run.is_beyond_limit()) return limit;
        return run.check() ? unpriced : run.completion;
    }
};

}  // namespace detail

/// Returns a price for choose(): the completion of a simulated run under a model that simulate() takes.
/// @param model  costs of messages and local work
/// @param when   start times, which must remain valid as long as the price, binding, pacing, staging, limit and is_over
template <class Model>
detail::simulated_cost<Model> simulated_price(const Model& model, const simulation::conditions& when) {
    return {model, when};
}
/// Returns a price for choose(): the completion of a simulated run in which all ranks start at time 0.
/// @param model    costs of messages and local work
/// @param binding  how input and output overlap
template <class Model>
detail::simulated_cost<Model> simulated_price(const Model& model, binding binding = binding::separate) {
    return simulated_price(model, simulation::conditions{.binding = binding});
}

}}  // namespace collsched::COLLSCHED_ABI
