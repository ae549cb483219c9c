#include "nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <sstream>
#include <vector>

#include "never_destroyed.hpp"
#include "wish.hpp"

namespace collsched::preload {

namespace {

/// Per rank of MPI_COMM_WORLD: the first rank on its node; empty if unknown.
constinit never_destroyed<std::vector<int>> first_beside;
constinit never_destroyed<std::string> own_host;

/// Returns the names of COLLSCHED_HOSTS, none if it is not set. Another number of names than ranks ends the program.
std::vector<std::string> given_hosts(int rank, int ranks) {
    const char* value = std::getenv(hosts_variable);
    std::vector<std::string> names;
    if (value == nullptr || *value == '\0') return names;
    std::istringstream text(value);
    for (std::string name; std::getline(text, name, ',');) names.push_back(name);
    if (std::ssize(names) == ranks) return names;
    if (rank == 0)
        refuse(hosts_variable, value,
               "a name for each of the " + std::to_string(ranks) + " ranks, with commas between them");
    PMPI_Barrier(MPI_COMM_WORLD);  // rank 0 ends the program
    return names;
}

}  // namespace

void find_nodes(MPI_Comm beside, int ranks_per_node) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int first = rank;
    const std::vector<std::string> hosts = given_hosts(rank, ranks);
    if (!hosts.empty()) {
        *own_host = hosts[static_cast<std::size_t>(rank)];
        first = static_cast<int>(std::ranges::find(hosts, *own_host) - hosts.begin());
    } else if (ranks_per_node > 0) {
        first = rank - rank % ranks_per_node;
    } else {
        PMPI_Bcast(&first, 1, MPI_INT, 0, beside);
    }
    first_beside->resize(static_cast<std::size_t>(ranks));
    PMPI_Allgather(&first, 1, MPI_INT, first_beside->data(), 1, MPI_INT, MPI_COMM_WORLD);
}

std::vector<int> ranks_in(MPI_Comm comm, MPI_Group group) {
    int ranks = 0;
    PMPI_Group_size(group, &ranks);
    std::vector<int> here(static_cast<std::size_t>(ranks)), there(here);
    std::iota(here.begin(), here.end(), 0);
    MPI_Group whole = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &whole);
    PMPI_Group_translate_ranks(group, ranks, here.data(), whole, there.data());
    PMPI_Group_free(&whole);
    return there;
}

std::string host_name() {
    if (!own_host->empty()) return *own_host;
    char name[MPI_MAX_PROCESSOR_NAME + 1] = {};
    int length = 0;
    PMPI_Get_processor_name(name, &length);
    return name;
}

std::vector<int> ranks_in_world(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    std::vector<int> in_world = ranks_in(MPI_COMM_WORLD, group);
    PMPI_Group_free(&group);
    if (std::ranges::find(in_world, MPI_UNDEFINED) != in_world.end()) in_world.clear();
    return in_world;
}

topology::placement placement_of(MPI_Comm comm) {
    if (first_beside->empty()) return {};
    const std::vector<int> in_world = ranks_in_world(comm);
    const std::size_t n = in_world.size();
    if (n == 0) return {};
    std::vector<int> firsts(n);
    for (std::size_t r = 0; r < n; ++r) firsts[r] = (*first_beside)[static_cast<std::size_t>(in_world[r])];
    std::vector<int> nodes = firsts;
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    std::vector<rank_t> seats(n);
    for (std::size_t r = 0; r < n; ++r) seats[r] = std::ranges::lower_bound(nodes, firsts[r]) - nodes.begin();
    return topology::placement::list(seats, std::ssize(nodes));
}

}  // namespace collsched::preload
