#include "collsched/format/clusters/detail/simgrid_elements.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

/// Calls f(elements, the one element of the text).
template <class F>
auto with(std::string_view text, F f) {
    const text_file file{"f", std::string(text)};
    const xml_file xml(file);
    return f(simgrid_elements(file, xml), xml.root("e"));
}
template <class F>
void refused(std::string_view text, F f, std::string_view line) {
    CHECK_THROWS_WITH_AS(with(text, f), ("f:" + std::string(line)).c_str(), input_error);
}

/// Returns the text of the fault of a link, or "".
template <class F>
std::string fault(std::string_view text, F f) {
    const auto found = with(text, f).fault;
    return found ? found->text() : "";
}

const auto link_of = [](const simgrid_elements& read, pugi::xml_node node) { return read.link(node); };
const auto host_link = [](const simgrid_elements& read, pugi::xml_node node) { return read.host_link(node); };
const auto limiter = [](const simgrid_elements& read, pugi::xml_node node) { return read.limiter(node); };
const auto two_ways = [](const simgrid_elements& read, pugi::xml_node node) { return read.two_ways(node); };
const auto loopback = [](const simgrid_elements& read, pugi::xml_node node) { return read.loopback(node); };
const auto backbone = [](const simgrid_elements& read, pugi::xml_node node) { return read.backbone(node); };

}  // namespace

