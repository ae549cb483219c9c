#include "collsched/format/clusters/detail/simgrid_cluster.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/brief.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

text_file platform(std::string_view text) {
    return {"f", "<platform version='4.1'>\n<zone id='z' routing='Full'>\n" + std::string(text) + "</zone></platform>"};
}
cluster read(std::string_view text, const cluster::defaults& defaults = {}) {
    return read_simgrid_cluster(platform(text), defaults);
}
std::string cluster_of(std::string_view id, int hosts, std::string_view more = "") {
    const std::string name(id);
    return "<cluster id='" + name + "' prefix='" + name + "' suffix='' radical='0-" + std::to_string(hosts - 1) +
           "' speed='1f' bw='125MBps' lat='50us' " + std::string(more) + "/>\n";
}
std::string link(std::string_view id, std::string_view bandwidth, std::string_view latency) {
    return fmt::format("<link id='{}' bandwidth='{}' latency='{}'/>\n", id, bandwidth, latency);
}
std::string zone_route(std::string_view from, std::string_view to, std::string_view link_id, std::string_view out = "",
                       std::string_view in = "", std::string_view more = "") {
    const std::string gw_src = out.empty() ? fmt::format("{0}{0}_router", from) : std::string(out);
    const std::string gw_dst = in.empty() ? fmt::format("{0}{0}_router", to) : std::string(in);
    return fmt::format("<zoneRoute src='{}' dst='{}' gw_src='{}' gw_dst='{}' {}><link_ctn id='{}'/></zoneRoute>\n",
                       from, to, gw_src, gw_dst, more, link_id);
}

/// Zones with routing Floyd and Vivaldi, a torus, a dragonfly and a host, with routes and bypasses between them.
std::string every_kind() {
    std::string text =
        "<zone id='g' routing='Floyd'><host id='a' speed='1f'/><host id='b' speed='1f'/><router id='r'/>" +
        link("l", "1GBps", "1us") +
        "<route src='a' dst='r'><link_ctn id='l'/></route><route src='r' dst='b'><link_ctn id='l'/></route></zone>"
        "<zone id='v' routing='Vivaldi'>"
        "<peer id='p' speed='1f' bw_in='1MBps' bw_out='2MBps' coordinates='0 0 0'/>"
        "<peer id='q' speed='1f' bw_in='1MBps' bw_out='2MBps' coordinates='0 2 1'/></zone>" +
        cluster_of("t", 4, "topology='TORUS' topo_parameters='2,2'") +
        cluster_of("d", 4, "topology='DRAGONFLY' topo_parameters='1,1;2,1;2,1;1' loopback_bw='1GBps'") +
        "<zone id='n' routing='None'><host id='solo' speed='1f'/></zone>" + link("x", "1GBps", "7us");
    const std::pair<const char*, const char*> ends[] = {
        {"g", "a"}, {"v", "p"}, {"t", "t0"}, {"d", "d1"}, {"n", "solo"}};
    for (const auto& [from, out] : ends)
        for (const auto& [to, in] : ends)
            if (std::string_view(from) < to) text += zone_route(from, to, "x", out, in);
    return text + "<bypassZoneRoute src='t' dst='g' gw_src='t1' gw_dst='a'><link_ctn id='x'/></bypassZoneRoute>";
}

/// (latency in us, fs per byte) between nodes of these names.
std::pair<double, std::int64_t> path(const cluster& c, std::string_view a, std::string_view b) {
    const rank_t i = c.find(a).value(), j = c.find(b).value();
    return {static_cast<double>(c.cost.latency(i, j)) / 1e6, c.cost.byte_fs(i, j)};
}
using us_fs = std::pair<double, std::int64_t>;

void check_clean(const cluster& c) {
    CHECK(c.cost.switches().check() == argument_error{});
    CHECK(c.cost.check() == argument_error{});
    CHECK(c.names.size() == static_cast<std::size_t>(c.cost.switches().nodes()));
    CHECK(c.switch_names.size() == static_cast<std::size_t>(c.cost.switches().switches()));
}

}  // namespace

// SimGrid 3.32 gives the same figures for the same platforms.

