#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collsched/format.hpp"
#include "collsched/topology/forwarding_bound.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "collsched/tree/pack_forest.hpp"
#include "catalogue.hpp"
#include "commands.hpp"
#include "network_option.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct synthesize_options {
    explicit synthesize_options(CLI::App& command)
        : what(command, "COLLECTIVE", "allgather, reduce_scatter, allreduce, broadcast or reduce"),
          root(command, option_group::shape, "--root", "R", "root of broadcast and reduce (default 0)"),
          trees(command, option_group::parameters, "--trees", "K",
                "sum of the weights of the trees of a root (default 0: as much as the bound needs)"),
          network(command),
          json(command, option_group::output, "--json", "one JSON object per tree"),
          svg(command, option_group::output, "--svg", "FILE", "file for a picture of the network with its loads") {}

    text_option what, root, trees;
    network_option network;
    flag_option json;
    text_option svg;
};

collective synthesized_collective(const std::string& text) {
    const std::string name = find_collective(text);
    for (const collective what : {collective::allgather, collective::reduce_scatter, collective::allreduce,
                                  collective::broadcast, collective::reduce})
        if (name == name_of(what)) return what;
    throw usage_error("COLLECTIVE", text, "allgather, reduce_scatter, allreduce, broadcast or reduce");
}

bool gathers(collective what) { return what == collective::reduce_scatter || what == collective::reduce; }

/// The trees of a collective on a network; for reductions, on the network with reversed links. An allreduce has the trees
/// of an allgather, and moves half of its bytes over them backward, then half forward.
struct synthesis {
    read_network_file file;
    collective what;
    topology::network::cut_bound bound;
    topology::network::link_bound forwarding;  ///< for switches that do not copy
    trees::packed_forest packed;

    /// Returns the bytes per second of the result while all trees are in use.
    double attained() const { return packed.bandwidth.value() / (what == collective::allreduce ? 2 : 1); }
};

synthesis read_synthesis(const synthesize_options& options) {
    synthesis made{.file = options.network.read(),
                   .what = synthesized_collective(options.what.text()),
                   .bound = {},
                   .forwarding = {},
                   .packed = {}};
    if (made.what == collective::allreduce) made.file.refuse_one_way();
    const rank_t ranks = made.file.net.ranks();
    if (options.root.given() && !is_rooted(made.what))
        throw usage_error("--root", options.root.text(), "no root for this collective");
    const rank_t root = options.root.number(0, 0);
    if (root >= ranks) throw usage_error("--root", options.root.text(), fmt::format("0 to {}", ranks - 1));
    std::vector<rank_t> roots{root};
    if (!is_rooted(made.what)) {
        roots.clear();
        for (rank_t r = 0; r < ranks; ++r) roots.push_back(r);
    }
    made.bound = topology::throughput_bound(made.file.net, made.what, root);
    if (made.bound.error) throw made.file.mistake(made.bound.error);
    made.forwarding = topology::forwarding_bound(made.file.net, made.what, root);
    const topology::network net = gathers(made.what) ? made.file.net.reversed() : made.file.net;
    made.packed = trees::pack_forest(net, roots, options.trees.number(0, 0));
    const argument_error& error = made.packed.error;
    if (error && error.argument == std::string_view("trees_per_root"))
        throw usage_error("--trees", options.trees.text(), error.expected);
    if (made.packed.error) throw made.file.mistake(made.packed.error);
    return made;
}

std::string path_json(const read_network_file& file, std::span<const rank_t> path) {
    std::string text;
    for (const rank_t v : path) text += (text.empty() ? "" : ",") + json_text(file.vertex(v));
    return "[" + text + "]";
}

void put_tree_json(const synthesis& made, const trees::forest::tree& one) {
    const trees::forest& all = made.packed.result;
    const fraction rate = all.rate(one);
    std::string edges, paths;
    for (const trees::forest::edge& e : all.edges_of(one)) {
        const rank_t ends[] = {e.from, e.to};
        edges += (edges.empty() ? "" : ",") + path_json(made.file, ends);
        paths += (paths.empty() ? "" : ",") + path_json(made.file, all.path(e));
    }
    put_line(fmt::format(R"({{"root":{},"numerator":{},"denominator":{},"edges":[{}],"paths":[{}]}})",
                         json_text(made.file.vertex(one.root)), rate.numerator(), rate.denominator(), edges, paths));
}

