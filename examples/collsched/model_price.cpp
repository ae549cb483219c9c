#include "model_price.hpp"

#include <memory>
#include <variant>

#include "collsched/select/choose.hpp"
#include "collsched/simulate.hpp"

using namespace collsched;

namespace {

/// Returns the price under a model. The result contains the start times.
template <class Model>
schedule_price timed_price(const Model& model, binding how, const std::vector<picoseconds>& starts) {
    const auto kept = std::make_shared<const std::vector<picoseconds>>(starts);
    return [kept, price = simulated_price(model, {.start = *kept, .binding = how})](
               const any_schedule& s, picoseconds limit) { return price(s, limit); };
}

}  // namespace

schedule_price price_of(const any_model& model, const std::optional<placed_cluster>& cluster, rank_t p, binding how,
                        const std::vector<picoseconds>& starts) {
    if (const auto* alike = std::get_if<loggp_model>(&model)) return timed_price(*alike, how, starts);
    if (const auto* simple = std::get_if<hockney_model>(&model)) return timed_price(*simple, how, starts);
    if (const auto* goal = std::get_if<loggops_model>(&model))
        return [goal, how](const any_schedule& s, picoseconds) {
            return simulate(goal_program(execution_graph(s, how)), *goal).completion;
        };
    if (const auto* shared = std::get_if<contention_model>(&model))
        return timed_price(cluster->sharing(*shared, p), how, starts);
    return timed_price(cluster->on(p).cost, how, starts);
}
