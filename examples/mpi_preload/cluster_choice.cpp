#include "cluster_choice.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "bits.hpp"
#include "collsched/select/choose.hpp"
#include "collsched/simulate/contention_bound.hpp"
#include "collsched/simulate/contention_run.hpp"
#include "given_cluster.hpp"
#include "table.hpp"

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

::collsched::choice::request request_for(const decision& how, const ranks_on_cluster& on) {
    const bytes_t total = bytes_in_tables(how);
    const bytes_t bytes =
        total > 0 ? static_cast<bytes_t>(std::bit_floor(static_cast<std::uint64_t>(total))) : bytes_t{0};
    ::collsched::choice::request made{.collective = collective_of(how.what)};
    made.parameters.ranks = how.ranks;
    made.parameters.root = how.root;
    made.parameters.bytes = bytes;
    made.parameters.block = block_layout::partition(bytes, how.ranks);
    made.parameters.segment = shape::as_it_is;
    made.parameters.placement = on.groups;
    made.parameters.cluster = on.model;
    made.keeps_order = !how.commutative;
    made.bits = wanted_bits(how.what);
    made.has_cluster = made.keeps_defaults = made.best_only = true;
    made.least_segment = least_segment;
    made.edge_limit = most_edges;
    return made;
}

std::vector<choice> search(const decision& how, const ranks_on_cluster& on,
                           const ::collsched::choice::request& request) {
    const ::collsched::choice found = ::collsched::choose(request, candidates(), simulated_price(*on.shared));
    std::vector<choice> choices;
    for (const ::collsched::choice::candidate& one : found.candidates) {
        choice made{find_algorithm(collective_of(how.what), one.entry->info.name), {}, false, ""};
        if (made.algorithm == nullptr) continue;
        for (const free_parameter& parameter : free_parameters)
            if (made.algorithm->takes(parameter.name))
                made.parameters.*parameter.value = one.parameters.*parameter.value;
        made.why = "cheapest on the cluster, simulated with " + std::to_string(request.parameters.bytes) + " bytes";
        choices.push_back(std::move(made));
    }
    return choices;
}

}  // namespace

std::optional<choice> choose_by_cluster(const decision& how, const selection_input& from, std::string& skipped) {
    if (from.cluster == nullptr) return {};
    if (!from.cluster->shared || how.ranks > most_ranks_on_cluster) {
        skipped = "too many ranks or nodes for a search on the cluster; ";
        return {};
    }
    const ::collsched::choice::request request = request_for(how, *from.cluster);
    const std::array<std::int64_t, 4> key = {static_cast<std::int64_t>(how.what), request.parameters.bytes, how.root,
                                             how.commutative};
    auto known = from.cluster->found.find(key);
    if (known == from.cluster->found.end())
        known = from.cluster->found.emplace(key, search(how, *from.cluster, request)).first;
    for (choice made : known->second) {
        place(made, from);
        if (from.against(made).empty()) return made;
    }
    skipped = "no schedule of up to " + std::to_string(most_edges) + " messages on the cluster; ";
    return {};
}

}  // namespace collsched::preload
