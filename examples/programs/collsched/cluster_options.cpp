#include "cluster_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "collsched/format/clusters/read_cluster.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

std::optional<double> read_rate(const text_option& option) {
    if (!option.given()) return {};
    const std::string text = option.text();
    double value = -1;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
        throw usage_error(option.name(), text, "a decimal number, 0 or more");
    return value;
}

}  // namespace

topology::placement placed_cluster::place(rank_t ranks) const {
    if (hosts) return read_or_refuse("--hosts", [&] { return hosts->on(described, ranks); });
    return read_or_refuse("--placement", [&] { return read_placement(placement, described, ranks); });
}

topology::placement placed_cluster::groups(rank_t ranks) const {
    topology::placement nodes = place(ranks);
    const owned_array<rank_t> residents = nodes.residents();
    for (const rank_t count : residents)
        if (count > 1) return nodes;
    topology::placement switches = described.cost.switches().placed(nodes).by_switch();
    return switches.nodes() > 1 ? switches : nodes;
}

lob_model placed_cluster::on(rank_t ranks) const { return described.cost.placed(place(ranks)); }

contention_model placed_cluster::sharing(contention_model model, rank_t ranks) const {
    if (described.links.check())
        throw usage_error("--cluster", file, "matrices of at most 2048 nodes, for shared links");
    return described.sharing(std::move(model), place(ranks));
}

cluster placed_cluster::named(rank_t ranks) const {
    const topology::placement where = place(ranks);
    const owned_array<rank_t> residents = where.residents();
    cluster made{.name = described.name, .names = {}, .switch_names = described.switch_names, .cost = {}};
    for (rank_t r = 0; r < ranks; ++r) {
        const auto node = static_cast<std::size_t>(where.node(r));
        const std::string& name = described.names[node];
        made.names.push_back(residents[where.node(r)] > 1 ? fmt::format("{} ({})", name, r) : name);
    }
    made.switch_names.resize(static_cast<std::size_t>(described.cost.switches().switches()));
    for (rank_t c = 0; c < where.nodes(); ++c)
        if (residents[c] > 1) made.switch_names.push_back(described.names[static_cast<std::size_t>(c)]);
    made.cost = described.cost.placed(where);
    return made;
}

cluster_options::cluster_options(CLI::App& command)
    : file_(command, option_group::cluster, "--cluster", "FILE",
            "cluster or network: JSON, a SimGrid platform, output of ibnetdiscover, or a Slurm topology.conf or "
            "topology.yaml"),
      placement_(command, option_group::cluster, "--placement", "PLACE",
                 "node of each rank: block, cyclic, or the name of a node for each rank, A,B,B,A (default block; "
                 "without --cluster only for hierarchical algorithms)"),
      hosts_(command, option_group::cluster, "--hosts", "FILE",
             "node of each rank, in place of --placement: a name per line, a hostfile of Open MPI or MPICH, or a list "
             "of Slurm"),
      overhead_(
          command, option_group::cluster, "--overhead-us", "US",
          "overhead per message, in microseconds, of nodes for which the cluster file has none (Slurm: required)"),
      latency_(command, option_group::cluster, "--latency-us", "US",
               "latency of node links, in microseconds, that the cluster file leaves out (Slurm: required)"),
      bandwidth_(command, option_group::cluster, "--bandwidth-MBps", "RATE",
                 "bandwidth of node links, in MB/s, that the cluster file leaves out (Slurm: required)"),
      uplink_latency_(
          command, option_group::cluster, "--uplink-latency-us", "US",
          "latency of links between switches, in microseconds, that the cluster file leaves out (Slurm: required)"),
      uplink_bandwidth_(
          command, option_group::cluster, "--uplink-bandwidth-MBps", "RATE",
          "bandwidth of links between switches, in MB/s, that the cluster file leaves out (Slurm: required)"),
      intra_node_latency_(command, option_group::cluster, "--intra-node-latency-us", "US",
                          "latency between ranks of a node, in microseconds, that the cluster file leaves out "
                          "(default 0.5)"),
      intra_node_bandwidth_(command, option_group::cluster, "--intra-node-bandwidth-MBps", "RATE",
                            "bandwidth of a rank within its node, in MB/s, that the cluster file leaves out "
                            "(default 8000)"),
      intra_node_shared_(command, option_group::cluster, "--intra-node-shared",
                         "bandwidth within a node that all its ranks share (default: each rank has its own)"),
      topology_(command, option_group::cluster, "--topology", "NAME",
                "topology of a topology.yaml (default: the topology with cluster_default: true)"),
      switch_name_(command, option_group::cluster, "--switch-name", "NAME",
                   "switch of a Slurm topology whose nodes are the cluster (default: the switch above all others)") {}

