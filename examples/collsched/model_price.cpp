#include "model_price.hpp"

#include <variant>

#include "collsched/select/choose.hpp"
#include "collsched/simulate.hpp"

using namespace collsched;

schedule_price price_of(const any_model& model, const std::optional<placed_cluster>& cluster, rank_t p, binding how) {
    if (const auto* alike = std::get_if<loggp_model>(&model)) return simulated_price(*alike, how);
    if (const auto* simple = std::get_if<hockney_model>(&model)) return simulated_price(*simple, how);
    if (const auto* goal = std::get_if<loggops_model>(&model))
        return [goal, how](const any_schedule& s, picoseconds) {
            return simulate(goal_program(execution_graph(s, how)), *goal).completion;
        };
    if (const auto* shared = std::get_if<contention_model>(&model))
        return simulated_price(cluster->sharing(*shared, p), how);
    return simulated_price(cluster->on(p).cost, how);
}
