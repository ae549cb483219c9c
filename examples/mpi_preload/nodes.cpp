#include "nodes.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <vector>

namespace collsched::preload {

namespace {

/// Per rank of MPI_COMM_WORLD: the first rank on its node; empty if unknown.
std::vector<int> first_beside;

}  // namespace

void find_nodes(MPI_Comm beside, int ranks_per_node) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int first = rank;
    if (ranks_per_node > 0) first = rank - rank % ranks_per_node;
    else PMPI_Bcast(&first, 1, MPI_INT, 0, beside);
    first_beside.resize(static_cast<std::size_t>(ranks));
    PMPI_Allgather(&first, 1, MPI_INT, first_beside.data(), 1, MPI_INT, MPI_COMM_WORLD);
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

topology::placement placement_of(MPI_Comm comm) {
    if (first_beside.empty()) return {};
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    const std::vector<int> in_world = ranks_in(MPI_COMM_WORLD, group);
    PMPI_Group_free(&group);
    const std::size_t n = in_world.size();
    if (std::ranges::find(in_world, MPI_UNDEFINED) != in_world.end()) return {};
    std::vector<int> firsts(n);
    for (std::size_t r = 0; r < n; ++r) firsts[r] = first_beside[static_cast<std::size_t>(in_world[r])];
    std::vector<int> nodes = firsts;
    std::ranges::sort(nodes);
    nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
    std::vector<rank_t> seats(n);
    for (std::size_t r = 0; r < n; ++r) seats[r] = std::ranges::lower_bound(nodes, firsts[r]) - nodes.begin();
    return topology::placement::list(seats, std::ssize(nodes));
}

}  // namespace collsched::preload
