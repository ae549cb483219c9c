#include "given_network.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/collective/forest_paths.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/simulate/link_queue_run.hpp"
#include "collsched/topology/rank_cycle.hpp"
#include "collsched/tree/match_chunks.hpp"
#include "collsched/tree/pack_forest.hpp"
#include "catalogue.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

constexpr rank_t all_roots = -1;

bytes_t largest_block(const block_layout& blocks, rank_t ranks) {
    bytes_t largest = 0;
    for (rank_t r = 0; r < ranks; ++r) largest = std::max(largest, blocks.count(r));
    return largest;
}

bool combines(collective what) { return what == collective::reduce || what == collective::reduce_scatter; }

/// Returns the direction and the root of the trees of a collective.
std::pair<bool, rank_t> roots_of(collective what, rank_t root) {
    return {combines(what), is_rooted(what) ? root : all_roots};
}

}  // namespace

trees::planned_forest given_network::forest(collective what, rank_t root) const {
    if (ranks() == 1) return {};
    const auto key = roots_of(what, root);
    if (key.second >= ranks()) throw usage_error("--root", std::to_string(root), fmt::format("0 to {}", ranks() - 1));
    const auto [found, added] = packed_->try_emplace(key);
    if (!added) return found->second;
    std::vector<rank_t> roots;
    for (rank_t r = 0; r < ranks(); ++r)
        if (key.second == all_roots || r == key.second) roots.push_back(r);
    const topology::network net = key.first ? read_.net.reversed() : read_.net;
    trees::packed_forest packed = trees::pack_forest(net, roots, trees_);
    if (packed.error) {
        packed_->erase(found);
        if (packed.error.argument == std::string_view("trees_per_root"))
            throw usage_error("--trees", std::to_string(trees_), packed.error.expected);
        throw read_.mistake(packed.error);
    }
    return found->second = trees::planned_forest(std::move(packed.result));
}

trees::planned_forest given_network::reversed_forest() const {
    return read_.one_way() ? forest(collective::reduce_scatter, 0) : trees::planned_forest();
}

trees::planned_transfers given_network::transfers(collective what, const block_layout& blocks) const {
    constexpr std::int64_t most_transfers = 1 << 15, matched_transfers = 1 << 16, most_trials = 20;
    const bytes_t block = largest_block(blocks, ranks());
    const auto [found, added] = matched_->try_emplace({combines(what), block});
    if (!added) return found->second;
    const topology::network net = combines(what) ? read_.net.reversed() : read_.net;
    std::optional<trees::matched_chunks> best;
    for (const std::int64_t parts : {1, 2, 3, 4, 6, 8, 12, 16}) {
        const std::int64_t count = ranks() * ranks() * parts;
        if (best && (parts > block || count > most_transfers || (is_over_ && is_over_()))) break;
        trees::matched_chunks made =
            trees::match_chunks(net, {.bytes = std::max<bytes_t>(1, block / parts + (block % parts != 0)),
                                      .parts = parts,
                                      .latency_holds = latency_occupies_,
                                      .trials = std::clamp<std::int64_t>(matched_transfers / count, 1, most_trials)});
        if (made.error) {
            matched_->erase(found);
            throw read_.mistake(made.error);
        }
        if (!best || made.plan.completion() < best->plan.completion()) best = std::move(made);
    }
    return found->second = trees::planned_transfers(std::move(best->plan));
}

void given_network::plan(const algorithm_entry& entry, shape& parameters) const {
    if (entry.takes(&shape::forest)) parameters.forest = forest(entry.info.collective, parameters.root);
    if (entry.takes(&shape::reversed_forest)) parameters.reversed_forest = reversed_forest();
    if (entry.takes(&shape::transfers)) parameters.transfers = transfers(entry.info.collective, parameters.block);
}

given_network::left_out given_network::plan(choice::request& request, std::span<const algorithm_entry> list) const {
    left_out without;
    for (const algorithm_entry& entry : list) {
        if (entry.info.collective != request.collective || !takes_network(entry)) continue;
        if (is_over_ && is_over_()) {
            without.late.push_back(&entry);
            continue;
        }
        try {
            plan(entry, request.parameters);
        } catch (const usage_error&) {
            if (!without.failure) without.failure = std::current_exception();
        }
    }
    return without;
}

permutation given_network::cycle() const {
    const topology::network::rank_cycle found = topology::find_rank_cycle(read_.net);
    if (found.order.empty())
        throw usage_error("--network", read_.path,
                          fmt::format("a network with a cycle through all ranks, of which {}",
                                      found.exact ? "there is none" : "none was found"));
    return permutation(found.order);
}

namespace {

/// Returns the paths of a schedule over a plan, or nothing if it has an edge of another schedule.
/// @param up  plan of the edges that combine
template <class Trees>
link_queue_model::router paths_over(const any_schedule& s, const Trees& plan, const Trees& up) {
    const auto paths = std::make_shared<const forest_paths<Trees>>(s.contract(), plan);
    const auto paths_up = plan == up ? paths : std::make_shared<const forest_paths<Trees>>(s.contract(), up);
    const auto visit = [paths, paths_up](const edge& e, auto f) {
        return (e.combines() ? paths_up : paths)->visit(e, f);
    };
    bool all = true;
    for (rank_t r = 0; r < s.ranks && all; ++r)
        for (step_t k = s.next(r, 0); k < s.steps() && all; k = s.next(r, k + 1))
            s.sends(r, k, [&](const edge& e) { all = all && (e.is_local() || visit(e, [](rank_t) {})); });
    if (!all) return {};
    return [visit](const edge& e, std::vector<rank_t>& path) { visit(e, [&](rank_t v) { path.push_back(v); }); };
}

}  // namespace

