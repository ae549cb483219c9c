#include "benchmarks/studies/ccsim_times.hpp"

#include <optional>
#include <string_view>

#include "collsched/collective/allgather/over_trees.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/in_preorder.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/simulate.hpp"
#include "collsched/tree/planners/all.hpp"

using namespace collsched;

namespace ccsim_study {

namespace {

constexpr rank_t most_for_optimal = 8;
constexpr std::array<bytes_t, 2> sizes{1'000, 100'000};

/// Completion times by case and planner; -1 if a planner does not support the case.
using times = std::array<std::array<picoseconds, planner_count>, cases.size()>;

/// The trees of a planner for messages of one size, made on first use.
class planned_trees {
  public:
    planned_trees(const planners::planner_entry& with, const lob_model& cluster, rank_t root, bytes_t bytes)
        : with_(with), ask_{cluster.switches(), cluster, bytes, root} {}

    const trees::planned_tree& down() {
        if (!down_) down_ = with_.plan(ask_).tree(with_.name);
        return *down_;
    }
    const trees::planned_tree& up() {
        if (!up_) up_ = with_.plan_back(ask_).tree(with_.name);
        return *up_;
    }
    /// Returns the tree for messages of another size.
    trees::planned_tree down(bytes_t bytes) const {
        tree_plan::request other = ask_;
        other.bytes = bytes;
        return with_.plan(other).tree(with_.name);
    }

  private:
    const planners::planner_entry& with_;
    tree_plan::request ask_;
    std::optional<trees::planned_tree> down_, up_;
};

/// Returns the completion time of the collective over these trees, in the full model.
picoseconds completion(const study_case& studied_case, planned_trees& made, const lob_model& cluster, rank_t root) {
    const rank_t p = cluster.ranks();
    const bytes_t m = studied_case.bytes;
    const auto run = [&](const auto& x) { return simulate(x, cluster).completion; };
    using trees::planned_tree;
    switch (studied_case.what) {
        case use::broadcast:
            return run(broadcast::over_tree<planned_tree>{.ranks = p, .root = root, .bytes = m, .tree = made.down()});
        case use::scatter:
            return run(scatter::over_tree<planned_tree, gather::root_receive::instant>{
                .ranks = p, .root = root, .block = m, .of = {.tree = made.down()}});
        case use::gather:
            return run(gather::over_tree<planned_tree, gather::root_receive::instant>{
                .ranks = p, .root = root, .block = m, .tree = made.up()});
        case use::allgather: break;
    }
    return run(allgather::over_trees<gather::root_receive::instant>(p, root, m, made.up(), made.down(p * m)));
}

/// refined and optimal are planned for messages of one size, those of a broadcast.
bool studied(const study_case& studied_case, std::string_view planner, rank_t ranks) {
    if (planner == "optimal" && ranks > most_for_optimal) return false;
    return studied_case.what == use::broadcast || (planner != "refined" && planner != "optimal");
}

times study_cluster(const studies::cluster_distribution& how, rank_t ranks, std::uint64_t seed) {
    const lob_model cluster = random_cluster(how, ranks, seed);
    detail::splitmix64 random(seed);
    const rank_t root = random.between(0, ranks - 1);
    times result;
    for (std::size_t k = 0; k < planner_count; ++k)
        for (const bytes_t bytes : sizes) {
            planned_trees made(*planners::all::find(planners_studied[k]), cluster, root, bytes);
            for (std::size_t c = 0; c < cases.size(); ++c)
                if (cases[c].bytes == bytes)
                    result[c][k] =
                        studied(cases[c], planners_studied[k], ranks) ? completion(cases[c], made, cluster, root) : -1;
        }
    return result;
}

}  // namespace

mean_row study_ranks(rank_t ranks, std::int64_t clusters, std::uint64_t seed) {
    std::vector<times> all(static_cast<std::size_t>(clusters));
    in_parallel(clusters, [&](std::int64_t i) {
        const auto own = (seed << 32U) + static_cast<std::uint64_t>(i * 1'000'003 + ranks);
        all[static_cast<std::size_t>(i)] = study_cluster(drawn, ranks, own);
    });
    mean_row row{ranks, {}};
    for (std::size_t c = 0; c < cases.size(); ++c)
        for (std::size_t k = 0; k < planner_count; ++k) {
            double sum = 0;
            for (const times& one : all) sum += static_cast<double>(one[c][k]) / static_cast<double>(ms);
            row.ms[c][k] = sum / static_cast<double>(clusters);
        }
    return row;
}

}  // namespace ccsim_study
