#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include "cluster_options.hpp"
#include "collsched/format.hpp"
#include "collsched/tree/planners/all.hpp"
#include "commands.hpp"
#include "limits.hpp"
#include "model_option.hpp"
#include "pictures/write_tree_plan_svg.hpp"
#include "placement_option.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct plan_options {
    explicit plan_options(CLI::App& command)
        : planner(command, "PLANNER", "name of a planner, or all"),
          cluster(command),
          ranks(command, option_group::shape, "--ranks", "P", "number of ranks (default: one per node)"),
          root(command, option_group::shape, "--root", "R", "root of the tree (default 0)"),
          bytes(command, option_group::shape, "--bytes", "BYTES", "message size in bytes (default 1)"),
          many_to_one(command, option_group::shape, "--many-to-one",
                      "messages from all ranks to the root (default: from the root to all ranks)"),
          json(command, option_group::output, "--json", "one JSON object per planner"),
          svg(command, option_group::output, "--svg", "FILE", "file for a picture of the tree over the topology") {}

    text_option planner;
    cluster_options cluster;
    text_option ranks, root, bytes;
    flag_option many_to_one, json;
    text_option svg;
};

std::string planner_names() {
    return fmt::format(
        "{}", fmt::join(planners::all::entries | ranges::views::transform(&planners::planner_entry::name), ", "));
}

const planners::planner_entry& find_planner(const std::string& name) {
    if (const planners::planner_entry* entry = planners::all::find(name.c_str())) return *entry;
    throw usage_error("PLANNER", name, fmt::format("{}, all", planner_names()));
}

/// Returns the name of the highest switch that a message passes.
std::string crossing(const cluster& c, rank_t from, rank_t to) {
    const rank_t top = c.cost.switches().common_switch(from, to);
    const auto i = static_cast<std::size_t>(top);
    const bool named = i < c.switch_names.size() && !c.switch_names[i].empty();
    return named ? c.switch_names[i] : fmt::format("level {}", c.cost.switches().level(top));
}

tree_plan make_plan(const planners::planner_entry& with, const tree_plan::request& request, bool many_to_one) {
    tree_plan plan = many_to_one ? with.plan_back(request) : with.plan(request);
    if (plan.error) throw usage_error(plan.error, request.ranks());
    return plan;
}

void put_json(const std::string& name, const tree_plan& plan) {
    const auto edges = plan.edges | ranges::views::transform([&](const trees::tree_edge& e) {
                           return plan.many_to_one ? fmt::format("[{},{}]", e.child, e.parent)
                                                   : fmt::format("[{},{}]", e.parent, e.child);
                       }) |
                       ranges::to<std::vector>();
    const auto ready = plan.ready | ranges::views::transform(microseconds) | ranges::to<std::vector>();
    standard_output().write(fmt::format(
        "{{\"planner\":{},\"root\":{},\"bytes\":{},\"edges\":[{}],\"ready_us\":[{}],\"completion_us\":{}}}\n",
        json_text(name), plan.root, plan.bytes, fmt::join(edges, ","), fmt::join(ready, ","),
        microseconds(plan.completion)));
}

void put_text(const std::string& name, const tree_plan& plan, const cluster& c) {
    put_line(fmt::format("{}: {} ranks, {}, {} {}, complete after {} us", name, plan.ready.size(),
                         bytes_text(plan.bytes), plan.many_to_one ? "to" : "from",
                         c.names[static_cast<std::size_t>(plan.root)], microseconds(plan.completion)));
    constexpr auto right = text_table::side::right;
    text_table table({{"from", right}, {"to", right}, {"sender"}, {"receiver"}, {"highest switch"}});
    for (const auto& [parent, child] : plan.edges) {
        const rank_t from = plan.many_to_one ? child : parent, to = plan.many_to_one ? parent : child;
        table.add({std::to_string(from), std::to_string(to), c.names[static_cast<std::size_t>(from)],
                   c.names[static_cast<std::size_t>(to)], crossing(c, from, to)});
    }
    if (!plan.edges.empty()) table.print();
}

/// The cluster and the checked request of a command line.
struct planned_input {
    cluster described;
    bytes_t bytes;
    rank_t root;

    tree_plan::request request() const { return {described.cost.switches(), described.cost, bytes, root}; }
};

planned_input read_input(const plan_options& options) {
    const auto placed = options.cluster.read();
    if (!placed) throw usage_error::missing("--cluster", "the file of the cluster");
    const auto nodes = static_cast<rank_t>(placed->described.names.size());
    const rank_t names = placed->hosts ? placed->hosts->ranks() : placed_ranks(placed->placement);
    const rank_t ranks = options.ranks.number(1, names > 0 ? names : nodes);
    refuse_large_plan(ranks);
    planned_input made{placed->named(ranks), options.bytes.size(0, 1), options.root.number(0, 0)};
    if (const argument_error wrong = made.request().check()) throw usage_error(wrong, ranks);
    return made;
}

int put_all(const plan_options& options, const tree_plan::request& request) {
    text_table table({{"planner"}, {"completion_us", text_table::side::right}});
    for (const planners::planner_entry& entry : planners::all::entries) {
        const tree_plan plan = options.many_to_one.given() ? entry.plan_back(request) : entry.plan(request);
        if (plan.error) continue;  // the optimum for too many ranks
        if (options.json.given()) put_json(entry.name, plan);
        else table.add({entry.name, microseconds(plan.completion)});
    }
    if (!options.json.given()) table.print();
    return success;
}

int plan_all(const plan_options& options) {
    const planned_input input = read_input(options);
    const bool all = options.planner.text() == "all";
    if (options.svg.given() && all) throw usage_error("--svg", options.svg.text(), "one planner");
    if (options.svg.given() && options.json.given()) throw usage_error::conflict("--svg", "--json");
    if (all) return put_all(options, input.request());
    const planners::planner_entry& entry = find_planner(options.planner.text());
    const tree_plan plan = make_plan(entry, input.request(), options.many_to_one.given());
    if (options.svg.given())
        write_file("--svg", options.svg.text(), [&](text_output::iterator out) {
            pictures::write_tree_plan_svg(out, input.described, plan, entry.name);
        });
    else if (options.json.given()) put_json(entry.name, plan);
    else put_text(entry.name, plan, input.described);
    return success;
}

}  // namespace

command add_plan(CLI::App& program) {
    return make_command<plan_options>(
        program,
        {.name = "plan",
         .phrase = "spanning tree for a heterogeneous cluster",
         .sentence = "Plans a spanning tree for a cluster and prints its messages and completion time.",
         .usage = {"plan PLANNER|all --cluster FILE [--ranks P] [--root R] [--bytes BYTES] [--many-to-one] "
                   "[--json | --svg FILE]"},
         .examples = {"plan all --cluster cluster.json --bytes 1000", "plan mgo --cluster cluster.json --bytes 1000"},
         .notes = {"Planners: " + planner_names() + "."}},
        plan_all);
}
