#include "given_network.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/collective/forest_paths.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/tree/pack_forest.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

/// Whether the sum of bandwidths from each vertex to each other one is the same in the other direction.
bool is_symmetric(const topology::network& net) {
    std::map<std::pair<rank_t, rank_t>, std::int64_t> excess;
    for (const topology::network::link& one : net.links()) {
        const bool up = one.from < one.to;
        excess[{std::min(one.from, one.to), std::max(one.from, one.to)}] += up ? one.bandwidth : -one.bandwidth;
    }
    return std::ranges::all_of(excess, [](const auto& one) { return one.second == 0; });
}

bool combines(collective what) { return what == collective::reduce || what == collective::reduce_scatter; }

}  // namespace

trees::planned_forest given_network::forest(collective what, rank_t root) const {
    if (what == collective::allreduce && !is_symmetric(read_.net))
        throw usage_error("--network", read_.path,
                          "the same bandwidth in both directions between two vertices, for allreduce/forest");
    const rank_t all = -1;
    const rank_t from = is_rooted(what) ? root : all;
    const auto [found, added] = packed_->try_emplace(combines(what) ? -3 - from : from);
    if (!added) return found->second;
    std::vector<rank_t> roots;
    for (rank_t r = 0; r < ranks(); ++r)
        if (from == all || r == from) roots.push_back(r);
    const topology::network net = combines(what) ? read_.net.reversed() : read_.net;
    trees::packed_forest packed = trees::pack_forest(net, roots);
    if (packed.error) {
        packed_->erase(found);
        throw read_.mistake(packed.error);
    }
    return found->second = trees::planned_forest(std::move(packed.result));
}

link_queue_model::router given_network::paths(const any_schedule& s) const {
    const contract promise = s.contract();
    const rank_t root = is_rooted(promise.collective) ? promise.root : -1;
    const auto found = packed_->find(combines(promise.collective) ? -3 - root : root);
    if (found == packed_->end() || s.ranks != ranks()) return {};
    const auto paths = std::make_shared<const forest_paths>(promise, found->second);
    bool all = true;
    for_each_send(s, [&](const edge& e) { all = all && (e.is_local() || paths->visit(e, [](rank_t) {})); });
    if (!all) return {};
    return [paths](const edge& e, std::vector<rank_t>& path) { paths->visit(e, [&](rank_t v) { path.push_back(v); }); };
}

edge_path_names given_network::path_names(const any_schedule& s) const {
    if (read_.net.switches() == 0) return {};
    const link_queue_model::router router = paths(s);
    if (!router) return {};
    return [this, router](const edge& e, std::vector<std::string>& names) {
        std::vector<rank_t> path;
        router(e, path);
        for (const rank_t v : path) names.push_back(read_.vertex(v));
    };
}

link_queue_model::router given_network::paths(const any_schedule& s,
                                              const std::vector<std::vector<std::string>>& names) const {
    const auto before = [](const edge& a, const edge& b) { return precedes(a, b); };
    std::map<std::string, rank_t> vertices;
    for (rank_t v = 0; v < read_.net.vertices(); ++v) vertices.emplace(read_.vertex(v), v);
    const auto all = std::make_shared<std::map<edge, std::vector<rank_t>, bool (*)(const edge&, const edge&)>>(before);
    const stored_schedule stored = materialize(s);
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::vector<rank_t>& path = (*all)[stored.edges()[i]];
        for (const std::string& name : names[i]) {
            const auto found = vertices.find(name);
            if (found == vertices.end()) throw usage_error("NAME", name, "paths over vertices of --network");
            path.push_back(found->second);
        }
    }
    return [all](const edge& e, std::vector<rank_t>& path) {
        if (const auto found = all->find(e); found != all->end())
            path.insert(path.end(), found->second.begin(), found->second.end());
    };
}
