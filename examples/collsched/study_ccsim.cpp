#include "study_ccsim.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "collsched/collective/allgather/over_trees.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/cost/random_cluster.hpp"
#include "collsched/simulate.hpp"
#include "collsched/tree/planners/all.hpp"
#include "line_plot.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

constexpr picoseconds ms = 1'000'000'000;

/// One set for all tables, found once by a search over ranges for the means of the printed table. docs/ccsim.md
/// describes the search.
constexpr cluster_model::distribution drawn{.overhead_ps = {100 * ms, 350 * ms},
                                            .own_latency_ps = {0, 50 * ms},
                                            .own_kB_s = {175, 3150},
                                            .wide_latency_ps = {50 * ms, 70 * ms},
                                            .wide_kB_s = {300, 1350},
                                            .local_latency_ps = {30 * ms, 30 * ms},
                                            .local_kB_s = {280, 900},
                                            .fanout = {2, 3},
                                            .leaf = 5,
                                            .levels = 5};

constexpr std::array planners_studied{"ft",         "bt",       "fef", "fcef",    "la",     "fef-blind",
                                      "fcef-blind", "la-blind", "mgo", "refined", "optimal"};
constexpr std::size_t planner_count = planners_studied.size();
constexpr std::size_t mgo_column = 8;
constexpr rank_t most_for_optimal = 8;

enum class use { broadcast, scatter, gather, allgather };
constexpr std::array<bytes_t, 2> sizes{1'000, 100'000};
struct study_case {
    use what;
    const char* name;
    bytes_t bytes;
};
constexpr std::array cases{
    study_case{use::broadcast, "broadcast", 1'000}, study_case{use::broadcast, "broadcast", 100'000},
    study_case{use::scatter, "scatter", 1'000},     study_case{use::scatter, "scatter", 100'000},
    study_case{use::gather, "gather", 1'000},       study_case{use::gather, "gather", 100'000},
    study_case{use::allgather, "allgather", 1'000}, study_case{use::allgather, "allgather", 100'000}};

/// The printed table: short broadcast, mean completion in ms, of FT, BT, FEF, FCEF, LA and MGO.
struct paper_row {
    rank_t ranks;
    std::array<double, 6> ms;
};
constexpr std::array paper{paper_row{4, {952.3, 1101.4, 1176.89, 1089.23, 1080.26, 868.15}},
                           paper_row{8, {1875.86, 1808.43, 2215.94, 1897, 1813.38, 1359.98}},
                           paper_row{16, {3691.08, 2551.2, 3977.41, 2747.5, 2836.58, 1838.55}},
                           paper_row{32, {7035.98, 3307.44, 6206.96, 3396.18, 3540.57, 1964.7}},
                           paper_row{64, {13647.26, 3900.3, 10209.58, 4185.06, 4360.98, 2067.95}},
                           paper_row{128, {26685.98, 4825.95, 15130.92, 4567.74, 5071.14, 2139.8}},
                           paper_row{256, {53447.26, 5962.87, 21916.77, 5116.04, 5561.21, 2242.4}},
                           paper_row{512, {105479.94, 7150.52, 32858.43, 5626.32, 5789.99, 2265.62}}};

struct claim {
    const char* name;
    std::size_t equal, blind;  // columns
    int least, most;           // percent
};
constexpr std::array claims{claim{"FT", 0, 0, 9, 98}, claim{"BT", 1, 1, 21, 68}, claim{"FEF", 2, 5, 26, 93},
                            claim{"FCEF", 3, 6, 2, 60}, claim{"LA", 4, 7, 2, 61}};

/// Completion times by case and planner; -1 if a planner does not support the case.
using times = std::array<std::array<picoseconds, planner_count>, cases.size()>;

