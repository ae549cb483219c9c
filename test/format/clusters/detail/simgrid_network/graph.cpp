#include "collsched/format/clusters/detail/simgrid_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/clusters/detail/simgrid_cluster.hpp"
#include "collsched/topology/networks.hpp"
#include "support/graphs.hpp"

using namespace collsched;
using namespace collsched::detail;
using topology::network;

namespace {

network read(std::string_view content) {
    const text_file file{"f", "<platform version='4.1'>\n" + std::string(content) + "</platform>"};
    return simgrid_network(simgrid_zones(file, 0, simgrid_bandwidths::integral)).read();
}
std::vector<std::string> names(const network& net) {
    std::vector<std::string> all;
    for (rank_t v = 0; v < net.vertices(); ++v) all.emplace_back(net.name(v));
    return all;
}
std::string cluster_of(std::string_view radical, std::string_view more, std::string_view id = "c") {
    return "<cluster id='" + std::string(id) + "' prefix='" + std::string(id) + "' suffix='' radical='" +
           std::string(radical) + "' speed='1f' bw='4Bps' lat='1us' " + std::string(more) + "/>";
}
/// A square matrix with a value of the links from each vertex to each other one, composed along the best path.
template <class Value, class Compose, class Better>
std::vector<std::vector<std::int64_t>> best_paths(const network& net, std::int64_t none, Value value, Compose compose,
                                                  Better better) {
    const auto n = static_cast<std::size_t>(net.vertices());
    std::vector best(n, std::vector<std::int64_t>(n, none));
    const auto improve = [&](std::int64_t& old, std::int64_t found) {
        if (better(found, old)) old = found;
    };
    for (const network::link& one : net.links())
        improve(best[static_cast<std::size_t>(one.from)][static_cast<std::size_t>(one.to)], value(one));
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) improve(best[i][j], compose(best[i][k], best[k][j]));
    return best;
}

constexpr std::int64_t us = 1'000'000;

}  // namespace

TEST_CASE("simgrid_network: a star without backbone is its router and two links per host") {
    const network net = read(cluster_of("0-2", ""));
    CHECK(names(net) == std::vector<std::string>{"c0", "c1", "c2", "cc_router"});
    CHECK(support::sorted_links(net) ==
          std::vector<network::link>{
              {0, 3, 4, us}, {1, 3, 4, us}, {2, 3, 4, us}, {3, 0, 4, us}, {3, 1, 4, us}, {3, 2, 4, us}});
    CHECK(names(read(cluster_of("0,1", "router_id='r'"))).back() == "r");
}

TEST_CASE("simgrid_network: all data of a star passes its backbone") {
    const network net = read(cluster_of("0,1", "bb_bw='6Bps' bb_lat='2us'"));
    CHECK(names(net) == std::vector<std::string>{"c0", "c1", "c_backbone", "c_backbone_out"});
    CHECK(support::sorted_links(net) ==
          std::vector<network::link>{{0, 2, 4, us}, {1, 2, 4, us}, {2, 3, 6, 2 * us}, {3, 0, 4, us}, {3, 1, 4, us}});
    const network pipe = read(cluster_of("0,1", "bb_bw='6Bps' bb_sharing_policy='FATPIPE'"));
    CHECK(support::sorted_links(pipe)[2] == network::link{2, 3, 4 * 4, 0});
}

TEST_CASE("simgrid_network: a SHARED link has one capacity for both directions") {
    const network net = read(cluster_of("0,1", "sharing_policy='SHARED'"));
    CHECK(names(net) ==
          std::vector<std::string>{"c0", "c1", "cc_router", "c0_link", "c0_link_out", "c1_link", "c1_link_out"});
    CHECK(support::sorted_links(net) == std::vector<network::link>{{0, 3, 4, 0},
                                                                   {1, 5, 4, 0},
                                                                   {2, 3, 4, 0},
                                                                   {2, 5, 4, 0},
                                                                   {3, 4, 4, us},
                                                                   {4, 0, 4, 0},
                                                                   {4, 2, 4, 0},
                                                                   {5, 6, 4, us},
                                                                   {6, 1, 4, 0},
                                                                   {6, 2, 4, 0}});
}