TEST_CASE("simgrid_cluster: values out of range are errors for links that routes between hosts have") {
    const std::string hosts = "<host id='a' speed='1f'/><host id='b' speed='1f'/>" + link("wire", "50MBps", "20us") +
                              "<route src='a' dst='b'><link_ctn id='wire'/></route>\n";
    const auto to_itself = [&](std::string_view bandwidth, std::string_view latency) {
        return hosts + link("self", bandwidth, latency) + "<route src='a' dst='a'><link_ctn id='self'/></route>\n";
    };
    for (const std::string_view bandwidth : {"1TBps", "1000EBps", "0", "1e-12MBps"}) {
        const cluster c = read(to_itself(bandwidth, "1e20s"));
        CHECK(path(c, "a", "b") == std::pair(20.0, std::int64_t{20'000'000}));
        for (const contention_model::network::link& one : c.links.links()) CHECK(one.cost.byte_fs >= 0);
    }
    CHECK_THROWS_WITH_AS(
        read("<host id='a' speed='1f'/><host id='b' speed='1f'/>\n" + link("wire", "1000EBps", "20us") +
             "<route src='a' dst='b'><link_ctn id='wire'/></route>\n"),
        "f:4: bandwidth: got \"1000EBps\", expected a bandwidth such as 125MBps, 1e-9 to 2e9 MB/s", input_error);
    // The loopbacks of clusters, and a bypass whose gateway is its host, which passes that host's loopback.
    const std::string_view loopbacks = "loopback_bw='1000EBps' loopback_lat='0us'";
    CHECK(read(cluster_of("c", 4, loopbacks)).names.size() == 4);
    CHECK(read(cluster_of("t", 4, "topology='TORUS' topo_parameters='2,2' " + std::string(loopbacks))).names.size() ==
          4);
    std::string bypass = every_kind();
    bypass.replace(bypass.find("loopback_bw='1GBps'"), 19, "loopback_bw='1EBps'");
    CHECK_THROWS_WITH_AS(read(bypass + "<bypassZoneRoute src='d' dst='g' gw_src='d0' gw_dst='a'><link_ctn id='x'/>"
                                       "</bypassZoneRoute>"),
                         doctest::Contains("loopback_bw: got \"1EBps\""), input_error);
}

TEST_CASE("simgrid_cluster: a path of a cluster goes up a host's link, over the backbone, down another's") {
    const cluster c = read(cluster_of("a", 5, "bb_bw='100MBps' bb_lat='7us'"), {.overhead_us = 2});
    check_clean(c);
    CHECK(c.name == "z");
    CHECK(c.cost.overhead(4) == 2'000'000);
    CHECK(path(c, "a0", "a4") == us_fs{107, 10'000'000});
    CHECK(path(c, "a3", "a4") == us_fs{107, 10'000'000});
    CHECK(path(read(cluster_of("a", 3)), "a0", "a2") == us_fs{100, 8'000'000});
    CHECK(path(read(cluster_of("a", 2, "limiter_link='20MBps'")), "a0", "a1") == us_fs{100, 50'000'000});
    CHECK(read(cluster_of("a", 2)).cost.overhead(0) == 0);
}

TEST_CASE("simgrid_cluster: clusters joined pairwise are a tree") {
    const cluster c = read(cluster_of("p", 3) + cluster_of("q", 2, "bb_bw='1GBps' bb_lat='6us'") + cluster_of("r", 40) +
                           link("x", "10MBps", "24us") + link("y", "50MBps", "40us") + zone_route("p", "q", "x") +
                           zone_route("p", "r", "x") + zone_route("r", "q", "y"));
    check_clean(c);
    CHECK(path(c, "p0", "p1") == us_fs{100, 8'000'000});
    CHECK(path(c, "p0", "q1") == us_fs{130, 100'000'000});
    CHECK(path(c, "q1", "q0") == us_fs{106, 8'000'000});
    CHECK(path(c, "r39", "p2") == us_fs{124, 100'000'000});
    CHECK(path(c, "r39", "q0") == us_fs{146, 20'000'000});
    CHECK(path(c, "r39", "r38") == us_fs{100, 8'000'000});
}

