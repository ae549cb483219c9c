#include "collsched/format/clusters/read_network.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/topology/throughput_bound.hpp"
#include "support/refusal.hpp"

using namespace collsched;
using topology::network;

namespace {

const std::filesystem::path clusters = "test/data/clusters";

text_file platform(const std::string& content) { return {"f", "<platform version='4.1'>\n" + content + "</platform>"}; }
text_file cluster_of(const std::string& hosts, const std::string& more) {
    return platform("<cluster id='c' prefix='h' suffix='' radical='" + hosts + "' speed='1f' bw='1Gbps' lat='1us' " +
                    more + "/>");
}
fraction bound(const network& net, collective what) {
    const topology::network::cut_bound found = topology::throughput_bound(net, what);
    CHECK(!found.error);
    return found.bandwidth;
}
std::string refusal(const text_file& file) {
    return support::refusal_of([&] { read_network(file); });
}
std::string refusal(const std::string& content) { return refusal(platform(content)); }

/// The bytes per second of 1 Gbit/s.
constexpr std::int64_t gigabit = 125'000'000;

}  // namespace

TEST_CASE("simgrid_network: bounds of three cabinets of 92 hosts are those of a host's link") {
    const network net = read_network(clusters / "griffon_like.xml");
    CHECK(net.ranks() == 92);
    CHECK(net.name(0) == std::string_view("griffon-1"));
    CHECK(net.name(91) == std::string_view("griffon-92"));
    // A router and two ends of a backbone per cabinet, and two ends of the backbone between the cabinets.
    CHECK(net.switches() == 3 * 3 + 2);
    // Two links per host, a backbone and two links of the router per cabinet, and the backbone with two per router.
    CHECK(net.links().size() == 2 * 92 + 3 * 3 + 1 + 2 * 3);
    // A host receives 91 of 92 blocks over its link. Cuts of 10 Gbit/s separate at least 28 of 92 blocks, so that they
    // allow 10 * 92 / 64 Gbit/s or more.
    CHECK(bound(net, collective::allgather) == fraction(gigabit * 92, 91));
    CHECK(bound(net, collective::reduce_scatter) == fraction(gigabit * 92, 91));
    CHECK(bound(net, collective::broadcast) == fraction(gigabit, 1));
    CHECK(bound(net, collective::reduce) == fraction(gigabit, 1));
    // Hosts receive 92 Gbit/s together, and 2 * 91 messages of an allreduce.
    CHECK(bound(net, collective::allreduce) == fraction(gigabit * 92, 2 * 91));
}

TEST_CASE("simgrid_network: bounds of eight hosts on a switch are those of a host's link or of the backbone") {
    for (const std::string more : {"", "bb_bw='10Gbps'", "bb_bw='1kBps' bb_sharing_policy='FATPIPE'"}) {
        const network net = read_network(cluster_of("0-7", more));
        CHECK(bound(net, collective::allgather) == fraction(gigabit * 8, 7));
        CHECK(bound(net, collective::broadcast) == fraction(gigabit, 1));
        CHECK(bound(net, collective::allreduce) == fraction(gigabit * 8, 14));
    }
    // 7 of 8 blocks pass the backbone on their way to the last host.
    const network narrow = read_network(cluster_of("0-7", "bb_bw='0.1Gbps'"));
    CHECK(bound(narrow, collective::allgather) == fraction(gigabit / 10 * 8, 7));
    CHECK(bound(narrow, collective::broadcast) == fraction(gigabit / 10, 1));
}

TEST_CASE("simgrid_network: bounds of a fat tree with trunks of half the bandwidth") {
    // Two leaves of four hosts, each with one cable to each of two spines.
    const network net = read_network(cluster_of("0-7", "topology='FAT_TREE' topo_parameters='2;4,2;1,2;1,1'"));
    CHECK(net.switches() == 4);
    CHECK(net.links().size() == 2 * (8 + 4));
    // A host receives 7 of 8 blocks. The two cables of a leaf carry 4 of 8 blocks, which allows 4 Gbit/s.
    CHECK(bound(net, collective::allgather) == fraction(gigabit * 8, 7));
    // If hosts have eight times the bandwidth, the two cables of a leaf are the limit: 2 Gbit/s for 4 of 8 blocks.
    std::vector<network::link> links(net.links().begin(), net.links().end());
    for (network::link& one : links)
        if (!net.is_switch(one.from) || !net.is_switch(one.to)) one.bandwidth *= 8;
    CHECK(bound(network(8, 4, links), collective::allgather) == fraction(2 * gigabit * 8, 4));
}

TEST_CASE("simgrid_network: bounds of tori are those of the links of a host") {
    // Four cables lead to each host of 3 x 3, and three to each host of 4 x 2, where a dimension of two has one.
    const network square = read_network(cluster_of("0-8", "topology='TORUS' topo_parameters='3,3'"));
    CHECK(square.switches() == 0);
    CHECK(bound(square, collective::allgather) == fraction(4 * gigabit * 9, 8));
    CHECK(bound(square, collective::broadcast) == fraction(4 * gigabit, 1));
    CHECK(bound(square, collective::allreduce) == fraction(4 * gigabit * 9, 16));
    const network flat = read_network(cluster_of("0-7", "topology='TORUS' topo_parameters='4,2'"));
    CHECK(bound(flat, collective::allgather) == fraction(3 * gigabit * 8, 7));
}