TEST_CASE("simgrid_network: a limiter is passed by all data of a vertex") {
    const network star = read(cluster_of("0", "limiter_link='3Bps'"));
    CHECK(names(star) == std::vector<std::string>{"c0", "cc_router", "c0_limiter", "c0_limiter_out"});
    CHECK(support::sorted_links(star) ==
          std::vector<network::link>{{0, 2, 3, 0}, {1, 2, 4, us}, {2, 3, 3, 0}, {3, 0, 3, 0}, {3, 1, 4, us}});
    const network ring = read(cluster_of("0-1", "limiter_link='3Bps' topology='TORUS' topo_parameters='2'"));
    CHECK(names(ring) ==
          std::vector<std::string>{"c0", "c1", "c_limiter_0", "c_limiter_0_out", "c_limiter_1", "c_limiter_1_out"});
    CHECK(std::count(ring.links().begin(), ring.links().end(), network::link{3, 4, 4, us}) == 1);
    CHECK(std::count(ring.links().begin(), ring.links().end(), network::link{5, 2, 4, us}) == 1);
    CHECK(ring.links().size() == 2 + 2 * 3);
}

TEST_CASE("simgrid_network: topologies have the cables of SimGrid") {
    const network torus = read(cluster_of("0-5", "topology='TORUS' topo_parameters='3,2'"));
    CHECK(torus.switches() == 0);
    CHECK(torus.links().size() == 2 * (6 + 3));
    CHECK(support::is_bidirectional(torus));
    CHECK(support::diameter(torus) == 2);

    const network tree = read(cluster_of("0-7", "topology='FAT_TREE' topo_parameters='2;4,2;1,2;1,3'"));
    CHECK(names(tree)[8] == "c_switch_0");
    CHECK(tree.switches() == 2 + 2);
    CHECK(tree.links().size() == 2 * (8 + 2 * 2 * 3));
    CHECK(support::is_bidirectional(tree));
    CHECK(support::diameter(tree) == 4);

    const network fly = read(cluster_of("0-7", "topology='DRAGONFLY' topo_parameters='2,5;1,1;2,3;2'"));
    CHECK(fly.switches() == 4);
    CHECK(fly.links().size() == 2 * (8 + 2 + 1));
    CHECK(support::is_bidirectional(fly));
    std::vector<std::int64_t> bandwidths;
    for (const network::link& one : fly.links()) bandwidths.push_back(one.bandwidth);
    for (const auto& [bandwidth, count] : {std::pair(4, 16), std::pair(12, 4), std::pair(20, 2)})
        CHECK(std::count(bandwidths.begin(), bandwidths.end(), bandwidth) == count);

    const network shared = read(cluster_of("0-1", "topology='TORUS' topo_parameters='2' sharing_policy='SHARED'"));
    CHECK(names(shared) == std::vector<std::string>{"c0", "c1", "c_cable_0", "c_cable_0_out"});
    CHECK(shared.links().size() == 5);
}

TEST_CASE("simgrid_network: directions of split links are links, in routes of every routing") {
    for (const std::string routing : {"Full", "Floyd", "Dijkstra", "DijkstraCache"}) {
        const network net = read("<zone id='z' routing='" + routing +
                                 "'><host id='a' speed='1f'/><router id='r'/><host id='b' speed='1f'/>"
                                 "<link id='l' bandwidth='8Bps' latency='1us' sharing_policy='SPLITDUPLEX'/>"
                                 "<link id='m' bandwidth='9Bps' latency='2us' sharing_policy='SPLITDUPLEX'/>"
                                 "<route src='a' dst='r'><link_ctn id='l' direction='UP'/></route>"
                                 "<route src='r' dst='b'><link_ctn id='m' direction='UP'/></route></zone>");
        CHECK(names(net) == std::vector<std::string>{"a", "b", "r"});
        CHECK(support::sorted_links(net) ==
              std::vector<network::link>{{0, 2, 8, us}, {1, 2, 9, 2 * us}, {2, 0, 8, us}, {2, 1, 9, 2 * us}});
    }
}

