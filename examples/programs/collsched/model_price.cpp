#include "model_price.hpp"

#include <memory>
#include <variant>

#include "collsched/select/choose.hpp"
#include "collsched/simulate.hpp"

using namespace collsched;

namespace {

/// Returns the price under a model. The result contains the start times.
template <class Model>
schedule_price timed_price(const Model& model, const price_conditions& when) {
    const auto starts = std::make_shared<const std::vector<picoseconds>>(when.starts);
    const auto price = simulated_price(model, {.start = *starts, .binding = when.how, .is_over = when.is_late});
    schedule_price found{[starts, price](const any_schedule& s, picoseconds limit) { return price(s, limit); },
                         [price](const any_schedule& s) { return price.bound(s); }};
    auto estimate = price;
    estimate.when.is_over = when.is_over;
    if (price.has_estimates())
        found.rough = [starts, estimate](const any_schedule& s, picoseconds limit, picoseconds bound) {
            return estimate.estimate(s, limit, bound);
        };
    return found;
}

}  // namespace

schedule_price price_of(const any_model& model, const std::optional<placed_cluster>& cluster,
                        const std::optional<given_network>& network, rank_t p, const price_conditions& when) {
    if (std::holds_alternative<model_of_network>(model))
        return {[network, when](const any_schedule& s, picoseconds limit) {
            const link_queue_model timed = network->model(network->paths(s));
            return simulated_price(timed, {.start = when.starts, .binding = when.how})(s, limit);
        }};
    if (const auto* alike = std::get_if<loggp_model>(&model)) return timed_price(*alike, when);
    if (const auto* simple = std::get_if<hockney_model>(&model)) return timed_price(*simple, when);
    if (const auto* goal = std::get_if<loggops_model>(&model))
        return {[goal, how = when.how](const any_schedule& s, picoseconds) {
            return simulate(goal_program(execution_graph(s, how)), *goal).completion;
        }};
    if (const auto* shared = std::get_if<contention_model>(&model))
        return timed_price(cluster->sharing(*shared, p), when);
    return timed_price(cluster->on(p), when);
}