TEST_CASE("simgrid_cluster: clusters joined as no tree, or asymmetrically, are matrices") {
    const std::string four = cluster_of("p", 5) + cluster_of("q", 4) + cluster_of("r", 1) + cluster_of("s", 2) +
                             link("near", "1GBps", "10us") + link("far", "1MBps", "900us");
    const cluster c =
        read(four + zone_route("p", "q", "near") + zone_route("q", "r", "near") + zone_route("r", "s", "near") +
             zone_route("s", "p", "near") + zone_route("p", "r", "far") + zone_route("q", "s", "far"));
    check_clean(c);
    CHECK(path(c, "p4", "q3") == us_fs{110, 8'000'000});
    CHECK(path(c, "p4", "r0") == us_fs{1000, 1'000'000'000});
    CHECK(path(c, "s1", "q3") == us_fs{1000, 1'000'000'000});
    CHECK(path(c, "s1", "s0") == us_fs{100, 8'000'000});
    CHECK(c.cost.switches().switches() == 5);
    const cluster d = read(cluster_of("p", 5) + cluster_of("q", 4) + link("out", "1GBps", "10us") +
                           link("back", "1MBps", "900us") + zone_route("p", "q", "out", "", "", "symmetrical='NO'") +
                           zone_route("q", "p", "back", "", "", "symmetrical='NO'"));
    check_clean(d);
    CHECK(path(d, "p4", "q3") == us_fs{110, 8'000'000});
    CHECK(path(d, "q3", "p4") == us_fs{1000, 1'000'000'000});
}

TEST_CASE("simgrid_cluster: hosts may be gateways") {
    const cluster c = read("<zone id='one' routing='None'><host id='solo' speed='1f'/></zone>\n" + cluster_of("p", 5) +
                           cluster_of("f", 8, "topology='FAT_TREE' topo_parameters='2;4,2;1,1;1,1'") +
                           link("x", "1GBps", "1us") + zone_route("one", "p", "x", "solo", "p2") +
                           zone_route("p", "f", "x", "", "f3") + zone_route("one", "f", "x", "solo", "f5"));
    check_clean(c);
    CHECK(path(c, "solo", "p2") == us_fs{1, 1'000'000});
    CHECK(path(c, "solo", "p3") == us_fs{101, 8'000'000});
    CHECK(path(c, "p4", "solo") == us_fs{101, 8'000'000});
    CHECK(path(c, "p0", "f3") == us_fs{51, 8'000'000});
    CHECK(path(c, "p0", "f0") == us_fs{151, 8'000'000});
    CHECK(path(c, "p0", "f7") == us_fs{251, 8'000'000});
    CHECK(path(c, "solo", "f0") == us_fs{201, 8'000'000});
    CHECK(path(c, "f0", "f1") == us_fs{100, 8'000'000});
}

TEST_CASE("simgrid_cluster: zones nest, and one zone's cluster may be the gateway of another") {
    const cluster c =
        read("<zone id='A' routing='Full'>" + cluster_of("p", 3) + cluster_of("q", 3) + link("in", "1GBps", "30us") +
             zone_route("p", "q", "in") + "</zone>\n" + "<zone id='B' routing='None'>" + cluster_of("r", 3) +
             "</zone>\n" + link("out", "10MBps", "1ms") + zone_route("A", "B", "out", "qq_router", "rr_router"));
    check_clean(c);
    CHECK(c.cost.switches().levels() == 3);
    CHECK(path(c, "p0", "q0") == us_fs{130, 8'000'000});
    CHECK(path(c, "q0", "r0") == us_fs{1100, 100'000'000});
    CHECK(path(c, "p0", "r0") == us_fs{1130, 100'000'000});
}

TEST_CASE("simgrid_cluster: hosts may have routes to each other") {
    std::string text = "<host id='a' speed='1f'/><host id='b' speed='1f'/><host id='c' speed='1f'/>\n" +
                       link("a", "1MBps", "1us") + link("b", "2MBps", "20us") + link("c", "4MBps", "300us");
    for (const char* pair : {"ab", "bc", "ac"})
        text += fmt::format("<route src='{0}' dst='{1}'><link_ctn id='{0}'/><link_ctn id='{1}'/></route>\n", pair[0],
                            pair[1]);
    const cluster c = read(text);
    check_clean(c);
    CHECK(path(c, "a", "b") == us_fs{21, 1'000'000'000});
    CHECK(path(c, "c", "b") == us_fs{320, 500'000'000});
    CHECK(path(c, "a", "c") == us_fs{301, 1'000'000'000});
}

TEST_CASE("simgrid_cluster: one host is a cluster") {
    const cluster c = read("<host id='a' speed='1f'/>");
    check_clean(c);
    CHECK(c.names == std::vector<std::string>{"a"});
    check_clean(read(cluster_of("a", 1)));
}

TEST_CASE("simgrid_cluster: unconnected hosts are rejected") {
    const auto refused = [](const std::string& text, std::string_view line) {
        CHECK_THROWS_WITH_AS(read(text), std::string(line).c_str(), input_error);
    };
    refused(cluster_of("a", 2) + cluster_of("b", 2),
            "f:2: got no route from \"a0\" to \"b0\" in \"z\", expected routes between all hosts");
    refused("<host id='a' speed='1f'/><host id='b' speed='1f'/>",
            "f:2: got no route from \"a\" to \"b\" in \"z\", expected routes between all hosts");
    refused("<zone id='y' routing='None'><host id='a' speed='1f'/><host id='b' speed='1f'/></zone>",
            "f:3: got no route from \"a\" to \"b\" in \"y\", expected routes between all hosts");
    refused("<zone id='y' routing='Cluster'><host id='a' speed='1f'/><host id='b' speed='1f'/></zone>",
            "f:3: got no link from \"a\" to \"b\", expected one or more on every route");
    refused(cluster_of("a", 2) + cluster_of("b", 2) + link("x", "1MBps", "1us") +
                zone_route("a", "b", "x", "", "", "symmetrical='NO'"),
            "f:2: got no route from \"b0\" to \"a0\" in \"z\", expected routes between all hosts");
    CHECK_THROWS_WITH_AS(read(cluster_of("a", 2), {.overhead_us = -1}), "overhead_us: got -1, expected 0 to 1e12 us",
                         input_error);
}

TEST_CASE("simgrid_cluster: large platforms are read quickly, unless every pair counts") {
    const std::string big =
        cluster_of("a", 20'000) + cluster_of("b", 20'000) + link("x", "1GBps", "2us") + link("y", "1GBps", "3us");
    const cluster c = read(big + zone_route("a", "b", "x"));
    check_clean(c);
    CHECK(path(c, "a19999", "b19999") == us_fs{102, 8'000'000});
    CHECK_THROWS_WITH_AS(
        read(big + zone_route("a", "b", "x", "", "", "symmetrical='NO'") +
             zone_route("b", "a", "y", "", "", "symmetrical='NO'")),
        "f:2: got routes between 40000 hosts, which are not alike or make no tree, expected at most 4096", input_error);
}

TEST_CASE("simgrid_cluster: zones of every routing, clusters of every topology, and bypasses between them are read") {
    const cluster c = read(every_kind());
    check_clean(c);
    CHECK(c.names.size() == 2 + 2 + 4 + 4 + 1);
    CHECK(path(c, "a", "b") == us_fs{2, 1'000'000});
    CHECK(path(c, "p", "q") == us_fs{3000, 1'000'000'000});
    CHECK(path(c, "t0", "t3") == us_fs{100, 8'000'000});
    CHECK(path(c, "d0", "d3") == us_fs{200, 8'000'000});
    CHECK(path(c, "a", "p") == us_fs{7, 1'000'000});
    CHECK(path(c, "p", "a") == us_fs{7, 1'000'000});
    CHECK(path(c, "q", "a") == us_fs{3007, 1'000'000'000});
    CHECK(path(c, "a", "t0") == us_fs{7, 1'000'000});
    CHECK(path(c, "t0", "a") == us_fs{57, 8'000'000});  // the bypass begins with a host's route to itself
    CHECK(path(c, "solo", "d1") == us_fs{7, 1'000'000});
}

TEST_CASE("simgrid_cluster: every damaged platform is read or rejected with a one-line error") {
    const auto tried = [](const std::string& changed) {
        try {
            const cluster c = read_simgrid_cluster({"f", changed});
            check_clean(c);
            return true;
        } catch (const input_error& wrong) {
            const std::string line = wrong.what();
            const bool fine =
                line.starts_with("f:") &&
                (line.find(": got ") < line.find(", expected ") || line.find(" is required: ") != line.npos) &&
                !line.ends_with(' ') && line.find('\n') == line.npos;
            CHECK_MESSAGE(fine, line);
            return false;
        }
    };
    const std::string flat = cluster_of("p", 3, "bb_bw='1GBps'") +
                             cluster_of("f", 4, "topology='FAT_TREE' topo_parameters='2;2,2;1,1;1,1'") +
                             link("x", "1GBps", "1us") + zone_route("p", "f", "x", "", "f0");
    for (const std::string& text : {platform(flat).text, platform(every_kind()).text}) {
        REQUIRE(tried(text));
        for (std::size_t n = 0; n < text.size(); n += support::one_of()) CHECK(!tried(text.substr(0, n)));
        for (std::size_t i = 0; i < text.size(); i += support::one_of()) {
            tried(std::string(text).erase(i, 1));
            for (const char other : {'"', '\'', '<', '/', '0', '&', '\0', '\xff'}) {
                std::string changed = text;
                changed[i] = other;
                tried(changed);
            }
        }
    }
}

TEST_CASE("simgrid_cluster: the links of a cluster are those of the platform") {
    const cluster c =
        read_simgrid_cluster({"f",
                              "<platform version='4.1'><zone id='z' routing='Full'>"
                              "<cluster id='a' prefix='a' suffix='' radical='0-1' speed='1f' bw='125MBps' "
                              "lat='1us' bb_bw='1GBps' bb_lat='0'/>"
                              "<cluster id='b' prefix='b' suffix='' radical='0-2' speed='1f' bw='125MBps' "
                              "lat='1us' sharing_policy='SHARED'/>"
                              "<link id='w' bandwidth='1MBps' latency='1ms' sharing_policy='SPLITDUPLEX'/>"
                              "<zoneRoute src='a' dst='b' gw_src='aa_router' gw_dst='bb_router'>"
                              "<link_ctn id='w' direction='UP'/></zoneRoute></zone></platform>"});
    REQUIRE(c.links.nodes() == 5);
    const auto passes = [&](rank_t from, rank_t to) { return c.links.route(from, to); };
    CHECK(passes(0, 1).size() == 3);  // up, backbone, down
    CHECK(passes(0, 1)[1] == passes(1, 0)[1]);
    CHECK(passes(0, 1)[0] != passes(1, 0)[2]);
    CHECK(passes(2, 3)[0] == passes(3, 2)[1]);  // the same link both ways
    const link_route out = passes(0, 4), back = passes(4, 0);
    REQUIRE(out.size() == 4);  // up, backbone, between, down
    CHECK(out[2] != back[1]);
    CHECK(c.links.cost(out) == lob_model::link_cost{1'002'000'000, 1'000'000'000});
    CHECK(c.links.cost(back) == c.links.cost(out));
}

TEST_CASE("simgrid_cluster: loopbacks are the links within hosts, and hosts without have those of the defaults") {
    const std::string text =
        cluster_of("c", 2, "loopback_bw='1GBps' loopback_lat='2us'") + cluster_of("e", 2, "loopback_bw='1000EBps'") +
        "<zone id='h' routing='Full'><host id='a' speed='1f'/><host id='b' speed='1f'/>" + link("l", "1GBps", "1us") +
        link("m", "500MBps", "3us") +
        "<route src='a' dst='b'><link_ctn id='l'/></route>"
        "<route src='a' dst='a'><link_ctn id='l'/><link_ctn id='m'/></route></zone>" +
        zone_route("c", "e", "x") + zone_route("c", "h", "x", "", "a") + zone_route("e", "h", "x", "", "a");
    const cluster c = read(link("x", "1GBps", "7us") + text, {.intra_node_latency_us = 9});
    const owned_array<intra_node_links> inside = c.cost.intra_nodes();
    REQUIRE(inside.size() == 6);
    const intra_node_links missing{.rank_link = {9'000'000, 125'000}};
    const auto of = [&](std::string_view name) { return inside[*c.find(name)]; };
    CHECK(of("c1") == intra_node_links{.rank_link = {2'000'000, 1'000'000}});
    CHECK(of("e0") == missing);
    CHECK(of("a") == intra_node_links{.rank_link = {4'000'000, 2'000'000}, .shared = true});
    CHECK(of("b") == missing);
    CHECK(read(cluster_of("c", 3)).cost.intra_nodes()[0] == intra_node_links{});
    CHECK(read(cluster_of("c", 3)).cost.intra_nodes().size() == 1);
}