TEST_CASE("simgrid_network: routers of zones are vertices between the zones") {
    const network net =
        read("<zone id='z' routing='Full'>" + cluster_of("0,1", "bb_bw='6Bps'", "x") + cluster_of("0", "", "y") +
             "<link id='l' bandwidth='5Bps' latency='2us'/>"
             "<zoneRoute src='x' dst='y' gw_src='xx_router' gw_dst='yy_router'><link_ctn id='l'/>"
             "</zoneRoute></zone>");
    CHECK(names(net) == std::vector<std::string>{"x0", "x1", "y0", "xx_router", "yy_router", "x_backbone",
                                                 "x_backbone_out", "l", "l_out"});
    CHECK(support::sorted_links(net) == std::vector<network::link>{{0, 5, 4, us},
                                                                   {1, 5, 4, us},
                                                                   {2, 4, 4, us},
                                                                   {3, 5, 6, 0},
                                                                   {3, 7, 5, 0},
                                                                   {4, 2, 4, us},
                                                                   {4, 7, 5, 0},
                                                                   {5, 6, 6, 0},
                                                                   {6, 0, 4, us},
                                                                   {6, 1, 4, us},
                                                                   {6, 3, 6, 0},
                                                                   {7, 8, 5, 2 * us},
                                                                   {8, 3, 5, 0},
                                                                   {8, 4, 5, 0}});
}

TEST_CASE("simgrid_network: every route of SimGrid has a path with no more latency and no less bandwidth") {
    int platforms = 0;
    for (const auto& entry : std::filesystem::directory_iterator("test/data/clusters/simgrid")) {
        if (entry.path().extension() != ".xml") continue;
        // SimGrid's routes in dragonflies omit the cable from another chassis to the first one.
        if (entry.path().filename().string().find("dragonfly") != std::string::npos) continue;
        const text_file file = read_text_file(entry.path());
        std::vector<rank_t> points;
        network net;
        try {
            const simgrid_zones exact(file, 0, simgrid_bandwidths::integral);
            net = simgrid_network(exact).read();
            points = exact.point_of;
        } catch (const input_error&) {
            continue;  // FATPIPE, Vivaldi and fractions of bytes per second
        }
        ++platforms;
        const auto plus = [](std::int64_t a, std::int64_t b) { return a + b; };
        const auto less = [](std::int64_t a, std::int64_t b) { return a < b; };
        const auto smaller = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };
        const auto latencies =
            best_paths(net, std::int64_t{1} << 60, [](const network::link& l) { return l.latency; }, plus, less);
        const auto bandwidths =
            best_paths(net, 0, [](const network::link& l) { return l.bandwidth; }, smaller, std::greater<>());
        const simgrid_zones zones(file, 0);
        simgrid_ways ways(zones.platform);
        bool holds = true;
        for (std::size_t a = 0; a < points.size(); ++a) {
            for (std::size_t b = 0; b < points.size(); ++b) {
                if (a == b) continue;
                const lob_model::link_cost way = ways.way(points[a], points[b]);
                // The rate of the model is rounded to femtoseconds per byte.
                const auto byte_fs = static_cast<std::int64_t>(1e15) / bandwidths[a][b];
                holds = holds && latencies[a][b] <= way.latency_ps && byte_fs <= way.byte_fs + 1;
            }
        }
        CHECK_MESSAGE(holds, entry.path());
    }
    CHECK(platforms >= 15);
}

TEST_CASE("simgrid_network: the first coordinate of a torus varies fastest, and in networks::torus the last") {
    constexpr rank_t forward[] = {3, 4, 5}, backward[] = {5, 4, 3};
    const auto joined = [](const network& net) {
        std::set<std::pair<rank_t, rank_t>> pairs;
        for (const network::link& link : net.links()) pairs.emplace(link.from, link.to);
        return pairs;
    };
    const auto of_file = joined(read(cluster_of("0-59", "topology='TORUS' topo_parameters='3,4,5'")));
    CHECK(of_file == joined(topology::networks::torus(backward, network::cable{})));
    CHECK(of_file != joined(topology::networks::torus(forward, network::cable{})));
}
