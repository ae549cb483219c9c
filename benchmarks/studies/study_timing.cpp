#include "benchmarks/studies/study_allgather.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "examples/programs/collsched/catalogue.hpp"
#include "examples/programs/collsched/cluster_options.hpp"
#include "collsched/format/clusters/read_cluster.hpp"
#include "collsched/format/text.hpp"
#include "collsched/simulate/contention_run.hpp"
#include "examples/programs/collsched/terminal.hpp"
#include "examples/programs/collsched/text_output.hpp"
#include "examples/programs/collsched/usage_error.hpp"

using namespace collsched;

namespace {

/// The paper's four algorithms with their times, the fastest first.
using timed_algorithms = std::vector<std::pair<picoseconds, const char*>>;

timed_algorithms time_all(rank_t p, bytes_t block, const contention_model& model) {
    timed_algorithms times;
    for (const char* const name : {"ring", "recursive-doubling", "bruck", "neighbor-exchange"}) {
        const any_schedule s =
            find_schedule(fmt::format("allgather/{}", name)).entry->make({.ranks = p, .block = block});
        const simulation run = simulate(s, model);
        if (run.check()) throw usage_error(run.check());
        times.emplace_back(run.completion, name);
    }
    std::ranges::stable_sort(times, {}, &std::pair<picoseconds, const char*>::first);
    return times;
}

void put_heading(const std::string& cluster_name, rank_t p) {
    put_line(
        fmt::format("Allgather on {}, {} ranks in order, messages share links as in SimGrid, "
                    "--model contention:latency_weighted=1,reverse_permille=50: microseconds, the fastest first.",
                    cluster_name, p));
    put_line(
        "Chen, Zhang, Zhang, Yuan 2006: few rounds win where blocks are short; neighbor exchange where they are "
        "long.");
}

}  // namespace

int study_allgather_timing(const text_option& ranks, const text_option& cluster, bool json) {
    const auto [p, last] = read_rank_range(ranks, 64, 64);
    if (p != last || p < 2) throw usage_error("--ranks", ranks.text(), "one number, 2 or more, with --cluster");
    const placed_cluster on{
        read_or_refuse("--cluster", [&] { return read_cluster(std::filesystem::path(cluster.text())); }), "block",
        cluster.text()};
    // SimGrid's sharing: weights by latency, with acknowledgements in the reverse direction.
    const contention_model model = on.sharing({.reverse_permille = 50, .latency_weighted = 1}, p);
    if (!json) put_heading(on.described.name, p);
    progress_line progress(json);
    for (const bytes_t block : {8, 8 * 1024, 120 * 1024}) {
        progress.show(fmt::format("blocks of {}", bytes_text(block)));
        const timed_algorithms times = time_all(p, block, model);
        progress.erase();
        std::string line = fmt::format("{:>7} bytes per block", block);
        for (const auto& [time, name] : times) {
            line += fmt::format("  {} {}", name, microseconds(time));
            if (json)
                put_line(
                    fmt::format(R"({{"study":"allgather","ranks":{},"block":{},"algorithm":"{}","completion_us":{}}})",
                                p, block, name, microseconds(time)));
        }
        if (!json) put_line(line);
    }
    return success;
}
