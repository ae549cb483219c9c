#pragma once

#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "collsched/format/clusters/read_network.hpp"
#include "collsched/tree/pack_forest.hpp"
#include "collsched/tree/planned_forest.hpp"

namespace simulated {

/// Packs trees of a platform, of rank 0 or of all ranks; `trees` is trees_per_root of trees::pack_forest(). The host file
/// must list all hosts in the order of the platform. Throws input_error, bad_argument, and std::invalid_argument for other hosts.
inline collsched::trees::planned_forest read_forest(const char* platform, const char* hosts, bool rooted,
                                                    std::int64_t trees) {
    using namespace collsched;
    const topology::network net = read_network(platform);
    std::ifstream lines(hosts);
    std::string host;
    for (rank_t r = 0; r < net.ranks(); ++r)
        if (!std::getline(lines, host) || host != net.name(r))
            throw std::invalid_argument("host of rank " + std::to_string(r) + ": got \"" + host + "\", expected \"" +
                                        net.name(r) + '"');
    std::vector<rank_t> roots(rooted ? 1 : static_cast<std::size_t>(net.ranks()));
    std::iota(roots.begin(), roots.end(), 0);
    trees::packed_forest packed = trees::pack_forest(net, roots, trees);
    if (packed.error) throw bad_argument(packed.error);
    return std::move(packed.result);
}

}  // namespace simulated
