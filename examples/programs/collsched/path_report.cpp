#include "path_report.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "collsched/format.hpp"
#include "collsched/simulate.hpp"

using namespace collsched;
using usage = simulation::path_interval::part;

namespace {

/// Returns the name of link i of a route with this number of links, between ranks on these nodes.
std::string link_name(std::size_t i, std::size_t links, rank_t from, rank_t to, const std::string& source,
                      const std::string& target, bool within) {
    if (within && i > 0 && i + 1 < links) return fmt::format("within {}", source);
    if (within) return fmt::format("{} rank {} within {}", i == 0 ? "from" : "to", i == 0 ? from : to, source);
    if (links == 1) return fmt::format("from {} to {}", source, target);
    if (i == 0) return fmt::format("from {}", source);
    if (i + 1 == links) return fmt::format("to {}", target);
    return fmt::format("{} of {} between {} and {}", i + 1, links, source, target);
}

/// Returns the names of the links that messages of a graph pass: by the node or rank at their end, or by their position
/// in a route.
std::vector<std::string> names_of_links(const execution_graph& graph, const contention_model& model,
                                        const std::vector<std::string>& nodes) {
    const contention_model::network net = model.rank_network();
    std::vector<std::string> names(net.links().size());
    std::vector<bool> known(static_cast<std::size_t>(graph.pairs()));
    const auto node_name = [&](rank_t c) {
        const auto i = static_cast<std::size_t>(c);
        return i < nodes.size() && !nodes[i].empty() ? nodes[i] : fmt::format("node {}", c);
    };
    for (const execution_graph::node& n : graph.nodes()) {
        if (n.kind != execution_graph::kind::send || known[static_cast<std::size_t>(n.pair)]) continue;
        known[static_cast<std::size_t>(n.pair)] = true;
        const rank_t receiver = graph[n.peer].rank;
        const rank_t from = model.placement.node(n.rank), to = model.placement.node(receiver);
        const auto route = net.route(n.rank, receiver);
        for (std::size_t i = 0; i < route.size(); ++i)
            if (std::string& name = names[static_cast<std::size_t>(route[i])]; name.empty())
                name = link_name(i, route.size(), n.rank, receiver, node_name(from), node_name(to), from == to);
    }
    return names;
}

path_report::resource busiest(const owned_array<picoseconds>& times, auto name_of) {
    const auto most = std::max_element(times.begin(), times.end());
    if (most == times.end() || *most == 0) return {};
    return {name_of(most - times.begin()), *most};
}

template <class Model>
path_report report_run(const execution_graph& graph, const Model& model, simulation run,
                       std::vector<std::string> links) {
    path_report report{.run = std::move(run), .links = std::move(links)};
    report.steps = critical_path(graph, model, report.run);
    report.intervals = path_intervals(graph, model, report.run);
    report.parts = parts_of(report.intervals);
    const auto number = [](std::int64_t i) { return fmt::format("{}", i); };
    report.rank = busiest(report.run.cpu_busy, number);
    if constexpr (!message_cost<Model>)
        report.link = busiest(link_times(graph, model, report.run),
                              [&](std::int64_t i) { return report.links[static_cast<std::size_t>(i)]; });
    return report;
}

double us(picoseconds time) { return static_cast<double>(time) / 1e6; }
double percent(picoseconds time, picoseconds all) {
    return all == 0 ? 0 : 100 * static_cast<double>(time) / static_cast<double>(all);
}
std::string messages_text(std::int64_t messages) {
    return fmt::format("{} {}", messages, messages == 1 ? "message" : "messages");
}

std::string length_text(const path_report& report) {
    return fmt::format("{:.3f} us on the critical path of {}", us(report.run.completion),
                       messages_text(report.parts.messages));
}
std::string busy_text(const path_report& report) {
    std::string text;
    for (const auto& [kind, busy] : {std::pair{"link", &report.link}, {"rank", &report.rank}})
        if (busy->busy > 0)
            text += fmt::format("; busiest {}: {}, {:.0f} % of the time", kind, busy->name,
                                percent(busy->busy, report.run.completion));
    return text;
}

/// Returns the parts by decreasing size, largest first.
std::array<usage, time_parts::count> by_size(const time_parts& parts) {
    std::array<usage, time_parts::count> order{};
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<usage>(i);
    std::ranges::stable_sort(order, std::ranges::greater(), [&](usage use) { return std::abs(parts[use]); });
    return order;
}

}  // namespace

