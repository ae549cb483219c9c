#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collsched/format.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "catalogue.hpp"
#include "commands.hpp"
#include "network_option.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct bound_options {
    explicit bound_options(CLI::App& command)
        : what(command, "COLLECTIVE", "allgather, reduce_scatter, allreduce, broadcast or reduce"),
          root(command, option_group::shape, "--root", "R", "root of broadcast and reduce (default 0)"),
          network(command),
          json(command, option_group::output, "--json", "one JSON object"),
          svg(command, option_group::output, "--svg", "FILE", "file for a picture of the network and the cut") {}

    text_option what;
    text_option root;
    network_option network;
    flag_option json;
    text_option svg;
};

constexpr collective bounded_collectives[] = {collective::allgather, collective::reduce_scatter, collective::allreduce,
                                              collective::broadcast, collective::reduce};

collective bounded_collective(const std::string& text) {
    const std::string name = find_collective(text);
    for (const collective what : bounded_collectives)
        if (name == name_of(what)) return what;
    throw usage_error("COLLECTIVE", text, "allgather, reduce_scatter, allreduce, broadcast or reduce");
}

/// Returns bytes per second in GB/s (10^9), with 6 decimals.
std::string gigabytes(const fraction& rate) { return fmt::format("{:.6f}", rate.value() / 1e9); }

std::vector<std::string> names_of_cut(const read_network_file& file, const topology::cut_bound& bound) {
    std::vector<std::string> names;
    for (const rank_t v : bound.cut) names.push_back(file.vertex(v));
    return names;
}

void put_bound_json(const read_network_file& file, collective what, const topology::cut_bound& bound) {
    std::string cut, links;
    for (const std::string& name : names_of_cut(file, bound)) cut += (cut.empty() ? "" : ",") + json_text(name);
    for (const std::int64_t i : bound.links) {
        const topology::network::link& one = file.net.links()[static_cast<std::size_t>(i)];
        links += fmt::format("{}[{},{}]", links.empty() ? "" : ",", json_text(file.vertex(one.from)),
                             json_text(file.vertex(one.to)));
    }
    put_line(fmt::format(R"({{"collective":{},"network":{},"ranks":{},"algbw_GBps":{},"numerator":{},"denominator":{},)"
                         R"("cut":[{}],"cut_links":[{}]}})",
                         json_text(name_of(what)), json_text(file.name()), file.net.ranks(), gigabytes(bound.bandwidth),
                         bound.bandwidth.numerator(), bound.bandwidth.denominator(), cut, links));
}

void put_bound(const read_network_file& file, collective what, const topology::cut_bound& bound) {
    text_table table({{"collective"},
                      {"network"},
                      {"ranks", text_table::side::right},
                      {"GB_per_s", text_table::side::right},
                      {"exact_bytes_per_s", text_table::side::right},
                      {"cut"}});
    const fraction& rate = bound.bandwidth;
    table.add({name_of(what), file.name(), std::to_string(file.net.ranks()), gigabytes(rate),
               rate.denominator() == 1 ? std::to_string(rate.numerator())
                                       : fmt::format("{}/{}", rate.numerator(), rate.denominator()),
               bound.cut.empty() ? "the traffic of all ranks"
                                 : fmt::format("{} vertices, {} links", bound.cut.size(), bound.links.size())});
    table.print();
    if (bound.cut.empty()) return;
    put_line("");
    put_line(fmt::format("cut: {}", fmt::join(names_of_cut(file, bound), " ")));
    for (const std::int64_t i : bound.links) {
        const topology::network::link& one = file.net.links()[static_cast<std::size_t>(i)];
        put_line(fmt::format("link: {} -> {}, {} B/s", file.vertex(one.from), file.vertex(one.to), one.bandwidth));
    }
}

int bound_throughput(const bound_options& options) {
    const collective what = bounded_collective(options.what.text());
    if (options.root.given() && !is_rooted(what))
        throw usage_error("--root", options.root.text(), "no root for this collective");
    const read_network_file file = options.network.read();
    const topology::cut_bound bound = topology::throughput_bound(file.net, what, options.root.number(0, 0));
    if (bound.error.argument != nullptr && std::string(bound.error.argument) == "root")
        throw usage_error(bound.error, file.net.ranks());
    if (bound.error) throw file.mistake(bound.error);
    if (options.svg.given()) {
        const network_marks marks{.title = fmt::format("{} on {}", name_of(what), file.name()),
                                  .note = fmt::format("at most {} GB/s; the vertices and links of the cut are red",
                                                      gigabytes(bound.bandwidth)),
                                  .cut = {bound.cut.begin(), bound.cut.end()},
                                  .links = {bound.links.begin(), bound.links.end()}};
        file.draw("--svg", options.svg.text(), marks);
    }
    if (options.json.given()) put_bound_json(file, what, bound);
    else put_bound(file, what, bound);
    return success;
}

}  // namespace

command add_bound(CLI::App& program) {
    return make_command<bound_options>(
        program,
        {.name = "bound",
         .phrase = "the largest bandwidth of a collective on a network",
         .sentence =
             "Prints the largest algorithmic bandwidth of a collective on a network, and the cut that limits it.",
         .usage = {"bound COLLECTIVE --network FILE [--root R] [--json] [--svg FILE]"},
         .examples = {"bound allgather --network network.json",
                      "bound broadcast --network network.json --root 3 --json"}},
        bound_throughput);
}
