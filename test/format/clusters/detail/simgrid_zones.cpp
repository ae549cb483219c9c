#include "collsched/format/clusters/detail/simgrid_zones.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/clusters/detail/simgrid_cluster.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

text_file platform(std::string_view text) {
    return {"f", "<platform version='4.1'>\n" + std::string(text) + "</platform>"};
}
void refused(std::string_view text, std::string_view line) {
    const text_file file = platform(text);
    CHECK_THROWS_WITH_AS(simgrid_zones(file, 0), ("f:" + std::string(line)).c_str(), input_error);
}
std::string cluster_of(std::string_view id, std::string_view radical, std::string_view more = "") {
    const std::string name(id);
    return "<cluster id='" + name + "' prefix='" + name + "' suffix='.x' radical='" + std::string(radical) +
           "' speed='1f' bw='1MBps' lat='1us' " + std::string(more) + "/>\n";
}
std::vector<std::string> names(const simgrid_zones& zones) {
    std::vector<std::string> list;
    for (rank_t c = 0; c < zones.builder.nodes(); ++c) list.push_back(zones.builder.name(c));
    return list;
}

}  // namespace

TEST_CASE("simgrid_zones: zones, clusters, cabinets and switches of fat trees are switches, hosts nodes") {
    const text_file file = platform(
        "<config id='General'><prop id='a' value='b'/></config>\n"
        "<zone id='top' routing='Full'>\n<prop id='a' value='b'/>\n"
        "<zone id='empty' routing='Full'><router id='r'/></zone>\n"
        "<zone id='cabinets' routing='Cluster'>\n"
        "<cabinet id='k' prefix='k' suffix='' radical='7,3' speed='1f' bw='1MBps' lat='1us'/>\n"
        "<cabinet id='k' prefix='l' suffix='' radical='1' speed='1f' bw='1MBps' lat='1us'/></zone>\n" +
        cluster_of("f", "0-3", "topology='FAT_TREE' topo_parameters='2;2,2;1,1;1,1'") +
        "<AS id='old' routing='None'><host id='h' speed='1f'><prop id='a' value='b'/><disk/></host></AS>\n</zone>");
    simgrid_zones zones(file, 5);
    CHECK(names(zones) == std::vector<std::string>{"k7", "k3", "l1", "f0.x", "f1.x", "f2.x", "f3.x", "h"});
    const std::vector<std::string> switches{"top", "cabinets", "k", "k", "f", "f/0", "f/1", "old"};
    const std::vector<rank_t> parents{-1, 0, 1, 1, 0, 4, 4, 0}, homes{2, 2, 3, 5, 5, 6, 6, 7};
    for (std::size_t e = 0; e < switches.size(); ++e) {
        CHECK(zones.builder.switch_name(static_cast<rank_t>(e)) == switches[e]);
        CHECK(zones.builder.parent(static_cast<rank_t>(e)) == parents[e]);
    }
    CHECK(zones.builder.parents().size() == switches.size() - 1);
    for (std::size_t c = 0; c < homes.size(); ++c) CHECK(zones.builder.home(static_cast<rank_t>(c)) == homes[c]);
    CHECK(zones.platform.zones.size() == 5);
}

TEST_CASE("simgrid_zones: three of several alike hosts represent all") {
    const text_file file =
        platform("<zone id='z' routing='Full'>\n" + cluster_of("a", "1-5") +
                 cluster_of("f", "0-15", "topology='FAT_TREE' topo_parameters='2;4,4;1,1;1,1'") + "</zone>");
    const simgrid_zones zones(file, 0);
    const std::vector<rank_t> like{0, 1, 2, 2, 2, 5, 6, 7, 7, 9, 10, 11, 11, 13, 14, 15, 15, 13, 14, 15, 15};
    CHECK(zones.like == like);
}

