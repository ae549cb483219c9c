#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "collsched/simulate/contention_model.hpp"
#include "collsched/cost/loggp.hpp"
#include "cluster_options.hpp"
#include "given_network.hpp"
#include "options.hpp"

/// Reads a decimal number such as "1.5" in 10^-6 of its unit (microseconds in picoseconds, nanoseconds in
/// femtoseconds), rounded to the nearest part.
std::int64_t read_decimal(std::string_view argument, std::string_view text);

/// The description of --model.
inline constexpr const char* model_help =
    "cost model: loggp:..., hockney:..., loggops:..., lob, contention:..., smpi:..., queue, or @FILE with a model; see "
    "Notes (default with --network: queue)";

/// The models and their parameters, for the end of a command's help.
extern const std::vector<std::string> model_notes;

/// The (L, o, b) model of a cluster file.
struct model_of_cluster {};
/// The model of the links of a network file.
struct model_of_network {
    std::int64_t latency_occupies = 0;  ///< as in link_queue_model, 0 or 1
};
/// A model. A contention model has the values that a cluster file does not contain; links and overheads are added for a
/// number of ranks.
using any_model = std::variant<collsched::loggp_model, collsched::hockney_model, collsched::loggops_model,
                               model_of_cluster, collsched::contention_model, model_of_network>;

/// Returns the smallest segment, in bytes, that a search under the model tries. That of links has no cost per message, so
/// that its times fall with ever smaller segments.
collsched::bytes_t least_segment(const any_model& model);
/// Returns whether the model needs a cluster.
bool needs_cluster(const any_model& model);
/// Throws usage_error if the model needs a cluster or a network and none is given.
void check_cluster(const any_model& model, const std::optional<placed_cluster>& cluster,
                   const std::optional<given_network>& network = {});
/// Passes the rule for latencies of the model of a network to the network.
void occupy_latencies(const any_model& model, std::optional<given_network>& network);
/// Throws usage_error if messages of the model share links and the cluster has no overheads. @pre check_cluster()
void check_overheads(const any_model& model, const std::optional<placed_cluster>& cluster);

/// Returns the text of --model. Its default with a network is queue.
std::string model_text(const text_option& option, const std::optional<given_network>& network);
/// Reads a model. Throws usage_error for other texts.
any_model read_model(const std::string& argument, const std::string& text);
/// Reads a model "loggp:..." only.
collsched::loggp_model read_loggp(const std::string& argument, const std::string& text);