link_queue_model::router given_network::paths(const any_schedule& s) const {
    const contract contract = s.contract();
    if (s.ranks != ranks()) return {};
    const auto key = roots_of(contract.collective, contract.root);
    if (const auto found = packed_->find(key); found != packed_->end()) {
        const bool two = contract.collective == collective::allreduce && read_.one_way();
        if (auto paths = paths_over(s, found->second, two ? reversed_forest() : found->second)) return paths;
    }
    if (!moves_blocks(contract.collective) || key.second != all_roots) return {};
    if (const auto found = matched_->find({key.first, largest_block(contract.layout(), s.ranks)});
        found != matched_->end())
        return paths_over(s, found->second, found->second);
    return {};
}

edge_path::names given_network::path_names(const any_schedule& s) const {
    if (read_.net.switches() == 0) return {};
    const link_queue_model::router router = paths(s);
    if (!router) return {};
    return [this, router](const edge& e, std::vector<std::string>& names) {
        std::vector<rank_t> path;
        router(e, path);
        for (const rank_t v : path) names.push_back(read_.vertex(v));
    };
}

namespace {

/// Checks the paths of a file against a network, and converts their names to vertices.
class path_check {
  public:
    path_check(const read_network_file& network, const std::string& file) : network_(network), file_{file, {}} {
        for (rank_t v = 0; v < network.net.vertices(); ++v) vertices_.emplace(network.vertex(v), v);
        for (const topology::network::link& one : network.net.links()) links_.emplace(one.from, one.to);
    }
    std::vector<rank_t> vertices(const edge& e, const edge_path& read) const {
        std::vector<rank_t> path;
        for (std::size_t i = 0; i < read.vertices.size(); ++i) {
            const auto found = vertices_.find(read.vertices[i]);
            if (found == vertices_.end()) refuse(read, i, "a vertex of --network");
            if (i > 0 && !links_.contains({path.back(), found->second}))
                refuse(read, i,
                       fmt::format("a vertex to which a link of --network leads from {}",
                                   json_text(read.vertices[i - 1])));
            path.push_back(found->second);
        }
        if (path.empty()) return path;
        check_end(read, 0, path.front(), e.src);
        check_end(read, path.size() - 1, path.back(), e.dst);
        return path;
    }

  private:
    void check_end(const edge_path& read, std::size_t i, rank_t end, rank_t expected) const {
        if (end != expected)
            refuse(read, i, fmt::format("{}, rank {} of --network", json_text(network_.vertex(expected)), expected));
    }
    [[noreturn]] void refuse(const edge_path& read, std::size_t i, const std::string& expected) const {
        file_.refuse(read.line, fmt::format("path[{}]", i), json_text(read.vertices[i]), expected);
    }

    const read_network_file& network_;
    text_file file_;
    std::map<std::string, rank_t> vertices_;
    std::set<std::pair<rank_t, rank_t>> links_;
};

}  // namespace

link_queue_model::router given_network::paths(const any_schedule& s, const std::vector<edge_path>& read,
                                              const std::string& file) const {
    const auto before = [](const edge& a, const edge& b) { return precedes(a, b); };
    const auto all = std::make_shared<std::map<edge, std::vector<rank_t>, bool (*)(const edge&, const edge&)>>(before);
    const stored_schedule stored = materialize(s);
    const path_check check(read_, file);
    read_or_refuse("NAME", [&] {
        for (std::size_t i = 0; i < read.size(); ++i) {
            const edge& e = stored.edges()[i];
            (*all)[e] = check.vertices(e, read[i]);  // of equal edges the last one counts
        }
    });
    return [all](const edge& e, std::vector<rank_t>& path) {
        if (const auto found = all->find(e); found != all->end())
            path.insert(path.end(), found->second.begin(), found->second.end());
    };
}

simulation given_network::simulated(const any_schedule& s, const link_queue_model::router& paths,
                                    const simulation::conditions& when) const {
    try {
        return simulate(s, model(paths), when);
    } catch (const bad_argument& wrong) {
        if (wrong.error().argument != std::string_view("path")) throw;
        throw read_.mistake(wrong.error());
    }
}

planning_options::planning_options(CLI::App& command)
    : network_(command),
      trees_(command, option_group::parameters, "--trees", "K",
             "forest: sum of the weights of the trees of a root (default 0: as much as the bound of --network needs)") {
}

std::optional<given_network> planning_options::read() const {
    if (network_.given()) return given_network(network_.read(), trees_.number(0, 0));
    if (trees_.given()) throw usage_error::alone("--trees", "--network");
    return {};
}

std::string planning_options::text() const {
    return trees_.given() ? fmt::format("{} --trees {}", network_.text(), trees_.text()) : network_.text();
}