TEST_CASE("simgrid_zones: no hosts are alike beside a host that is a gateway") {
    const text_file file =
        platform("<zone id='z' routing='Full'>\n" + cluster_of("a", "1-5") + cluster_of("b", "1-5") +
                 "<link id='l' bandwidth='1MBps'/>\n"
                 "<zoneRoute src='a' dst='b' gw_src='a5.x' gw_dst='bb_router.x'><link_ctn id='l'/></zoneRoute></zone>");
    const simgrid_zones zones(file, 0);
    CHECK(zones.like == std::vector<rank_t>{0, 1, 2, 3, 4, 5, 6, 7, 7, 7});
}

TEST_CASE("simgrid_zones: routers of clusters have the names that SimGrid gives them, or given ones") {
    const text_file file = platform("<zone id='z' routing='Full'>\n" + cluster_of("a", "1") +
                                    cluster_of("b", "1", "router_id='out'") + "</zone>");
    const simgrid_zones zones(file, 0);
    CHECK(zones.platform.point_names.contains("aa_router.x"));
    CHECK(zones.platform.point_names.contains("out"));
    CHECK(zones.platform.point_names.size() == 4);
}

TEST_CASE("simgrid_zones: elements that affect no route are passed over") {
    const text_file file = platform(
        "<config/><random/><trace/><zone id='z' routing='Full'><prop/><storage_type/><storage/><trace/>"
        "<host id='a' speed='1f,2f' core='2' pstate='1' coordinates='x' speed_file='s' availability_file='a' "
        "state_file='b'><prop/><disk/><mount/></host>"
        "<link id='l' bandwidth='1MBps' bandwidth_file='b' latency_file='l' state_file='s'><prop/></link>"
        "<trace_connect/></zone><trace_connect/><actor/><process/>");
    const simgrid_zones zones(file, 0);
    CHECK(names(zones) == std::vector<std::string>{"a"});
    CHECK(zones.platform.links.size() == 1);
}

TEST_CASE("simgrid_zones: unsupported elements are rejected with their line") {
    refused("<zone id='z'\n routing='Wifi'/>",
            "3: routing: got \"Wifi\", expected Full, Floyd, Dijkstra, DijkstraCache, Vivaldi, Cluster, None");
    refused("<zone id='z' routing='Full'><host id='h' speed='1f'/>\n<include file='x'/></zone>",
            "3: got <include> in <zone>, expected zones, clusters, cabinets, hosts, peers, routers, links, routes, "
            "bypasses, profiles");
    refused("<include/>",
            "2: got <include> in <platform>, expected <config>, <random>, <zone>, <AS>, <cluster>, <trace>, "
            "<trace_connect>, <actor>, <process>");
    refused("<zone id='z' routing='Full'><link id='l' bandwidth='1MBps' sharing_policy='WIFI'/></zone>",
            "2: sharing_policy: got \"WIFI\", expected SHARED, SPLITDUPLEX, FULLDUPLEX, FATPIPE");
    refused("<zone id='z' routing='Full'><link id='l' bandwidth='1MBps,2MBps'/></zone>",
            "2: bandwidth: got \"1MBps,2MBps\", expected a bandwidth such as 125MBps, 1e-9 to 2e9 MB/s");
    refused("<zone id='z' routing='Full'>\n<peer id='p'/></zone>",
            "3: got <peer> in <zone>, expected routing Vivaldi with it");
    refused("<zone id='z' routing='Vivaldi'>\n" + cluster_of("c", "1") + "</zone>",
            "3: got <cluster> in <zone>, expected no zones where routing is Vivaldi");
    refused("<zone id='z' routing='Vivaldi'>\n<host id='h' speed='1f'/></zone>",
            "3: got <host> without coordinates, expected coordinates=\"...\"");
}

