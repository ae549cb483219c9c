#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collsched/format.hpp"
#include "collsched/topology/alltoall_bound.hpp"
#include "collsched/topology/forwarding_bound.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "catalogue.hpp"
#include "commands.hpp"
#include "network_option.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

constexpr collective bounded_collectives[] = {collective::allgather, collective::reduce_scatter, collective::allreduce,
                                              collective::alltoall,  collective::broadcast,      collective::reduce};
constexpr const char* bounded_names = "allgather, reduce_scatter, allreduce, alltoall, broadcast or reduce";

struct bound_options {
    explicit bound_options(CLI::App& command)
        : what(command, "COLLECTIVE", bounded_names),
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

collective bounded_collective(const std::string& text) {
    const std::string name = find_collective(text);
    for (const collective what : bounded_collectives)
        if (name == name_of(what)) return what;
    throw usage_error("COLLECTIVE", text, bounded_names);
}

/// Returns bytes per second in GB/s (10^9), with 6 decimals.
std::string gigabytes(const fraction& rate) { return fmt::format("{:.6f}", rate.value() / 1e9); }

/// Returns the exact bandwidth, a whole number or a fraction.
std::string exact(const fraction& rate) {
    return rate.denominator() == 1 ? std::to_string(rate.numerator())
                                   : fmt::format("{}/{}", rate.numerator(), rate.denominator());
}

/// Returns the beginning of a JSON object.
std::string bound_json(const read_network_file& file, collective what, const fraction& rate) {
    return fmt::format(R"({{"collective":{},"network":{},"ranks":{},"algbw_GBps":{},"numerator":{},"denominator":{},)",
                       json_text(name_of(what)), json_text(file.name()), file.net.ranks(), gigabytes(rate),
                       rate.numerator(), rate.denominator());
}

/// Returns whether switches that do not copy permit less than the cuts.
bool is_lower(const topology::network::link_bound& links, const topology::network::cut_bound& cuts) {
    return !links.error && links.bandwidth != fraction(0) && links.bandwidth < cuts.bandwidth;
}

std::string names_json(const read_network_file& file, const owned_array<rank_t>& ranks) {
    std::string names;
    for (const rank_t v : ranks) names += (names.empty() ? "" : ",") + json_text(file.vertex(v));
    return "[" + names + "]";
}

/// Returns the member of a bound for switches that do not copy.
std::string forwarding_json(const read_network_file& file, const topology::network::link_bound& bound) {
    return fmt::format(
        R"(,"forwarding":{{"algbw_GBps":{},"numerator":{},"denominator":{},"link":[{},{}],"load":{:.6f},)"
        R"("receivers":{},"senders":{}}})",
        gigabytes(bound.bandwidth), bound.bandwidth.numerator(), bound.bandwidth.denominator(),
        json_text(file.vertex(bound.from)), json_text(file.vertex(bound.to)), bound.load.value(),
        names_json(file, bound.receivers), names_json(file, bound.senders));
}

void put_bound_json(const read_network_file& file, collective what, const topology::network::cut_bound& bound,
                    const topology::network::link_bound& forwarding) {
    std::string cut, links;
    for (const rank_t v : bound.cut) cut += (cut.empty() ? "" : ",") + json_text(file.vertex(v));
    for (const std::int64_t i : bound.links) {
        const topology::network::link& one = file.net.links()[static_cast<std::size_t>(i)];
        links += fmt::format("{}[{},{}]", links.empty() ? "" : ",", json_text(file.vertex(one.from)),
                             json_text(file.vertex(one.to)));
    }
    put_line(bound_json(file, what, bound.bandwidth) +
             fmt::format(R"("cut":[{}],"cut_links":[{}]{}}})", cut, links,
                         is_lower(forwarding, bound) ? forwarding_json(file, forwarding) : ""));
}

void put_forwarding(const read_network_file& file, const topology::network::link_bound& bound) {
    put_line("");
    put_line(fmt::format("switches that do not copy: at most {} GB/s, {} B/s", gigabytes(bound.bandwidth),
                         exact(bound.bandwidth)));
    put_line(fmt::format("link: {} -> {} carries {:.6f} M for {} receivers and {} senders", file.shown(bound.from),
                         file.shown(bound.to), bound.load.value(), bound.receivers.size(), bound.senders.size()));
}

void put_bound(const read_network_file& file, collective what, const topology::network::cut_bound& bound) {
    text_table table({{"collective"},
                      {"network"},
                      {"ranks", text_table::side::right},
                      {"GB_per_s", text_table::side::right},
                      {"exact_bytes_per_s", text_table::side::right},
                      {"cut"}});
    table.add({name_of(what), printable_name(file.name()), std::to_string(file.net.ranks()), gigabytes(bound.bandwidth),
               exact(bound.bandwidth),
               bound.cut.empty() ? "the traffic of all ranks"
                                 : fmt::format("{} vertices, {} links", bound.cut.size(), bound.links.size())});
    table.print();
    if (bound.cut.empty()) return;
    put_line("");
    std::vector<std::string> names;
    for (const rank_t v : bound.cut) names.push_back(file.shown(v));
    put_line(fmt::format("cut: {}", fmt::join(names, " ")));
    for (const std::int64_t i : bound.links) {
        const topology::network::link& one = file.net.links()[static_cast<std::size_t>(i)];
        put_line(fmt::format("link: {} -> {}, {} B/s", file.shown(one.from), file.shown(one.to), one.bandwidth));
    }
}

void put_flow_json(const read_network_file& file, const topology::network::flow_bound& bound) {
    std::string prices;
    for (std::int64_t i = 0; i < bound.prices.size(); ++i) {
        const topology::network::link& one = file.net.links()[static_cast<std::size_t>(i)];
        if (bound.prices[i] > 0)
            prices += fmt::format("{}[{},{},{}]", prices.empty() ? "" : ",", json_text(file.vertex(one.from)),
                                  json_text(file.vertex(one.to)), bound.prices[i]);
    }
    put_line(bound_json(file, collective::alltoall, bound.bandwidth) +
             fmt::format(R"("attained_GBps":{:.6f},"gap":{:.3g},"prices":[{}]}})", bound.attained / 1e9,
                         std::max(0.0, bound.gap()), prices));
}

void put_flow(const read_network_file& file, const topology::network::flow_bound& bound) {
    text_table table({{"collective"},
                      {"network"},
                      {"ranks", text_table::side::right},
                      {"GB_per_s", text_table::side::right},
                      {"exact_bytes_per_s", text_table::side::right},
                      {"gap", text_table::side::right}});
    table.add({name_of(collective::alltoall), printable_name(file.name()), std::to_string(file.net.ranks()),
               gigabytes(bound.bandwidth), exact(bound.bandwidth), fmt::format("{:.1e}", std::max(0.0, bound.gap()))});
    table.print();
    put_line("");
    for (std::int64_t i = 0; i < bound.prices.size(); ++i) {
        const topology::network::link& one = file.net.links()[static_cast<std::size_t>(i)];
        if (bound.prices[i] > 0)
            put_line(fmt::format("link: {} -> {}, {} B/s, price {}", file.shown(one.from), file.shown(one.to),
                                 one.bandwidth, bound.prices[i]));
    }
}

int bound_flows(const bound_options& options) {
    const read_network_file file = options.network.read();
    const topology::network::flow_bound bound = topology::alltoall_bound(file.net);
    if (bound.error) throw file.mistake(bound.error);
    if (options.svg.given()) {
        network_marks marks{
            .title = fmt::format("alltoall on {}", file.name()),
            .note = fmt::format("at most {} GB/s; links with a price are red", gigabytes(bound.bandwidth)),
            .links = {}};
        for (std::int64_t i = 0; i < bound.prices.size(); ++i)
            if (bound.prices[i] > 0) marks.links.push_back(i);
        file.draw("--svg", options.svg.text(), marks);
    }
    if (options.json.given()) put_flow_json(file, bound);
    else put_flow(file, bound);
    return success;
}

int bound_throughput(const bound_options& options) {
    const collective what = bounded_collective(options.what.text());
    if (options.root.given() && !is_rooted(what))
        throw usage_error("--root", options.root.text(), "no root for this collective");
    if (what == collective::alltoall) return bound_flows(options);
    const read_network_file file = options.network.read();
    const topology::network::cut_bound bound = topology::throughput_bound(file.net, what, options.root.number(0, 0));
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
    const topology::network::link_bound forwarding =
        topology::forwarding_bound(file.net, what, options.root.number(0, 0));
    if (options.json.given()) {
        put_bound_json(file, what, bound, forwarding);
        return success;
    }
    put_bound(file, what, bound);
    if (is_lower(forwarding, bound)) put_forwarding(file, forwarding);
    return success;
}

}  // namespace

command add_bound(CLI::App& program) {
    return make_command<bound_options>(
        program,
        {.name = "bound",
         .phrase = "the largest bandwidth of a collective on a network",
         .sentence =
             "Prints an upper bound of the algorithmic bandwidth of a collective on a network, and what proves it.",
         .usage = {"bound COLLECTIVE --network FILE [--without A>B,...] [--root R] [--json] [--svg FILE]"},
         .examples = {"bound allgather --network network.json",
                      "bound broadcast --network network.json --root 3 --json",
                      "bound alltoall --network network.json"}},
        bound_throughput);
}
