#include "given_cluster.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "algorithms/algorithms.hpp"
#include "cluster_choice.hpp"
#include "collsched/format/clusters/read_json_cluster.hpp"
#include "collsched/format/files/text_file.hpp"
#include "never_destroyed.hpp"
#include "nodes.hpp"
#include "shared_file.hpp"
#include "wish.hpp"

namespace collsched::preload {

namespace {

/// The cluster of COLLSCHED_CLUSTER.
struct cluster_in_use {
    std::optional<cluster> whole;
    std::string path;
    std::vector<std::int64_t> nodes;  ///< per rank of MPI_COMM_WORLD
};
constinit never_destroyed<cluster_in_use> used_cluster;

cluster parsed_cluster(const text_file& file) {
    using format = ::collsched::text_file::format;
    if (::collsched::text_format_of(file.text) != format::json)
        file.refuse(1, "another format", "a cluster file in JSON");
    return read_json_cluster(file);
}

/// Returns the node of a host, by its name with or without its domain; -1: none.
std::int64_t node_of_host(const std::string& host) {
    if (const auto found = used_cluster->whole->find(host)) return *found;
    return used_cluster->whole->find(host.substr(0, host.find('.'))).value_or(-1);
}

/// Determines the nodes of all ranks. The first rank whose host is missing prints the line and ends the program.
void find_hosts() {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::string host = host_name();
    const std::int64_t node = node_of_host(host);
    used_cluster->nodes.resize(static_cast<std::size_t>(ranks));
    PMPI_Allgather(&node, 1, MPI_INT64_T, used_cluster->nodes.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
    const auto missing = std::ranges::find(used_cluster->nodes, -1);
    if (missing == used_cluster->nodes.end()) return;
    if (missing - used_cluster->nodes.begin() == rank)
        refuse(
            cluster_variable, "host " + host + " of rank " + std::to_string(rank),
            "a node of the cluster " + used_cluster->whole->name + ", such as " + used_cluster->whole->names.front());
    PMPI_Barrier(MPI_COMM_WORLD);  // that rank ends the program
}

}  // namespace

void share_cluster() {
    const auto parse = [](const text_file& file) {
        used_cluster->whole = parsed_cluster(file);
        used_cluster->path = file.name;
    };
    if (share_file(cluster_variable, "a cluster file", parse)) find_hosts();
}

bool has_cluster() { return used_cluster->whole.has_value(); }

std::string cluster_text() {
    if (!used_cluster->whole) return {};
    return "; cluster: " + used_cluster->path + " (" + std::to_string(used_cluster->whole->names.size()) + " nodes)";
}

std::unique_ptr<ranks_on_cluster> cluster_of(MPI_Comm comm) {
    if (!used_cluster->whole) return nullptr;
    const std::vector<int> in_world = ranks_in_world(comm);
    if (in_world.empty()) return nullptr;
    std::vector<rank_t> seats;
    for (const int r : in_world) seats.push_back(used_cluster->nodes[static_cast<std::size_t>(r)]);
    const auto where = topology::placement::list(seats, used_cluster->whole->cost.switches().nodes());
    auto made = std::make_unique<ranks_on_cluster>();
    made->model = used_cluster->whole->cost.placed(where);
    made->groups = placement_of(comm);
    if (where.ranks_per_node() == 1)
        if (topology::placement switches = made->model.switches().by_switch(); switches.nodes() > 1)
            made->groups = std::move(switches);
    std::optional<contention_model> shared;
    if (!used_cluster->whole->links.check()) shared = used_cluster->whole->sharing({}, where);
    made->cheapest = cheapest_on(made->model, shared);
    return made;
}

std::span<const algorithm_entry> planned_algorithms() {
    const char* path = std::getenv(cluster_variable);
    static const auto& entries = *new std::vector<algorithm_entry>([] {
        std::vector<algorithm_entry> planned;
        for (const algorithm_entry& entry : compiled::planned_registry())
            if (entry.takes(&shape::cluster)) planned.push_back(entry);
        return planned;
    }());
    if (path == nullptr || *path == '\0') return {};
    return entries;
}

}  // namespace collsched::preload
