#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "catalogue.hpp"
#include "benchmarks/studies/random_cluster.hpp"
#include "collsched/format.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/tree/match_chunks.hpp"
#include "collsched/tree/pack_forest.hpp"
#include "commands.hpp"
#include "page_list/html_index.hpp"
#include "limits.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;
using namespace collsched::page_list;

namespace {

constexpr rank_t most_gallery_ranks = 32;

struct gallery_options {
    explicit gallery_options(CLI::App& command)
        : folder(command, "DIR", "folder to create; it must not exist, or must be empty"),
          ranks(command, option_group::shape, "-p,--ranks", "P",
                fmt::format("number of ranks of each schedule, 1 to {} (default 8)", most_gallery_ranks)) {}

    text_option folder, ranks;
};

/// Returns a cluster of two sites with slower links between them, for planned algorithms.
lob_model example_cluster(rank_t p) {
    constexpr studies::cluster_distribution drawn{.overhead_ps = {5'000'000, 20'000'000},
                                                  .own_latency_ps = {2'000'000, 10'000'000},
                                                  .own_kB_s = {50'000, 125'000},
                                                  .wide_latency_ps = {500'000'000, 900'000'000},
                                                  .wide_kB_s = {5'000, 12'500},
                                                  .fanout = {2, 2},
                                                  .levels = 2};
    return random_cluster(drawn, p, 1);
}

topology::network example_ring(rank_t p) { return topology::networks::ring(p, {.bandwidth = 1'000'000'000}); }

/// Returns the trees of a ring, for algorithms over a forest: two of each rank, or of rank 0.
trees::planned_forest example_forest(collective what, rank_t p) {
    std::vector<rank_t> roots{0};
    for (rank_t r = 1; r < p && !is_rooted(what); ++r) roots.push_back(r);
    return trees::planned_forest(trees::pack_forest(example_ring(p), roots).result);
}

/// Returns a shape with one element of 4 bytes per rank, a grid of two rows if p is even, and four ranks per node.
shape example_shape(const algorithm_entry& entry, rank_t p) {
    shape made{.ranks = p, .block = 4, .bytes = 4 * p, .element = 4};
    if (entry.takes(&shape::cluster)) made.cluster = example_cluster(p);
    else if (entry.takes(&shape::placement)) made.placement = topology::placement::block(p, (p + 3) / 4);
    if (entry.takes(&shape::forest)) made.forest = example_forest(entry.info.collective, p);
    if (entry.takes(&shape::transfers))
        made.transfers = trees::planned_transfers(trees::match_chunks(example_ring(p), {.bytes = 4}).plan);
    if (entry.takes(&shape::neighbors)) {
        const rank_t rows = p % 2 == 0 ? 2 : 1;
        const std::vector<std::int64_t> dims{rows, p / rows}, periodic{0, 1};
        made.neighbors = neighborhood::cartesian(dims, periodic);
    }
    return made;
}

/// Returns the schedule for p ranks, or for the nearest supported number of ranks, the larger of two.
std::optional<any_schedule> example(const algorithm_entry& entry, rank_t p) {
    for (rank_t far = 0; far <= most_gallery_ranks; ++far)
        for (const rank_t tried : {p + far, p - far})
            if (tried >= 1 && tried <= most_gallery_ranks)
                if (const any_schedule made = entry.make(example_shape(entry, tried)); !made.check()) return made;
    return {};
}

/// Writes the page and the picture of a schedule into a folder for its collective.
indexed_page write_pages(const std::string& folder, const std::string& name, const any_schedule& one) {
    const stored_schedule stored = materialize(one);
    const indexed_page made{name, facts_text(stored), name + ".html", name + ".svg"};
    std::error_code wrong;
    std::filesystem::create_directories(std::filesystem::path(folder) / split_name(name).collective, wrong);
    if (wrong) cannot_write("DIR", folder, wrong.value());
    write_file("DIR", fmt::format("{}/{}", folder, made.page),
               [&](text_output::iterator out) { write_html(out, stored, name, binding::separate, "../index.html"); });
    write_file("DIR", fmt::format("{}/{}", folder, made.picture),
               [&](text_output::iterator out) { write_svg(out, stored, name); });
    return made;
}

void write_gallery(const std::string& folder, rank_t p) {
    const std::vector<listed_schedule> all = find_schedules("all", false);
    std::vector<indexed_page> pages;
    progress_line progress;
    for (const listed_schedule& one : all) {
        progress.show(fmt::format("{} of {}: {}", pages.size() + 1, all.size(), one.name));
        if (const auto made = example(*one.entry, p)) pages.push_back(write_pages(folder, one.name, *made));
    }
    write_file("DIR", folder + "/index.html", [&](text_output::iterator out) {
        write_html_index(
            out, "Schedules of collective operations",
            fmt::format(
                "{} schedules for {} ranks, or the nearest number that an algorithm supports. A block, or a rank's "
                "share of a message, is one element of 4 bytes. Hierarchical schedules have four ranks per node, "
                "planned ones a cluster of two sites, neighborhoods a grid of two rows.",
                pages.size(), p),
            pages);
    });
}

int gallery(const gallery_options& options) {
    const std::string folder = options.folder.text();
    const rank_t p = options.ranks.number(1, 8);
    if (p > most_gallery_ranks)
        throw usage_error("--ranks", options.ranks.text(), fmt::format("1 to {}", most_gallery_ranks));
    write_folder("DIR", folder, [&](const std::string& draft) { write_gallery(draft, p); });
    return success;
}

}  // namespace

command add_gallery(CLI::App& program) {
    return make_command<gallery_options>(
        program,
        {.name = "gallery",
         .phrase = "folder with a page and a picture of every schedule",
         .sentence = "Writes a folder with a page and a picture of every schedule, and an index page.",
         .usage = {"gallery DIR [--ranks P]"},
         .examples = {"gallery schedules", "gallery schedules_of_5_ranks --ranks 5"}},
        gallery);
}
