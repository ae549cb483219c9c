#ifndef FMT_HEADER_ONLY
#define FMT_HEADER_ONLY  // the program need not have the library of fmt
#endif

#include "given_cluster.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "collsched/format/readers/detail/json_cluster.hpp"
#include "collsched/format/readers/detail/text_format.hpp"
#include "nodes.hpp"
#include "shared_file.hpp"
#include "wish.hpp"
#include "never_destroyed.hpp"

namespace collsched::preload {

namespace {

constinit never_destroyed<std::optional<cluster>> whole_cluster;
constinit never_destroyed<std::string> cluster_path;
/// Per rank of MPI_COMM_WORLD: its node in the cluster.
constinit never_destroyed<std::vector<std::int64_t>> nodes_of_ranks;

cluster parsed_cluster(const text_file& file) {
    using format = ::collsched::detail::text_format;
    if (::collsched::detail::text_format_of(file.text) != format::json)
        file.refuse(1, "another format", "a cluster file in JSON");
    return ::collsched::detail::read_json_cluster(file);
}

/// Returns the node of a host, by its name with or without its domain; -1: none.
std::int64_t node_of_host(const std::string& host) {
    if (const auto found = (*whole_cluster)->find(host)) return *found;
    return (*whole_cluster)->find(host.substr(0, host.find('.'))).value_or(-1);
}

/// Determines the nodes of all ranks. The first rank whose host is missing prints the line and ends the program.
void find_hosts() {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string host = host_name();
    const std::int64_t node = node_of_host(host);
    nodes_of_ranks->resize(static_cast<std::size_t>(ranks));
    PMPI_Allgather(&node, 1, MPI_INT64_T, nodes_of_ranks->data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    const auto missing = std::ranges::find(*nodes_of_ranks, -1);
    if (missing == nodes_of_ranks->end()) return;
    if (missing - nodes_of_ranks->begin() == rank)
        refuse(cluster_variable, "host " + host + " of rank " + std::to_string(rank),
               "a node of the cluster " + (*whole_cluster)->name + ", such as " + (*whole_cluster)->names.front());
    PMPI_Barrier(MPI_COMM_WORLD);  // that rank ends the program
}

contention_model sharing_links(const topology::placement& where) {
    contention_model model{.net = (*whole_cluster)->links, .placement = where};
    model.overheads_ps = owned_array<picoseconds>((*whole_cluster)->cost.ranks());
    for (rank_t c = 0; c < (*whole_cluster)->cost.ranks(); ++c)
        model.overheads_ps[c] = (*whole_cluster)->cost.overhead(c);
    return model;
}

}  // namespace

void share_cluster() {
    const auto parse = [](const text_file& file) {
        *whole_cluster = parsed_cluster(file);
        *cluster_path = file.name;
    };
    if (share_file(cluster_variable, "a cluster file", parse)) find_hosts();
}

bool has_cluster() { return whole_cluster->has_value(); }

std::string cluster_text() {
    if (!*whole_cluster) return {};
    return "; cluster: " + *cluster_path + " (" + std::to_string((*whole_cluster)->names.size()) + " nodes)";
}

std::unique_ptr<ranks_on_cluster> cluster_of(MPI_Comm comm) {
    if (!*whole_cluster) return nullptr;
    const std::vector<int> in_world = ranks_in_world(comm);
    if (in_world.empty()) return nullptr;
    std::vector<rank_t> seats;
    for (const int r : in_world) seats.push_back((*nodes_of_ranks)[static_cast<std::size_t>(r)]);
    const auto where = topology::placement::list(seats, (*whole_cluster)->switches.nodes());
    auto made = std::make_unique<ranks_on_cluster>();
    made->model = cluster_model{(*whole_cluster)->switches, (*whole_cluster)->cost}.placed(where);
    made->groups = placement_of(comm);
    if (where.ranks_per_node() == 1)
        if (topology::placement switches = made->model.switches.by_switch(); switches.nodes() > 1)
            made->groups = std::move(switches);
    if (!(*whole_cluster)->links.check()) made->shared = sharing_links(where);
    return made;
}

std::span<const algorithm_entry> planned_algorithms() {
    const char* path = std::getenv(cluster_variable);
    static const auto& entries = *new std::vector<algorithm_entry>([] {
        std::vector<algorithm_entry> planned;
        for (const algorithm_entry& entry : compiled::planned_registry())
            if (entry.takes("cluster")) planned.push_back(entry);
        return planned;
    }());
    if (path == nullptr || *path == '\0') return {};
    return entries;
}

}  // namespace collsched::preload