std::string cluster_options::placement() const {
    if (!placement_.given()) return {};
    if (placement_.text().empty()) throw usage_error("--placement", "", "block, cyclic, or a name for every rank");
    return placement_.text();
}

std::string cluster_options::text() const {
    std::string all;
    for (const text_option* option :
         {&placement_, &overhead_, &latency_, &bandwidth_, &uplink_latency_, &uplink_bandwidth_, &intra_node_latency_,
          &intra_node_bandwidth_, &topology_, &switch_name_})
        if (option->given()) all += fmt::format(" {} {}", option->name(), option->text());
    return intra_node_shared_.given() ? all + " " + intra_node_shared_.name() : all;
}

std::optional<cluster::rank_hosts> cluster_options::hosts() const {
    if (!hosts_.given()) return {};
    if (placement_.given()) throw usage_error::conflict("--hosts", "--placement");
    return read_or_refuse("--hosts", [&] { return read_hosts(std::filesystem::path(hosts_.text())); });
}

std::optional<placed_cluster> cluster_options::read(bool placement_alone) const {
    if (!file_.given()) {
        for (const text_option* other :
             {&placement_, &hosts_, &overhead_, &latency_, &bandwidth_, &uplink_latency_, &uplink_bandwidth_,
              &intra_node_latency_, &intra_node_bandwidth_, &topology_, &switch_name_})
            if (other->given() && !(placement_alone && (other == &placement_ || other == &hosts_)))
                throw usage_error::alone(other->name(), "--cluster");
        if (intra_node_shared_.given()) throw usage_error::alone(intra_node_shared_.name(), "--cluster");
        return {};
    }
    cluster::defaults defaults{.overhead_us = read_rate(overhead_),
                               .latency_us = read_rate(latency_),
                               .bandwidth_MBps = read_rate(bandwidth_),
                               .uplink_latency_us = read_rate(uplink_latency_),
                               .uplink_bandwidth_MBps = read_rate(uplink_bandwidth_),
                               .intra_node_latency_us = read_rate(intra_node_latency_),
                               .intra_node_bandwidth_MBps = read_rate(intra_node_bandwidth_)};
    if (intra_node_shared_.given()) defaults.intra_node_shared = true;
    for (const text_option* name : {&topology_, &switch_name_})
        if (name->given() && name->text().empty()) throw usage_error(name->name(), "", "a name");
    const cluster::part part{.topology = topology_.given() ? topology_.text() : "",
                             .switch_name = switch_name_.given() ? switch_name_.text() : ""};
    const std::optional<cluster::rank_hosts> job = hosts();
    return read_or_refuse("--cluster", [&] {
        defaults.check();
        placed_cluster read{read_cluster(std::filesystem::path(file_.text()), defaults, part),
                            placement_.given() ? placement_.text() : std::string("block"), file_.text(), job};
        read.has_overheads = overhead_.given();
        for (rank_t c = 0; c < read.described.cost.ranks(); ++c)
            read.has_overheads = read.has_overheads || read.described.cost.overhead(c) > 0;
        return read;
    });
}
