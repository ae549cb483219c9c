#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster_options.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/simulate/trace.hpp"
#include "given_network.hpp"
#include "model_option.hpp"

/// A simulated run with its critical path, and the resources that are busy for the longest time.
struct path_report {
    collsched::simulation run;
    std::vector<collsched::simulation::critical_step> steps{};
    std::vector<collsched::simulation::path_interval> intervals{};
    collsched::time_parts parts{};
    std::vector<std::string> links{};  ///< names of the links, by index; empty: none

    /// A resource and the time for which it is busy, in picoseconds. A name is empty if the model has no such resource.
    struct resource {
        std::string name{};
        collsched::picoseconds busy = 0;
    };
    resource link{}, rank{};
};

/// Runs a graph under a model and finds its critical path. Throws usage_error for two ranks without a path.
/// @param paths  paths of the schedule on a network
/// @pre a cluster or network is given if the model needs one, and the model is not loggops
path_report report_path(const any_model& model, const std::optional<placed_cluster>& cluster,
                        const std::optional<given_network>& network, const collsched::any_schedule& s,
                        const collsched::execution_graph& graph, const collsched::link_queue_model::router& paths,
                        const collsched::simulation::conditions& when);

/// Returns the completion, and the busiest link and rank.
std::string summary_text(const path_report& report);
/// Returns the completion, its parts with the largest first, and the busiest link and rank.
std::string time_text(const path_report& report);
/// Returns why the first run takes less time than another one, as differences of the parts of their paths.
std::string difference_text(const path_report& first, const std::string& name, const path_report& other);
/// Returns the members of a JSON object: the parts of the completion in microseconds, and the busiest link and rank.
std::string path_json(const path_report& report);
