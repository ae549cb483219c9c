#include "collsched/format/clusters/detail/ibnetdiscover.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/graphs.hpp"
#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::detail;
using topology::network;

namespace {

network read(const text_file& file, picoseconds latency = 0) { return ibnetdiscover_reader(file).read(latency); }
const std::filesystem::path two_leaves = "test/data/networks/two_leaves.ibnet";

std::string refusal(const std::string& text) {
    return support::refusal_of([&] { read(text_file{"f", text}); });
}
/// The same of the two ends of a cable, a host and a switch.
std::string refusal(const std::string& host, const std::string& switch_) {
    return refusal("Ca 1 \"H-1\" # \"h\"\n" + host + "\nSwitch 4 \"S-1\" # \"s\"\n" + switch_ + "\n");
}
const std::string host_end = "[1](1) \"S-1\"[4] # lid 1 lmc 0 \"s\" lid 2 4xHDR";
const std::string switch_end = "[4] \"H-1\"[1](1) # \"h\" lid 1 4xHDR";

}  // namespace

TEST_CASE("ibnetdiscover: adapters are ranks, in the order of the file") {
    const network net = read(read_text_file(two_leaves), 500'000);
    CHECK(net.ranks() == 3);
    CHECK(net.switches() == 2);
    const char* const names[] = {"node3 HCA-1", "node2 HCA-1", "node1 HCA-1", "leaf 1", "leaf 2"};
    for (rank_t v = 0; v < 5; ++v) CHECK(net.name(v) == std::string_view(names[v]));
    constexpr std::int64_t hdr = 25'000'000'000, half = hdr / 2, ps = 500'000;
    CHECK(support::sorted_links(net) == std::vector<network::link>{{0, 4, half, ps},
                                                                   {1, 3, half, ps},  // 2xHDR at one end
                                                                   {2, 3, hdr, ps},
                                                                   {3, 1, half, ps},
                                                                   {3, 2, hdr, ps},
                                                                   {3, 4, hdr, ps},
                                                                   {3, 4, hdr, ps},
                                                                   {4, 0, half, ps},
                                                                   {4, 3, hdr, ps},
                                                                   {4, 3, hdr, ps}});
}

TEST_CASE("ibnetdiscover: repeated and empty descriptions are replaced by ids") {
    const network net = read(text_file{
        "f",
        "Ca 1 \"H-1\" # \"a\"\nCa 1 \"H-2\" # \"a\"\nCa 2 \"H-3\"\nSwitch 4 \"S-1\" # \"a\"\nRt 1 \"R-1\" # \"r\"\n"});
    const char* const names[] = {"a", "H-2", "H-3", "S-1", "r"};
    for (rank_t v = 0; v < 5; ++v) CHECK(net.name(v) == std::string_view(names[v]));
    CHECK(net.ranks() == 3);
    CHECK(net.links().empty());
}

TEST_CASE("ibnetdiscover: a cable must be listed at both ends") {
    CHECK(refusal(host_end, switch_end) == "");
    CHECK(refusal(host_end, "") == "f:2: got \"S-1\"[4], expected a port with a line for \"H-1\"[1]");
    CHECK(refusal("", switch_end) == "f:4: got \"H-1\"[1], expected a port with a line for \"S-1\"[4]");
    CHECK(refusal(host_end, "[4] \"S-1\"[4] # \"s\" 4xHDR") ==
          "f:2: got \"S-1\"[4], expected a port with a line for \"H-1\"[1]");
    CHECK(refusal("", "[4] \"S-1\"[4] # \"s\" 4xHDR") == "f:4: got \"S-1\"[4], expected a port of another node");
    CHECK(refusal("[1] \"S-2\"[4] # \"s\" 4xHDR", "") == "f:2: got \"S-2\"[4], expected a node of this file");
}

TEST_CASE("ibnetdiscover: broken lines are rejected") {
    const std::string rates = "lanes and rate such as 4xHDR: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR";
    CHECK(refusal("") == "f:1: Ca: got none, expected one or more");
    CHECK(refusal("Switch 3 \"S-1\"\n") == "f:1: Ca: got none, expected one or more");
    CHECK(refusal("{}") ==
          "f:1: got \"{}\", expected a line of ibnetdiscover, such as vendid=0x2c9 or Switch 36 \"S-...\"");
    CHECK(
        refusal("\n\nCa x\n") ==
        "f:3: got \"Ca x\", expected TYPE PORTS \"ID\", such as Switch 36 \"S-...\" or Ca 1 \"H-...\", 1 to 254 ports");
    CHECK(refusal("Ca 1 \"H-1\"\nCa 1 \"H-1\"\n") == "f:2: got node \"H-1\" twice, expected once");
    CHECK(refusal("[1] \"S-1\"[1] # 4xHDR\n") == "f:1: got a port of no node, expected a line Switch or Ca before it");
    CHECK(refusal("Ca 1 \"H-1\"\nvendid=0x1\n" + host_end) ==
          "f:3: got a port of no node, expected a line Switch or Ca before it");
    CHECK(refusal("[1] S-1[1]", "") == "f:2: got \"[1] S-1[1]\", expected [PORT] \"ID\"[PORT] # ..., ports 1 to 254");
    CHECK(refusal("[2] \"S-1\"[1] # \"s\" 4xHDR", "") == "f:2: port: got 2, expected 1 to 1");
    CHECK(refusal(host_end + "\n" + host_end, "") == "f:3: got port 1 twice, expected once");
    CHECK(refusal("[1] \"S-1\"[1] # \"s\" lid 3", "") == "f:2: rate is required: " + rates);
    CHECK(refusal("[1] \"S-1\"[1] # \"s\" 4xZDR", "") == "f:2: rate: got 4xZDR, expected " + rates);
    CHECK(refusal(std::string("Ca 1 \"H-1\"\n\0", 12)).starts_with("f:2: got a zero byte"));
    CHECK(support::refusal_of([] { read(read_text_file(two_leaves), -1); }) ==
          "latency: got -1, expected 0 to 10^18 ps");
    CHECK_THROWS_AS(read_text_file("nowhere"), input_error);
}

TEST_CASE("ibnetdiscover: a file without a part of its text is read or rejected") {
    const std::string whole = read_text_file(two_leaves).text;
    for (std::size_t size = 0; size < whole.size(); size += 7) {
        const std::string text = whole.substr(0, size) + whole.substr(size + 5);
        for (const std::string& part : {text, whole.substr(0, size)})
            CHECK_NOTHROW(support::refusal_of([&] { read(text_file{"f", part}); }));
    }
}

TEST_CASE("ibnetdiscover: parts of a line are taken in sequence") {
    line_cursor at(" [12] \"a b\" (x) end");
    CHECK(at.take("["));
    CHECK_FALSE(at.number(11));
    CHECK(at.number(12) == 12);
    CHECK(at.take("]"));
    CHECK_FALSE(at.between('(', ')'));
    CHECK(at.between('"', '"') == "a b");
    CHECK(at.between('(', ')') == "x");
    CHECK(at.unread() == "end");
    CHECK_FALSE(line_cursor("-3").number(9));
    CHECK_FALSE(line_cursor("99999999999999").number(9));
    CHECK_FALSE(line_cursor("").number(9));
    CHECK_FALSE(line_cursor("\"open").between('"', '"'));
}

TEST_CASE("ibnetdiscover: first lines of nodes") {
    const auto node = ib_node_line::parse("Switch\t36 \"S-0002c9020046c588\"   # \"leaf 1\" base port 0 lid 2 lmc 0\r");
    REQUIRE(node);
    CHECK(node->kind == 'S');
    CHECK(node->ports == 36);
    CHECK(node->id == "S-0002c9020046c588");
    CHECK(node->description == "leaf 1");
    CHECK(ib_node_line::parse("Ca 1 \"H-1\"")->description.empty());
    CHECK(ib_node_line::parse("Rt 2 \"R-1\" # \"r\"")->kind == 'R');
    for (const char* text :
         {"", "Switch", "Switch 0 \"S-1\"", "Switch 255 \"S-1\"", "Switch 3 \"H-1\"", "Ca 1 \"S-1\"", "Ca -1 \"H-1\"",
          "Ca 1 H-1", "Ca 1 \"H-1", "Ca 1 \"H-\"", "Ca 1 \"H-12345678901234567\"", "Ca 1 \"H-1g\"", "Host 1 \"H-1\""})
        CHECK_FALSE(ib_node_line::parse(text));
}

TEST_CASE("ibnetdiscover: lines of ports") {
    const auto port =
        ib_port_line::parse("[22]\t\"H-0008f10403961354\"[1](8f10403961355) \t# \"a 4xSDR b\" lid 4 4xHDR");
    REQUIRE(port);
    CHECK(port->port == 22);
    CHECK(port->peer == "H-0008f10403961354");
    CHECK(port->peer_port == 1);
    CHECK(port->rate == "4xHDR");
    CHECK(ib_port_line::parse("[1](8f1)  \"S-5\"[22][ext 3] # lid 4 lmc 1 \"s\" lid 6 1xSDR s=1 w=2")->rate == "1xSDR");
    CHECK(ib_port_line::parse("[1][ext 2] \"S-5\"[22]  # \"s\" lid 6")->rate.empty());
    CHECK(ib_port_line::parse("[1] \"S-5\"[22]")->rate.empty());
    for (const char* text :
         {"", "[", "[1", "[1]", "[1] \"S-5\"", "[1] \"S-5\"[", "[1] \"S-5\"[0]", "[0] \"S-5\"[1]", "[1] \"S-5\"[255]",
          "[1] \"X-5\"[1]", "[1] S-5[1]", "[1] \"S-5[1]", "[1] \"S-5\"[1] 4xSDR", "[a] \"S-5\"[1]"})
        CHECK_FALSE(ib_port_line::parse(text));
}

TEST_CASE("ibnetdiscover: rates in bytes per second") {
    CHECK(ib_bandwidth("1xSDR") == 312'500'000);
    CHECK(ib_bandwidth("4xDDR") == 2'500'000'000);
    CHECK(ib_bandwidth("4xQDR") == 5'000'000'000);
    CHECK(ib_bandwidth("4xFDR10") == 5'000'000'000);
    CHECK(ib_bandwidth("4xFDR") == 7'000'000'000);
    CHECK(ib_bandwidth("4xEDR") == 12'500'000'000);
    CHECK(ib_bandwidth("2xHDR") == 12'500'000'000);
    CHECK(ib_bandwidth("4xHDR") == 25'000'000'000);
    CHECK(ib_bandwidth("4xNDR") == 50'000'000'000);
    CHECK(ib_bandwidth("12xXDR") == 300'000'000'000);
    for (const char* text : {"", "4x", "xHDR", "0xHDR", "13xHDR", "4HDR", "4xHDR2", "4x???", "-4xHDR"})
        CHECK_FALSE(ib_bandwidth(text));
}

TEST_CASE("ibnetdiscover: a line with one of its words marks its output, and no line of Slurm does") {
    CHECK(is_ibnetdiscover(read_text_file(two_leaves).text));
    CHECK(is_ibnetdiscover("Chassis 0\nSwitch\t4 \"S-1\"\n"));
    CHECK_FALSE(is_ibnetdiscover("# Topology file of two leaves\nSwitchName=s Nodes=a\n"));
    CHECK_FALSE(is_ibnetdiscover(""));
}