/// Returns the largest number of edges, and of links, from the root of a tree to a rank.
std::pair<std::int64_t, std::int64_t> depth_of(const trees::forest& all, const trees::forest::tree& one) {
    std::vector<std::pair<std::int64_t, std::int64_t>> depth(static_cast<std::size_t>(all.ranks));
    std::pair<std::int64_t, std::int64_t> largest;
    for (const trees::forest::edge& e : all.edges_of(one)) {
        const auto [edges, links] = depth[static_cast<std::size_t>(e.from)];
        auto& reached = depth[static_cast<std::size_t>(e.to)];
        reached = {edges + 1, links + std::ssize(all.path(e)) - 1};
        largest = {std::max(largest.first, reached.first), std::max(largest.second, reached.second)};
    }
    return largest;
}

void put_synthesis(const synthesis& made) {
    const trees::forest& all = made.packed.result;
    text_table table({{"root"},
                      {"weight", text_table::side::right},
                      {"GB_per_s", text_table::side::right},
                      {"edges_deep", text_table::side::right},
                      {"links_deep", text_table::side::right}});
    for (const trees::forest::tree& one : all.trees) {
        const auto [edges, links] = depth_of(all, one);
        table.add({made.file.shown(one.root), std::to_string(one.weight),
                   fmt::format("{:.6f}", all.rate(one).value() / 1e9), std::to_string(edges), std::to_string(links)});
    }
    table.print();
    const double bound = made.bound.bandwidth.value(), attained = made.attained();
    put_line("");
    put_line(fmt::format("{} tree{}, {:.6f} GB/s, {:.4f} of the bound of {:.6f} GB/s", all.trees.size(),
                         all.trees.size() == 1 ? "" : "s", attained / 1e9, attained / bound, bound / 1e9));
    const fraction& forwarded = made.forwarding.bandwidth;
    if (made.forwarding.error || forwarded == fraction(0) || !(forwarded < made.bound.bandwidth)) return;
    put_line(fmt::format("{:.4f} of the bound of {:.6f} GB/s for switches that do not copy",
                         attained / forwarded.value(), forwarded.value() / 1e9));
}

/// Returns the bytes per second of each link while all trees are in use. Links between the same vertices share in
/// proportion to their bandwidths.
std::vector<double> loads_of(const synthesis& made) {
    const trees::forest& all = made.packed.result;
    std::map<std::pair<rank_t, rank_t>, double> load, bandwidth;
    for (const trees::forest::tree& one : all.trees)
        for (const trees::forest::edge& e : all.edges_of(one)) {
            const std::span<const rank_t> path = all.path(e);
            for (std::size_t i = 1; i < path.size(); ++i) {
                const auto hop = gathers(made.what) ? std::pair(path[i], path[i - 1]) : std::pair(path[i - 1], path[i]);
                load[hop] += all.rate(one).value();
            }
        }
    for (const topology::network::link& one : made.file.net.links())
        bandwidth[{one.from, one.to}] += static_cast<double>(one.bandwidth);
    std::vector<double> loads;
    for (const topology::network::link& one : made.file.net.links())
        loads.push_back(load[{one.from, one.to}] * static_cast<double>(one.bandwidth) / bandwidth[{one.from, one.to}]);
    return loads;
}

void draw(const synthesis& made, const std::string& path) {
    const std::string what = name_of(made.what);
    made.file.draw(
        "--svg", path,
        {.title = fmt::format("{} on {}", what, made.file.name()),
         .note = fmt::format("{} trees, {:.3f} GB/s; blue: load up to 0.9 of a link, orange: below 1, red: 1",
                             made.packed.result.trees.size(), made.attained() / 1e9),
         .load = loads_of(made),
         .links = {}});
}

int synthesize(const synthesize_options& options) {
    const synthesis made = read_synthesis(options);
    if (options.svg.given()) draw(made, options.svg.text());
    if (!options.json.given()) put_synthesis(made);
    else
        for (const trees::forest::tree& one : made.packed.result.trees) put_tree_json(made, one);
    return success;
}

}  // namespace

command add_synthesize(CLI::App& program) {
    return make_command<synthesize_options>(
        program,
        {.name = "synthesize",
         .phrase = "trees that attain the bandwidth of a network",
         .sentence = "Packs weighted spanning trees whose bandwidth is the largest that a network permits.",
         .usage =
             {"synthesize COLLECTIVE --network FILE [--root R] [--trees K] [--without A>B,...] [--json] [--svg FILE]"},
         .examples = {"synthesize allgather --network network.json",
                      "synthesize broadcast --network network.json --root 3 --json"},
         .notes = {"Data of reduce_scatter and reduce moves along each path backward, to the root; that of allreduce "
                   "backward, then forward."}},
        synthesize);
}