path_report report_path(const any_model& model, const std::optional<placed_cluster>& cluster,
                        const std::optional<given_network>& network, const any_schedule& s,
                        const execution_graph& graph, const link_queue_model::router& paths,
                        const simulation::conditions& when) {
    const auto report = [&](const auto& under) {
        return report_run(graph, under, trace(graph, under, when.start), {});
    };
    if (const auto* alike = std::get_if<loggp_model>(&model)) return report(*alike);
    if (const auto* simple = std::get_if<hockney_model>(&model)) return report(*simple);
    if (const auto* shared = std::get_if<contention_model>(&model)) {
        const contention_model under = cluster->sharing(*shared, s.ranks);
        return report_run(graph, under, trace(graph, under, when.start),
                          names_of_links(graph, under, cluster->described.names));
    }
    if (!std::holds_alternative<model_of_network>(model)) return report(cluster->on(s.ranks));
    const link_queue_model under = network->model(paths);
    std::vector<std::string> links;
    for (const topology::network::link& link : under.net.links())
        links.push_back(
            fmt::format("from {} to {}", network->file().vertex(link.from), network->file().vertex(link.to)));
    return report_run(graph, under, trace(s, graph, under, when), std::move(links));
}

std::string time_text(const path_report& report) {
    const picoseconds all = report.run.completion;
    std::string text;
    for (const usage use : by_size(report.parts))
        if (report.parts[use] > 0)
            text += fmt::format("{}{:.0f} % {} ({:.3f} us)", text.empty() ? "" : ", ", percent(report.parts[use], all),
                                name_of(use), us(report.parts[use]));
    return fmt::format("{}: {}{}", length_text(report), text.empty() ? "no time" : text, busy_text(report));
}

std::string summary_text(const path_report& report) { return length_text(report) + busy_text(report); }

std::string difference_text(const path_report& first, const std::string& name, const path_report& other) {
    time_parts more;
    for (std::size_t i = 0; i < time_parts::count; ++i) more.sums[i] = other.parts.sums[i] - first.parts.sums[i];
    std::string text =
        first.run.completion == 0
            ? fmt::format("{} takes {:.3f} us more", name, us(other.run.completion))
            : fmt::format("{} takes {:.2f} times as long", name,
                          static_cast<double>(other.run.completion) / static_cast<double>(first.run.completion));
    const char* separator = ": ";
    for (const usage use : by_size(more)) {
        if (more[use] == 0) continue;
        text += fmt::format("{}{:.3f} us {} {}", std::exchange(separator, ", "), us(std::abs(more[use])),
                            more[use] > 0 ? "more" : "less", name_of(use));
        if (use == usage::latency)
            text += first.parts.messages == other.parts.messages
                        ? fmt::format(" ({} each)", messages_text(first.parts.messages))
                        : fmt::format(" ({} instead of {})", messages_text(other.parts.messages), first.parts.messages);
    }
    return text;
}

std::string path_json(const path_report& report) {
    std::string text = "\"path_us\":{";
    for (std::size_t i = 0; i < time_parts::count; ++i)
        text += fmt::format("{}{}:{}", i == 0 ? "" : ",", json_text(name_of(static_cast<usage>(i))),
                            microseconds(report.parts.sums[i]));
    text += fmt::format("}},\"path_messages\":{}", report.parts.messages);
    for (const auto& [kind, busy] : {std::pair{"link", &report.link}, {"rank", &report.rank}})
        if (busy->busy > 0)
            text += fmt::format(",\"busiest_{0}\":{1},\"busiest_{0}_us\":{2}", kind, json_text(busy->name),
                                microseconds(busy->busy));
    return text;
}
