// Three levels beside two: collectives of 320 ranks on 40 nodes in 5 racks, in simulated time. A node hosts 8 ranks, and
// racks are far apart. Printed are the times of the algorithms with a level of nodes alone and with nodes and racks, and
// their ratio. Simulated times are the same on every machine.

#include <fmt/format.h>

#include <array>
#include <vector>

#include "collsched/collective/allgather/hierarchical.hpp"
#include "collsched/collective/allreduce/hierarchical.hpp"
#include "collsched/collective/alltoall/hierarchical.hpp"
#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/topology/placement.hpp"

namespace {

using namespace collsched;
using nested_placement = topology::placement::nested;
using topology::placement;

constexpr rank_t racks = 5, nodes = 40, ranks = 320;

/// Ranks under nodes under racks. Latencies of 0.2 us within a node, 1 us within a rack and 10 us between racks are the
/// sums over the links of a path; a link passes 10, 12.5 and 6.25 GB/s.
lob_model cluster(const placement& in_racks) {
    constexpr lob_model::link_cost rank_link{100'000, 100'000}, node_link{400'000, 80'000},
        rack_link{4'500'000, 160'000};
    std::vector<rank_t> parents, homes;
    for (rank_t rack = 0; rack < racks; ++rack) parents.push_back(0);
    for (rank_t node = 0; node < nodes; ++node) parents.push_back(1 + in_racks.node(node));
    for (rank_t r = 0; r < ranks; ++r) homes.push_back(1 + racks + r * nodes / ranks);
    std::vector<lob_model::link_cost> uplinks(1 + racks + nodes, node_link);
    for (std::size_t rack = 0; rack <= racks; ++rack) uplinks[rack] = rack_link;
    return {topology::switch_tree(parents, homes), std::vector<picoseconds>(ranks, 200'000),
            std::vector<lob_model::link_cost>(ranks, rank_link), uplinks};
}

double microseconds(const auto& x, const lob_model& model) {
    const simulation run = simulate(x, model);
    if (run.error) fmt::print(stderr, "{}\n", run.error.text().c_str());
    return static_cast<double>(run.completion) / 1e6;
}

template <class Two, class Three>
void compare(const char* name, bytes_t bytes, const placement& in_racks, const Two& two, const Three& three) {
    const placement on_nodes = placement::block(ranks, nodes);
    const std::array both{on_nodes, in_racks.under(on_nodes)};
    const lob_model model = cluster(in_racks);
    const double with_racks = microseconds(with_levels(three, nested_placement(both)), model),
                 with_nodes = microseconds(with_levels(two, nested_placement(std::span(both).first(1))), model);
    fmt::print("{:10} {:9} {:12.1f} {:12.1f} {:6.2f}\n", name, bytes, with_nodes, with_racks, with_racks / with_nodes);
}

void compare_all(const char* order, const placement& in_racks) {
    using tree = broadcast::over_tree<trees::binomial>;
    fmt::print("{}\n{:10} {:>9} {:>12} {:>12} {:>6}\n", order, "collective", "bytes", "2 levels us", "3 levels us",
               "ratio");
    for (const bytes_t m : {bytes_t{8}, bytes_t{1} << 12, bytes_t{1} << 20}) {
        compare("allreduce", m, in_racks, allreduce::hierarchical<>{.ranks = ranks, .bytes = m},
                allreduce::hierarchical<allreduce::hierarchical<>>{.ranks = ranks, .bytes = m});
        compare("broadcast", m, in_racks, broadcast::hierarchical<>{.ranks = ranks, .bytes = m},
                broadcast::hierarchical<tree, broadcast::hierarchical<>>{.ranks = ranks, .bytes = m});
    }
    for (const bytes_t b : {bytes_t{1}, bytes_t{64}, bytes_t{4096}}) {
        compare("allgather", b, in_racks, allgather::hierarchical<>{.ranks = ranks, .block = b},
                allgather::hierarchical<allgather::hierarchical<>>{.ranks = ranks, .block = b});
        compare("alltoall", b, in_racks, alltoall::hierarchical<>{.ranks = ranks, .block = b},
                alltoall::hierarchical<alltoall::hierarchical<>>{.ranks = ranks, .block = b});
    }
}

}  // namespace

int main() {
    compare_all("neighboring nodes share a rack", placement::block(nodes, racks));
    compare_all("nodes are dealt out to racks", placement::cyclic(nodes, racks));
}