TEST_CASE("simgrid_zones: peers have links and distances") {
    const std::string peer = "<peer id='{}' speed='1f' bw_in='1MBps' bw_out='2MBps' coordinates='{} 0 {}'/>";
    const text_file file =
        platform("<zone id='z' routing='Vivaldi'>" + fmt::format(fmt::runtime(peer), "p", 3, 1) +
                 fmt::format(fmt::runtime(peer), "q", -1, -2) + "<router id='r' coordinates='3 3 0'/></zone>");
    const simgrid_zones zones(file, 0);
    REQUIRE(zones.platform.links.size() == 10);  // two of each peer, and of three points with each other and themselves
    const auto way = [&](rank_t p, rank_t q) {
        link_route found;
        zones.platform.find_route(p, q, found);
        lob_model::link_cost sum;
        for (const std::int32_t l : found) sum = in_series(sum, zones.platform.links[static_cast<std::size_t>(l)].cost);
        return sum;
    };
    CHECK(way(0, 1) == lob_model::link_cost{7'000'000'000, 1'000'000'000});
    CHECK(way(1, 0) == lob_model::link_cost{7'000'000'000, 1'000'000'000});
    CHECK(way(0, 2) == lob_model::link_cost{4'000'000'000, 500'000'000});
    CHECK(way(0, 0) == lob_model::link_cost{2'000'000'000, 1'000'000'000});
    for (const contention_model::network::link& one : zones.platform.links) CHECK(one.shared == (one.cost.byte_fs > 0));
}

TEST_CASE("simgrid_zones: wrong structure is rejected with its line") {
    const std::string host = "<host id='h' speed='1f'/>\n";
    refused("", "1: got no host, expected one or more");
    refused("<zone id='z' routing='Full'/>", "1: got no host, expected one or more");
    refused("<zone routing='Full'/>", "2: got <zone> without id, expected id=\"...\"");
    refused("<zone id='z' routing='Full'>" + host + "</zone>\n<zone id='y' routing='Full'/>",
            "4: got <zone> in <platform>, expected one zone or cluster that holds all others");
    refused("<zone id='z' routing='Full'>" + host + cluster_of("c", "1") + "</zone>",
            "3: got <cluster> in <zone>, expected zones or hosts in a zone, not both");
    refused("<zone id='z' routing='Cluster'>\n" + cluster_of("c", "1") + "</zone>",
            "3: got <cluster> in <zone>, expected no zones where routing is Cluster");
    refused("<zone id='z' routing='Full'>\n<backbone id='b' bandwidth='1MBps' latency='0'/></zone>",
            "3: got <backbone> in <zone>, expected routing Cluster with it");
    refused(
        "<zone id='z' routing='Cluster'><backbone id='b' bandwidth='1MBps'/>\n<backbone id='c' "
        "bandwidth='1MBps'/></zone>",
        "3: got a second <backbone>, expected one in a zone");
    refused("<zone id='z' routing='Full'>" + host + host + "</zone>",
            "3: got node \"h\" twice, expected every node once");
    refused("<zone id='z' routing='Full'>" + host + "<router id='h'/></zone>",
            "3: got \"h\" twice, expected every zone, host and router once");
    refused("<zone id='z' routing='Full'>" + host + "<router id='z'/></zone>",
            "3: got \"z\" twice, expected every zone, host and router once");
    refused("<zone id='z' routing='Full'>" + cluster_of("c", "1") + cluster_of("c", "2") + "</zone>",
            "3: got \"c\" twice, expected every zone, host and router once");
    refused("<zone id='z' routing='Full'><link id='l' bandwidth='1MBps'/>\n<link id='l' bandwidth='1MBps'/></zone>",
            "3: got link \"l\" twice, expected every link once");
    refused("<zone id='z' routing='Full'>" + host + "words</zone>",

            "3: got text \"words\", expected zones, clusters, cabinets, hosts, peers, routers, links, routes, "
            "bypasses, profiles");
    refused(cluster_of("c", "1,1"), "2: got node \"c1.x\" twice, expected every node once");
    std::string open, close;
    for (int i = 0; i < 17; ++i) {
        open += "<zone id='z" + std::to_string(i) + "' routing='None'>\n";
        close += "</zone>";
    }
    refused(open + close, "18: got zones in zones, expected at most 16 levels");
    refused(cluster_of("c", "1", "topology='FAT_TREE' topo_parameters='2;1,1;1,8;1,1048576'"),
            "2: got too many links, expected at most 2^24 of topologies and Vivaldi zones, counted each way");
}