TEST_CASE("simgrid_elements: links cost the values of their quantities") {
    CHECK(with("<e latency='24us' bandwidth='1.25GBps'/>", link_of) ==
          contention_model::network::link{{24'000'000, 800'000}});
    CHECK(with("<e bandwidth='1Gbps' sharing_policy='FATPIPE'/>", link_of) ==
          contention_model::network::link{{0, 8'000'000}, false});
    CHECK(with("<e lat='0' bw='125MBps'/>", host_link) == contention_model::network::link{{0, 8'000'000}});
    CHECK(with("<e lat='0' bw='125MBps' sharing_policy='FATPIPE'/>", host_link) ==
          contention_model::network::link{{0, 8'000'000}});
    CHECK(with("<e limiter_link='25MBps'/>", limiter) == contention_model::network::link{{0, 40'000'000}});
    CHECK(!with("<e/>", limiter));
    CHECK(with("<e bb_lat='2us' bb_bw='1GBps'/>", backbone) == contention_model::network::link{{2'000'000, 1'000'000}});
    CHECK(with("<e bb_bw='1GBps' bb_sharing_policy='FATPIPE'/>", backbone) ==
          contention_model::network::link{{0, 1'000'000}, false});
    CHECK(!with("<e bb_lat='0'/>", backbone));
    CHECK(with("<e loopback_bw='1GBps' loopback_lat='2us'/>", loopback) ==
          contention_model::network::link{{2'000'000, 1'000'000}, false});
    CHECK(with("<e loopback_bw='1GBps'/>", loopback) == contention_model::network::link{{0, 1'000'000}, false});
    CHECK(!with("<e/>", loopback));
    const auto wide = [](const simgrid_elements& read, pugi::xml_node node) { return read.host_link(node, 4); };
    CHECK(with("<e lat='1us' bw='125MBps'/>", wide) == contention_model::network::link{{1'000'000, 2'000'000}});
    CHECK(!with("<e/>", backbone));
    for (const std::string policy : {"SPLITDUPLEX", "FULLDUPLEX", "SHARED", "FATPIPE"})
        CHECK(with("<e sharing_policy='" + policy + "'/>", two_ways) == policy.ends_with("DUPLEX"));
    CHECK(with("<e/>", two_ways));
    refused("<e bb_lat='1us'/>", backbone, "1: got bb_lat without bb_bw, expected both, or none");
    refused("<e\nbandwidth='125MB/s'/>", link_of,
            "2: bandwidth: got \"125MB/s\", expected a bandwidth such as 125MBps, 1e-9 to 2e9 MB/s");
    refused("<e bandwidth='1Bps' latency='1cm'/>", link_of,
            "1: latency: got \"1cm\", expected a time such as 24us, 0 to 1e12 us");
    refused("<e latency='1us'/>", link_of, "1: got <e> without bandwidth, expected bandwidth=\"...\"");
}

TEST_CASE("simgrid_elements: a quantity out of range is a fault of its link") {
    const auto wide = [](const simgrid_elements& read, pugi::xml_node node) { return read.host_link(node, 4); };
    const std::string bandwidths = ", expected a bandwidth such as 125MBps, 1e-9 to 2e9 MB/s";
    CHECK(fault("<e bandwidth='2e9MBps'/>", link_of).empty());
    CHECK(fault("<e bandwidth='1000EBps'/>", link_of) == "f:1: bandwidth: got \"1000EBps\"" + bandwidths);
    CHECK(fault("<e bandwidth='0'/>", link_of) == "f:1: bandwidth: got \"0\"" + bandwidths);
    CHECK(fault("<e lat='1us' bw='1e9MBps'/>", wide) == "f:1: bw: got \"1e9MBps\"" + bandwidths);
    const std::string late = "<e bandwidth='1000EBps'\n latency='-1us'/>";
    CHECK(fault(late, link_of) == "f:2: latency: got \"-1us\", expected a time such as 24us, 0 to 1e12 us");
}

TEST_CASE("simgrid_elements: words are those of a list") {
    const auto word = [](const simgrid_elements& read, pugi::xml_node node) {
        return std::string(read.word(node, "w", {"one", "two"}));
    };
    CHECK(with("<e w='two'/>", word) == "two");
    CHECK(with("<e/>", word) == "one");
    refused("<e\nw='Two'/>", word, "2: w: got \"Two\", expected one, two");
    const auto symmetrical = [](const simgrid_elements& read, pugi::xml_node node) { return read.symmetrical(node); };
    CHECK(with("<e/>", symmetrical));
    CHECK(with("<e symmetrical='yes'/>", symmetrical));
    CHECK(!with("<e symmetrical='NO'/>", symmetrical));
    refused("<e symmetrical='0'/>", symmetrical, "1: symmetrical: got \"0\", expected YES, yes, NO, no");
    const auto routing = [](const simgrid_elements& read, pugi::xml_node node) { return read.routing(node); };
    CHECK(with("<e routing='full'/>", routing) == simgrid_platform::routing::full);
    CHECK(with("<e routing='Cluster'/>", routing) == simgrid_platform::routing::star);
    CHECK(with("<e routing='None'/>", routing) == simgrid_platform::routing::none);
    CHECK(with("<e routing='Floyd'/>", routing) == simgrid_platform::routing::floyd);
    CHECK(with("<e routing='DIJKSTRA'/>", routing) == simgrid_platform::routing::dijkstra);
    CHECK(with("<e routing='DijkstraCache'/>", routing) == simgrid_platform::routing::dijkstra);
    CHECK(with("<e routing='Vivaldi'/>", routing) == simgrid_platform::routing::vivaldi);
    for (const std::string how : {"Wifi", "Empty", "RuleBased", ""})
        refused(
            "<e routing='" + how + "'/>", routing,
            "1: routing: got \"" + how + "\", expected Full, Floyd, Dijkstra, DijkstraCache, Vivaldi, Cluster, None");
}

TEST_CASE("simgrid_elements: coordinates are three numbers") {
    const auto coordinates = [](const simgrid_elements& read, pugi::xml_node node) { return read.coordinates(node); };
    const auto text = [](std::string_view given) { return "<e coordinates='" + std::string(given) + "'/>"; };
    CHECK(with(text("25.5 -9.4 1.4"), coordinates) == std::array{25.5, -9.4, 1.4});
    CHECK(with(text(" 1e1  2  3 "), coordinates) == std::array{10.0, 2.0, 3.0});
    for (const std::string wrong : {"", "1", "1 2", "1 2 3 4", "1 2 x", "1,2,3", "1 2 3ms", "1 2 nan", "1 2 2.1e8"})
        refused(text(wrong), coordinates,
                "1: coordinates: got \"" + wrong + "\", expected X Y Z, each from -2e8 to 2e8 ms");
    refused("<e/>", coordinates, "1: got <e> without coordinates, expected coordinates=\"...\"");
}

TEST_CASE("simgrid_elements: versions are checked") {
    const auto version = [](const simgrid_elements& read, pugi::xml_node node) {
        read.check_version(node);
        return true;
    };
    for (const std::string known : {"4", "4.0", "4.1"}) CHECK(with("<e version='" + known + "'/>", version));
    for (const std::string other : {"3", "4.2", "5", "", "x", "4.1x"})
        refused("<e version='" + other + "'/>", version, "1: version: got \"" + other + "\", expected 4 or 4.1");
}

TEST_CASE("simgrid_elements: children must be known elements") {
    const auto children = [](const simgrid_elements& read, pugi::xml_node node) {
        read.check_children(node, {"a", "b"});
        return true;
    };
    CHECK(with("<e><a/><b/><!-- c --></e>", children));
    refused("<e><a/>\n<c/></e>", children, "2: got <c> in <e>, expected <a>, <b>");
    refused("<e><a/>c</e>", children, "1: got text \"c\", expected <a>, <b>");
    refused(
        "<e><a/></e>",
        [](const simgrid_elements& read, pugi::xml_node node) {
            read.check_children(node, {});
            return true;
        },
        "1: got <a> in <e>, expected nothing");
}

TEST_CASE("simgrid_elements: radicals and fat trees are read") {
    const auto radical = [](const simgrid_elements& read, pugi::xml_node node) { return read.radical(node); };
    CHECK(with("<e radical='1-3,58'/>", radical) == std::vector<std::int64_t>{1, 2, 3, 58});
    refused("<e\n\nradical='3-1'/>", radical,
            "3: got \"3-1\", expected numbers below 2^31 and ranges of them such as 0-3,7");
    const auto fat_tree = [](const simgrid_elements& read, pugi::xml_node node) {
        return std::get<fat_tree_cables>(read.topology(node, 16, 0)).arity();
    };
    const auto tree = [](std::string_view text) {
        return "<e topology='FAT_TREE' topo_parameters='" + std::string(text) + "'/>";
    };
    CHECK(with(tree("2;4,4;1,2;1,2"), fat_tree) == std::vector<rank_t>{4, 4});
    CHECK(with(tree("3;2,2,4;1,1,1;1,1,1"), fat_tree) == std::vector<rank_t>{2, 2, 4});
    CHECK(with(tree("1;16;1;1"), fat_tree) == std::vector<rank_t>{16});
    CHECK(with(tree("2;4,4;1,2;1,2"), [](const simgrid_elements& read, pugi::xml_node node) {
              return std::get<fat_tree_cables>(read.topology(node, 16, 0)).cables();
          }) == 32);
    const std::string accepted =
        ", expected LEVELS;DOWN,...;UP,...;CABLES,... with 16 levels at most and a product of DOWN that is the number "
        "of hosts";
    for (const std::string wrong : {"", "2", "2;4,4", "2;4,4;1,2", "2;4,4;1,2;1,2;1", "2;4,4;1;1,2", "3;4,4;1,2;1,2",
                                    "2;4,4;1,2;1,0", "2;4,x;1,2;1,2", "2;4,-4;1,2;1,2", "2;4 4;1,2;1,2", ";;;",
                                    "2;4,99999999999999999999;1,2;1,2", "2;4,4;1,2;1,2 "})
        refused(tree(wrong), fat_tree, "1: topo_parameters: got \"" + wrong + "\"" + accepted);
    std::string ones = "1", deep = "17";
    for (int l = 1; l < 17; ++l) ones += ",1";
    deep += ";" + ones + ";" + ones + ";" + ones;
    refused(tree(deep), fat_tree, "1: topo_parameters: got \"" + deep + "\"" + accepted);
    refused(tree("2;4,4;1048576,1048576;1,2"), fat_tree,
            "1: topo_parameters: got \"2;4,4;1048576,1048576;1,2\"" + accepted + ", and at most 2^24 cables");
    refused(tree("2;4,5;1,2;1,2"), fat_tree, "1: topo_parameters: got \"2;4,5;1,2;1,2\"" + accepted + ", 16");
    refused(tree("4;1000000,1000000,1000000,1000000;1,1,1,1;1,1,1,1"), fat_tree,
            "1: topo_parameters: got \"4;1000000,1000000,1000000,1000000;1,1,1,1;1,1,1,1\"" + accepted + ", 16");
}

TEST_CASE("simgrid_elements: tori and dragonflies are read") {
    const auto hosts = [](const simgrid_elements& read, pugi::xml_node node) {
        return std::visit([](const auto& shape) { return shape.hosts(); }, read.topology(node, 24, 0));
    };
    const auto shape = [](std::string_view name, std::string_view text) {
        return "<e topology='" + std::string(name) + "' topo_parameters='" + std::string(text) + "'/>";
    };
    for (const char* sizes : {"24", "4,6", "2,3,4", "1,24,1"}) CHECK(with(shape("TORUS", sizes), hosts) == 24);
    const std::string torus = ", expected N,N,... with 16 dimensions at most and a product that is the number of hosts";
    for (const std::string wrong : {"", "4;6", "4,", ",4", "4,-6", "0,24", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,24"})
        refused(shape("TORUS", wrong), hosts, "1: topo_parameters: got \"" + wrong + "\"" + torus);
    for (const std::string wrong : {"4,5", "25", "1000000,1000000,1000000,1000000"})
        refused(shape("TORUS", wrong), hosts, "1: topo_parameters: got \"" + wrong + "\"" + torus + ", 24");
    for (const char* sizes : {"2,3;2,1;3,1;2", "1,1;1,1;1,1;24", "3,1;1,1;4,9;2"})
        CHECK(with(shape("DRAGONFLY", sizes), hosts) == 24);
    const std::string dragonfly =
        ", expected GROUPS,WIDTH;CHASSIS,WIDTH;ROUTERS,WIDTH;HOSTS with a product of these that is the number of hosts";
    for (const std::string wrong :
         {"", "2,3;2,1;3,1", "2;2,1;3,1;2", "2,3;2,1;3,1;2,1", "2,3;2,1;3,0;2", "2,3,4;2,1;3,1;2"})
        refused(shape("DRAGONFLY", wrong), hosts, "1: topo_parameters: got \"" + wrong + "\"" + dragonfly);
    refused(shape("DRAGONFLY", "2,3;2,1;3,1;3"), hosts,
            "1: topo_parameters: got \"2,3;2,1;3,1;3\"" + dragonfly + ", 24");
    refused(shape("DRAGONFLY", "4,1;1,1;3,1;2"), hosts,
            "1: topo_parameters: got \"4,1;1,1;3,1;2\"" + dragonfly +
                ", no more groups than ROUTERS, and fewer than 2^31 cables");
    refused("<e topology='TORUS'/>", hosts, "1: got <e> without topo_parameters, expected topo_parameters=\"...\"");
}

TEST_CASE("simgrid_elements: exact bandwidths on request") {
    const auto link = [](simgrid_bandwidths how, const std::string& text) {
        const text_file file{"f", "<e lat='0' bw='" + text + "'/>"};
        const xml_file xml(file);
        return simgrid_elements(file, xml, how).host_link(xml.root("e"), 3);
    };
    CHECK(link(simgrid_bandwidths::rounded, "1.1GBps").bandwidth == 0);
    CHECK(link(simgrid_bandwidths::integral, "1.1GBps").bandwidth == 3'300'000'000);
    CHECK(link(simgrid_bandwidths::rounded, "12bps").bandwidth == 0);
    CHECK_FALSE(link(simgrid_bandwidths::rounded, "12bps").fault);
    for (const char* text : {"12bps", "0x1p20"}) {
        const auto fault = link(simgrid_bandwidths::integral, text).fault;
        REQUIRE(fault);
        CHECK(fault->text() == "f:1: bw: got \"" + std::string(text) +
                                   "\", expected a decimal number that is a whole number of bytes per second, 1 to "
                                   "2e15");
    }
}
