#include <memory>
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
#include "placement_option.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct plan_options {
    explicit plan_options(CLI::App& command)
        : planner(command, "PLANNER", "", "one of those that 'collsched plan --help' names, or all"),
          cluster(command),
          ranks(command, "--ranks", "P", "number of ranks (one a node)"),
          root(command, "--root", "R", "the root (0)"),
          bytes(command, "--bytes", "M", "size of the messages planned for (1)"),
          many_to_one(command, "--many-to-one", "messages to the root instead of from it"),
          json(command, "--json", "one line of JSON"),
          svg(command, "--svg", "FILE", "draw the tree over the topology to FILE") {}

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
    throw usage_error("PLANNER", name, fmt::format("all, {}", planner_names()));
}

/// Returns the name of the highest switch that a message passes.
std::string crossing(const cluster& c, rank_t from, rank_t to) {
    const rank_t top = c.switches.meeting(from, to);
    const auto i = static_cast<std::size_t>(top);
    const bool named = i < c.switch_names.size() && !c.switch_names[i].empty();
    return named ? c.switch_names[i] : fmt::format("level {}", c.switches.level(top));
}

tree_plan make_plan(const planners::planner_entry& with, const tree_plan::request& request, bool many_to_one) {
    tree_plan plan = many_to_one ? with.plan_back(request) : with.plan(request);
    if (plan.error) throw usage_error(plan.error);
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
    standard_output().write(fmt::format("{}: {} ranks, {} bytes, {} {}, complete after {} us\n", name,
                                        plan.ready.size(), plan.bytes, plan.many_to_one ? "to" : "from",
                                        c.names[static_cast<std::size_t>(plan.root)], microseconds(plan.completion)));
    for (const auto& [parent, child] : plan.edges) {
        const rank_t from = plan.many_to_one ? child : parent, to = plan.many_to_one ? parent : child;
        standard_output().write(fmt::format("  {:>4} -> {:<4}  {} -> {}, over {}\n", from, to,
                                            c.names[static_cast<std::size_t>(from)],
                                            c.names[static_cast<std::size_t>(to)], crossing(c, from, to)));
    }
}

int plan_all(const plan_options& options) {
    const auto placed = options.cluster.read();
    if (!placed) throw usage_error::missing("--cluster", "a file that describes the cluster");
    const auto nodes = static_cast<rank_t>(placed->described.names.size());
    const rank_t names = placed_ranks(placed->placement);
    const rank_t ranks = options.ranks.number(1, names > 0 ? names : nodes);
    refuse_large_plan(ranks);
    const cluster c = placed->named(ranks);
    const tree_plan::request request{c.switches, c.cost, options.bytes.number(0, 1), options.root.number(0, 0)};
    if (const argument_error wrong = request.check()) throw usage_error(wrong);
    const bool all = options.planner.text() == "all", many_to_one = options.many_to_one.given();
    if (options.svg.given() && (all || options.json.given()))
        throw usage_error("--svg", options.svg.text(), "one planner, and no --json beside it");
    if (!all) {
        const planners::planner_entry& entry = find_planner(options.planner.text());
        const tree_plan plan = make_plan(entry, request, many_to_one);
        if (options.svg.given())
            write_file("--svg", options.svg.text(),
                       [&](text_output::iterator out) { write_tree_plan_svg(out, c, plan, entry.name); });
        else if (options.json.given()) put_json(entry.name, plan);
        else put_text(entry.name, plan, c);
        return success;
    }
    for (const planners::planner_entry& entry : planners::all::entries) {
        const tree_plan plan = many_to_one ? entry.plan_back(request) : entry.plan(request);
        if (plan.error) continue;  // the optimum for too many ranks
        if (options.json.given()) put_json(entry.name, plan);
        else standard_output().write(fmt::format("{:<12}{:>24} us\n", entry.name, microseconds(plan.completion)));
    }
    return success;
}

}  // namespace

command add_plan(CLI::App& program) {
    CLI::App* parser = add_command(
        program, "plan",
        fmt::format("a tree for a heterogeneous cluster, by one of the planners {}, or all", planner_names()));
    const auto options = std::make_shared<plan_options>(*parser);
    return {parser, [options] { return plan_all(*options); }};
}
