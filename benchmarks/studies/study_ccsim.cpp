#include "benchmarks/studies/study_ccsim.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "benchmarks/studies/ccsim_times.hpp"
#include "collsched/tree/planners/all.hpp"
#include "examples/programs/collsched/line_plot.hpp"
#include "examples/programs/collsched/terminal.hpp"
#include "examples/programs/collsched/text_output.hpp"
#include "examples/programs/collsched/usage_error.hpp"

using namespace collsched;
using namespace ccsim_study;

namespace {

/// The printed table: short broadcast, mean completion in ms, of FT, BT, FEF, FCEF, LA and MGO.
struct printed_row {
    rank_t ranks;
    std::array<double, 6> ms;
};
constexpr std::array printed_rows{printed_row{4, {952.3, 1101.4, 1176.89, 1089.23, 1080.26, 868.15}},
                                  printed_row{8, {1875.86, 1808.43, 2215.94, 1897, 1813.38, 1359.98}},
                                  printed_row{16, {3691.08, 2551.2, 3977.41, 2747.5, 2836.58, 1838.55}},
                                  printed_row{32, {7035.98, 3307.44, 6206.96, 3396.18, 3540.57, 1964.7}},
                                  printed_row{64, {13647.26, 3900.3, 10209.58, 4185.06, 4360.98, 2067.95}},
                                  printed_row{128, {26685.98, 4825.95, 15130.92, 4567.74, 5071.14, 2139.8}},
                                  printed_row{256, {53447.26, 5962.87, 21916.77, 5116.04, 5561.21, 2242.4}},
                                  printed_row{512, {105479.94, 7150.52, 32858.43, 5626.32, 5789.99, 2265.62}}};

struct claim {
    const char* name;
    std::size_t equal, blind;  // columns
    int least, most;           // percent
};
constexpr std::array claims{claim{"FT", 0, 0, 9, 98}, claim{"BT", 1, 1, 21, 68}, claim{"FEF", 2, 5, 26, 93},
                            claim{"FCEF", 3, 6, 2, 60}, claim{"LA", 4, 7, 2, 61}};

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
        const auto printed = std::find_if(printed_rows.begin(), printed_rows.end(),
                                          [&](const printed_row& p) { return p.ranks == row.ranks; });
        if (c != 0 || printed == printed_rows.end()) continue;
        line = "paper";
        for (std::size_t k = 0; k < planner_count; ++k) {
            const std::size_t at = k < 2 ? k : k >= 5 && k <= 8 ? k - 3 : printed_rows.size();
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
            studies::cluster_distribution how = drawn;
            how.wide_latency_ps = {drawn.wide_latency_ps.low * slower, drawn.wide_latency_ps.high * slower};
            how.wide_kB_s = {std::max<std::int64_t>(1, drawn.wide_kB_s.low / slower),
                             std::max<std::int64_t>(1, drawn.wide_kB_s.high / slower)};
            std::atomic<std::int64_t> pays = 0;
            in_parallel(clusters, [&](std::int64_t i) {
                const lob_model c = random_cluster(how, p, (seed << 32U) + static_cast<std::uint64_t>(i * 7919 + p));
                const tree_plan::request problem{c.switches(), c, 1000, i % p};
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

/// Prints all tables, and their explanation.
void put_study(const std::vector<mean_row>& rows, const std::vector<rank_t>& counts, std::int64_t clusters,
               std::uint64_t seed) {
    put_line("Planners on random heterogeneous clusters, beside Table 1 and the claims for the MGO scheduler.");
    put_line(fmt::format("{} clusters a size, seed {}; o {} to {} ms; every node may be the root.", clusters, seed,
                         drawn.overhead_ps.low / ms, drawn.overhead_ps.high / ms));
    put_line(
        "Equal knowledge: all plan with the full model. Node-blind (-blind): FEF, FCEF and LA have no overheads and "
        "take");
    put_line("both ends for busy during a whole transfer. Everybody is simulated under the full model.");
    for (std::size_t c = 0; c < cases.size(); ++c) {
        put_means(c, rows);
        put_leads(c, rows);
    }
    put_conditions(counts, clusters, seed);
}

void put_means_json(const std::vector<mean_row>& rows) {
    for (std::size_t c = 0; c < cases.size(); ++c)
        for (const mean_row& row : rows)
            for (std::size_t k = 0; k < planner_count; ++k)
                if (row.ms[c][k] >= 0)
                    put_line(fmt::format(R"({{"study":"ccsim","collective":"{}","bytes":{},"ranks":{},"planner":"{}",)"
                                         R"("mean_ms":{:.6f}}})",
                                         cases[c].name, cases[c].bytes, row.ranks, planners_studied[k], row.ms[c][k]));
}

std::vector<mean_row> mean_rows(const std::vector<rank_t>& counts, std::int64_t clusters, std::uint64_t seed,
                                bool quiet) {
    progress_line progress(quiet);
    std::vector<mean_row> rows;
    for (const rank_t p : counts) {
        progress.show(fmt::format("{} clusters of {} ranks", clusters, p));
        rows.push_back(study_ranks(p, clusters, seed));
    }
    return rows;
}

}  // namespace

int study_ccsim(const text_option& ranks, const text_option& seed, const ccsim_options& options, bool json) {
    const std::int64_t clusters = options.clusters.number(1, 200);
    const auto chosen = static_cast<std::uint64_t>(seed.number(0, 1));
    std::vector<rank_t> counts{4, 8, 16, 32, 64, 128, 256, 512};
    if (ranks.given()) counts = read_list("--ranks", ranks.text(), 2);
    for (const rank_t p : counts)
        if (p > 2048) throw usage_error("--ranks", std::to_string(p), "2 to 2048");
    const std::vector<mean_row> rows = mean_rows(counts, clusters, chosen, json);
    if (options.svg.given()) draw(options.svg.text(), rows);
    if (json) put_means_json(rows);
    else put_study(rows, counts, clusters, chosen);
    return success;
}