/// The trees of a planner for messages of one size, made on first use.
class planned_trees {
  public:
    planned_trees(const planners::planner_entry& with, const cluster_model& cluster, rank_t root, bytes_t bytes)
        : with_(with), ask_{cluster.switches, cluster.cost, bytes, root} {}

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
picoseconds completion(const study_case& studied_case, planned_trees& made, const cluster_model& cluster, rank_t root) {
    const rank_t p = cluster.ranks();
    const bytes_t m = studied_case.bytes;
    const auto run = [&](const auto& x) { return simulate(x, cluster.cost).completion; };
    using trees::planned_tree;
    switch (studied_case.what) {
        case use::broadcast:
            return run(broadcast::over_tree<planned_tree>{.ranks = p, .root = root, .bytes = m, .tree = made.down()});
        case use::scatter:
            return run(scatter::over_tree<planned_tree, gather::root_receive::instant>{
                .ranks = p, .root = root, .block = m, .tree = made.down()});
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

times study_cluster(const cluster_model::distribution& how, rank_t ranks, std::uint64_t seed) {
    const cluster_model cluster = random_cluster(how, ranks, seed);
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

/// Calls f(i) for i = 0 .. n-1 on all processors. Rethrows the first exception.
template <class F>
void in_parallel(std::int64_t n, F f) {
    std::atomic<std::int64_t> next = 0;
    std::exception_ptr thrown;
    std::once_flag first;
    const auto work = [&] {
        try {
            for (std::int64_t i = next++; i < n; i = next++) f(i);
        } catch (...) {
            next = n;
            std::call_once(first, [&] { thrown = std::current_exception(); });
        }
    };
    {
        std::vector<std::jthread> helpers;
        for (unsigned t = 1; t < std::max(1U, std::thread::hardware_concurrency()); ++t) helpers.emplace_back(work);
        work();
    }
    if (thrown) std::rethrow_exception(thrown);
}

/// Mean times in ms.
struct mean_row {
    rank_t ranks;
    std::array<std::array<double, planner_count>, cases.size()> ms;
};

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

void put_means(std::size_t c, const std::vector<mean_row>& rows) {
    put_line(fmt::format("\n{}, m = {} kB: mean completion in ms", cases[c].name, cases[c].bytes / 1000));
    std::string head = fmt::format("{:>5}", "P");
    for (const char* name : planners_studied) head += fmt::format("{:>12}", name);
    put_line(head);
    for (const mean_row& row : rows) {
        std::string line = fmt::format("{:>5}", row.ranks);
        for (std::size_t k = 0; k < planner_count; ++k)
            line += row.ms[c][k] < 0 ? fmt::format("{:>12}", "-") : fmt::format("{:>12.2f}", row.ms[c][k]);
        put_line(line);
        const auto printed =
            std::find_if(paper.begin(), paper.end(), [&](const paper_row& p) { return p.ranks == row.ranks; });
        if (c != 0 || printed == paper.end()) continue;
        line = "paper";
        for (std::size_t k = 0; k < planner_count; ++k) {
            const std::size_t at = k < 2 ? k : k >= 5 && k <= 8 ? k - 3 : paper.size();
            line += at < 6 ? fmt::format("{:>12.2f}", printed->ms[at]) : fmt::format("{:>12}", "");
        }
        put_line(line);
    }
}

void put_leads(std::size_t c, const std::vector<mean_row>& rows) {
    put_line(fmt::format("\n{}, m = {} kB: how much less time MGO takes, in % (* outside the claim)", cases[c].name,
                         cases[c].bytes / 1000));
    std::string head = fmt::format("{:>5}", "P"), range = "claim";
    for (const bool blind : {false, true})
        for (const claim& one : claims) {
            if (blind && one.blind == one.equal) continue;
            head += fmt::format("{:>14}", blind ? fmt::format("{}, blind", one.name) : one.name);
            range += fmt::format("{:>14}", fmt::format("{} to {}", one.least, one.most));
        }
    put_line(head);
    put_line(range);
    for (const mean_row& row : rows) {
        std::string line = fmt::format("{:>5}", row.ranks);
        for (const bool blind : {false, true})
            for (const claim& one : claims) {
                if (blind && one.blind == one.equal) continue;
                const double other = row.ms[c][blind ? one.blind : one.equal];
                const double lead = 100 * (1 - row.ms[c][mgo_column] / other);
                const bool outside = lead < one.least || lead > one.most;
                line += fmt::format("{:>13.1f}{}", lead, outside ? "*" : " ");
            }
        put_line(line);
    }
}

/// Prints the fraction of cases in which knowledge of the topology pays, when the wide area is `slower` times slower.
void put_conditions(const std::vector<rank_t>& ranks, std::int64_t clusters, std::uint64_t seed) {
    put_line(
        "\nShort broadcast, equal knowledge: % of clusters in which MGO takes no longer than FCEF and LA, when the "
        "wide");
    put_line("area has so many times the latency and as many times less bandwidth");
    constexpr std::array<std::int64_t, 4> factors{1, 10, 100, 1000};
    std::string head = fmt::format("{:>5}", "P");
    for (const std::int64_t slower : factors) head += fmt::format("{:>10}", fmt::format("x{}", slower));
    put_line(head);
    for (const rank_t p : ranks) {
        std::string line = fmt::format("{:>5}", p);
        for (const std::int64_t slower : factors) {
            cluster_model::distribution how = drawn;
            how.wide_latency_ps = {drawn.wide_latency_ps.low * slower, drawn.wide_latency_ps.high * slower};
            how.wide_kB_s = {std::max<std::int64_t>(1, drawn.wide_kB_s.low / slower),
                             std::max<std::int64_t>(1, drawn.wide_kB_s.high / slower)};
            std::atomic<std::int64_t> pays = 0;
            in_parallel(clusters, [&](std::int64_t i) {
                const cluster_model c =
                    random_cluster(how, p, (seed << 32U) + static_cast<std::uint64_t>(i * 7919 + p));
                const tree_plan::request problem{c.switches, c.cost, 1000, i % p};
                const picoseconds mgo = planners::mgo{}(problem).completion;
                pays +=
                    mgo <= planners::fcef{}(problem).completion && mgo <= planners::la{}(problem).completion ? 1 : 0;
            });
            line += fmt::format("{:>10.1f}", 100.0 * static_cast<double>(pays) / static_cast<double>(clusters));
        }
        put_line(line);
    }
}

void draw(const std::string& path, const std::vector<mean_row>& rows) {
    std::vector<plotted_line> lines;
    for (std::size_t k = 0; k < planner_count; ++k) {
        const std::string_view name = planners_studied[k];
        plotted_line line{.name = std::string(name), .x = {}, .y = {}, .dashed = name.ends_with("blind")};
        for (const mean_row& row : rows)
            if (row.ms[0][k] > 0) {
                line.x.push_back(static_cast<double>(row.ranks));
                line.y.push_back(row.ms[0][k]);
            }
        if (!line.x.empty()) lines.push_back(std::move(line));
    }
    const std::string svg =
        line_plot("Short broadcast (1 kB) on random heterogeneous clusters", "nodes", "mean completion in ms", lines);
    write_file("--svg", path, [&](text_output::iterator out) { std::copy(svg.begin(), svg.end(), out); });
}

}  // namespace

int study_ccsim(const text_option& ranks, const text_option& seed, const ccsim_options& options) {
    const std::int64_t clusters = options.clusters.number(1, 200);
    const auto chosen = static_cast<std::uint64_t>(seed.number(0, 1));
    std::vector<rank_t> counts{4, 8, 16, 32, 64, 128, 256, 512};
    if (ranks.given()) counts = read_numbers("--ranks", ranks.text(), 2);
    for (const rank_t p : counts)
        if (p > 2048) throw usage_error("--ranks", std::to_string(p), "2 to 2048");
    put_line("Planners on random heterogeneous clusters, beside Table 1 and the claims for the MGO scheduler.");
    put_line(fmt::format("{} clusters a size, seed {}; o {} to {} ms; every node may be the root.", clusters, chosen,
                         drawn.overhead_ps.low / ms, drawn.overhead_ps.high / ms));
    put_line(
        "Equal knowledge: all plan with the full model. Node-blind (-blind): FEF, FCEF and LA know no overheads and "
        "take");
    put_line("both ends for busy during a whole transfer. Everybody is simulated under the full model.");
    std::vector<mean_row> rows;
    for (const rank_t p : counts) rows.push_back(study_ranks(p, clusters, chosen));
    for (std::size_t c = 0; c < cases.size(); ++c) {
        put_means(c, rows);
        put_leads(c, rows);
    }
    put_conditions(counts, clusters, chosen);
    if (options.svg.given()) draw(options.svg.text(), rows);
    return success;
}