TEST_CASE("simgrid_network: bounds of a dragonfly are those of its cables") {
    // Two groups of two routers of two hosts. The blue cable between the groups has the bandwidth of a host's link, and
    // carries 4 of 8 blocks.
    const network net = read_network(cluster_of("0-7", "topology='DRAGONFLY' topo_parameters='2,1;1,1;2,1;2'"));
    CHECK(bound(net, collective::allgather) == fraction(gigabit * 8, 7));
    CHECK(bound(net, collective::broadcast) == fraction(gigabit, 1));
}

TEST_CASE("simgrid_network: bandwidths are exact, and latencies rounded to picoseconds") {
    const network net = read_network(platform(
        "<cluster id='c' prefix='h' suffix='' radical='0' speed='1f' bw='1.999999999999999PBps' lat='0.0000015us'/>"));
    CHECK(net.links()[0].bandwidth == 1'999'999'999'999'999);
    CHECK(net.links()[0].latency == 2);
}

TEST_CASE("simgrid_network: platforms that describe no network of capacities are errors of one line") {
    const std::string hosts = "<host id='a' speed='1f'/><host id='b' speed='1f'/>";
    CHECK(
        refusal("<zone id='z' routing='Vivaldi'><peer id='a' speed='1f' bw_in='1MBps' bw_out='1MBps' "
                "coordinates='0 0 0'/></zone>") ==
        "f:2: routing: got \"Vivaldi\", expected another routing: its latencies are distances of hosts, and not those "
        "of links");
    CHECK(
        refusal(
            "<zone id='z' routing='Full'>" + hosts +
            "\n<link id='l' bandwidth='3bps' latency='0'/><route src='a' dst='b'><link_ctn id='l'/></route></zone>") ==
        "f:3: bandwidth: got \"3bps\", expected a decimal number that is a whole number of bytes per second, 1 to "
        "2e15");
    CHECK(
        refusal(
            "<zone id='z' routing='Full'>" + hosts +
            "<link id='l' bandwidth='8bps' sharing_policy='FATPIPE'/><route src='a' dst='b'><link_ctn id='l'/></route>"
            "</zone>")
            .starts_with("f:2: got a path to \""));
    CHECK(refusal("<zone id='z' routing='Full'/>") == "f:1: got no host, expected one or more");
    CHECK(refusal(text_file{"f", "<platform"}).starts_with("f:1: got "));
    CHECK(refusal(text_file{"f", ""}) ==
          "f:1: got nothing in it, expected a network or cluster in JSON, a SimGrid platform, or output of "
          "ibnetdiscover");
    CHECK(refusal(read_text_file(clusters / "broken_torus.xml")).find("topo_parameters") != std::string::npos);
}

TEST_CASE("simgrid_network: links that join no vertices may have any bandwidth") {
    const network net = read_network(platform(
        "<zone id='z' routing='Full'><host id='a' speed='1f'/><host id='b' speed='1f'/>"
        "<link id='l' bandwidth='8bps'/><link id='s' bandwidth='1000EBps'/><link id='t' bandwidth='3bps'/>"
        "<route src='a' dst='b'><link_ctn id='l'/></route><route src='a' dst='a'><link_ctn id='s'/></route></zone>"));
    CHECK(net.ranks() == 2);
}

TEST_CASE("simgrid_network: hosts without routes are ranks without links") {
    const network net = read_network(platform(
        "<zone id='z' routing='Full'><host id='a' speed='1f'/><host id='b' speed='1f'/><router id='r'/></zone>"));
    CHECK(net.ranks() == 2);
    CHECK(net.switches() == 0);
    CHECK(topology::throughput_bound(net, collective::allgather).error);
}

TEST_CASE("simgrid_network: damaged platforms are read, or give one error of one line") {
    std::minstd_rand random(7);
    int errors = 0, networks = 0;
    const auto try_to_read = [&](const text_file& file) {
        try {
            const network net = read_network(file);
            CHECK(!net.check());
            ++networks;
        } catch (const input_error& error) {
            CHECK(std::string_view(error.what()).find('\n') == std::string_view::npos);
            CHECK(std::string_view(error.what()).starts_with("f:"));
            ++errors;
        }
    };
    const std::string_view bytes = "<>/='\";,.-0159 \nxUPe\x80";
    for (const std::filesystem::path& folder : {clusters, clusters / "simgrid"}) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().extension() != ".xml") continue;
            const std::string text = read_text_file(entry.path()).text;
            for (std::size_t end = random() % 97; end < text.size(); end += 97) try_to_read({"f", text.substr(0, end)});
            for (int i = 0; i < 50; ++i) {
                std::string damaged = text;
                for (int k = 0; k <= i % 3; ++k) damaged[random() % damaged.size()] = bytes[random() % bytes.size()];
                try_to_read({"f", damaged});
            }
        }
    }
    CHECK(errors > 100);
    CHECK(networks > 100);
}
