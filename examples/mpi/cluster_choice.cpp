#include "cluster_choice.hpp"

#include <span>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "collsched/group/cheapest_policy.hpp"
#include "collsched/simulate/contention_bound.hpp"
#include "collsched/simulate/contention_run.hpp"
#include "given_cluster.hpp"

namespace collsched::preload {

namespace {

/// Bounds of a search, which determine its time.
constexpr rank_t most_ranks_on_cluster = 64;
constexpr std::int64_t most_edges = 20'000;
constexpr bytes_t least_segment = 8 * 1024;

/// Returns the algorithms that are not planned, and mgo.
std::span<const algorithm_entry> candidates() {
    static const auto& entries = *new std::vector<algorithm_entry>([] {
        std::vector<algorithm_entry> all(compiled::registry().begin(), compiled::registry().end());
        for (const algorithm_entry& entry : planned_algorithms())
            if (entry.info.name == std::string_view("mgo")) all.push_back(entry);
        return all;
    }());
    return entries;
}

}  // namespace

choice_policy cheapest_on(const lob_model& cluster, const std::optional<contention_model>& shared) {
    if (!shared || cluster.ranks() > most_ranks_on_cluster)
        return [](const choice::request&) -> choice::selection {
            return {.reason = "too many ranks or nodes for a search on the cluster"};
        };
    const choice::search search{.cluster = cluster,
                                .keeps_defaults = true,
                                .least_segment = least_segment,
                                .edge_limit = most_edges,
                                .by_size_class = true};
    return [search = policies::cheapest(*shared, candidates(), search)](const choice::request& request) {
        choice::selection made = search(request);
        if (made.schedule) made.reason = "on the cluster, " + made.reason;
        else made.reason = "no schedule of up to " + std::to_string(most_edges) + " messages on the cluster";
        return made;
    };
}

}  // namespace collsched::preload
