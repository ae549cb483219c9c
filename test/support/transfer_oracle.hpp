#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/tree/match_chunks.hpp"
#include "collsched/tree/transfer_plan.hpp"

/// A replay of planned transfers over a network, link by link and moment by moment.
namespace support::transfer_oracle {

using namespace collsched;

__extension__ using wide = __int128;

/// Whether `time` is the least whole number of picoseconds in which a link moves the bytes.
inline bool is_transmission(std::int64_t time, std::int64_t bytes, std::int64_t bandwidth) {
    const wide needed = wide{bytes} * 1'000'000'000'000;
    return wide{time} * bandwidth >= needed && wide{time - 1} * bandwidth < needed;
}

/// Returns the first fault of the times of a hop on its link, or "".
inline std::string hop_fault(const topology::network& net, const trees::transfer_plan::hop& hop,
                             const trees::matching_parameters& how) {
    if (hop.link < 0 || hop.link >= std::ssize(net.links())) return "no such link";
    const topology::network::link& link = net.links()[static_cast<std::size_t>(hop.link)];
    if (hop.from != link.from || hop.to != link.to) return "another link";
    if (!is_transmission(hop.arrival - hop.begin - link.latency, how.bytes, link.bandwidth)) return "duration";
    return hop.release == hop.arrival - (how.latency_holds ? 0 : link.latency) ? "" : "release";
}

/// An event of the replay. At equal times links first become free and chunks arrive, then chunks enter links.
struct moment {
    std::int64_t time = 0;
    enum { release, arrival, begin } kind = release;
    std::int64_t link = 0;
    rank_t vertex = 0;
    std::pair<rank_t, std::int64_t> chunk;
    auto order() const { return std::tuple(time, kind, link, vertex, chunk); }
    bool operator<(const moment& other) const { return order() < other.order(); }
};

/// Returns the first fault of transfers in a network, or "": a wrong time, two chunks on one link, a vertex that sends
/// what has not arrived, a switch that sends a chunk more often than it has received it, or a rank that does not receive
/// each chunk once.
inline std::string first_fault(const topology::network& net, const trees::transfer_plan& plan,
                               const trees::matching_parameters& how) {
    std::vector<moment> moments;
    for (const trees::transfer_plan::transfer& one : plan.transfers)
        for (const trees::transfer_plan::hop& hop : plan.path(one)) {
            if (const std::string fault = hop_fault(net, hop, how); fault != "") return fault;
            const std::pair chunk{one.root, one.part};
            moments.push_back({hop.begin, moment::begin, hop.link, hop.from, chunk});
            moments.push_back({hop.release, moment::release, hop.link, hop.to, chunk});
            moments.push_back({hop.arrival, moment::arrival, hop.link, hop.to, chunk});
        }
    std::sort(moments.begin(), moments.end());
    std::map<std::pair<rank_t, std::pair<rank_t, std::int64_t>>, std::int64_t> copies;
    for (rank_t r = 0; r < net.ranks(); ++r)
        for (std::int64_t part = 0; part < how.parts; ++part) copies[{r, {r, part}}] = 1;
    std::set<std::int64_t> used;
    for (const moment& now : moments) {
        std::int64_t& held = copies[{now.vertex, now.chunk}];
        if (now.kind == moment::release) used.erase(now.link);
        else if (now.kind == moment::arrival) ++held;
        else if (!used.insert(now.link).second) return "two chunks on a link";
        else if (held == 0) return "a vertex sends what it lacks";
        else if (net.is_switch(now.vertex)) --held;
    }
    for (rank_t r = 0; r < net.ranks(); ++r)
        for (rank_t root = 0; root < net.ranks(); ++root)
            for (std::int64_t part = 0; part < how.parts; ++part)
                if (copies[{r, {root, part}}] != 1) return "a rank without a chunk, or with two";
    return "";
}

/// Networks of up to 30 ranks with and without switches, with their names.
inline std::vector<std::pair<std::string, topology::network>> some_networks() {
    constexpr topology::network::cable fast{.bandwidth = 300'000'000'000, .latency = 350'000},
        slow{.bandwidth = 25'000'000'000, .latency = 1'000'000};
    const rank_t two[] = {3, 4}, three[] = {2, 3, 5};
    const topology::network::cable cables[] = {fast, slow};
    namespace networks = topology::networks;
    return {{"one rank", topology::network(1, 0, {})},
            {"ring of 2", networks::ring(2, fast)},
            {"ring of 7", networks::ring(7, slow)},
            {"mesh", networks::mesh(two, cables)},
            {"torus", networks::torus(three, fast)},
            {"one direction", networks::generalized_kautz(13, 2, slow)},
            {"leaf and spine",
             networks::leaf_spine(
                 {.leaves = 3, .ranks_per_leaf = 4, .spines = 2, .rank_cable = fast, .uplink_cable = slow})},
            {"fat tree", networks::fat_tree(4, slow)},
            {"boxes", networks::boxes({.boxes = 2,
                                       .ranks_per_box = 8,
                                       .nics_per_box = 4,
                                       .rank_cable = fast,
                                       .nic_cable = slow,
                                       .rail_cable = slow})}};
}

}  // namespace support::transfer_oracle
