#include "collsched/format/clusters/detail/ibnetdiscover_line.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>

using namespace collsched::detail;

TEST_CASE("ibnetdiscover_line: parts of a line are taken in sequence") {
    line_cursor at(" [12] \"a b\" (x) end");
    CHECK(at.take("["));
    CHECK_FALSE(at.number(11));
    CHECK(at.number(12) == 12);
    CHECK(at.take("]"));
    CHECK_FALSE(at.between('(', ')'));
    CHECK(at.between('"', '"') == "a b");
    CHECK(at.between('(', ')') == "x");
    CHECK(at.rest() == "end");
    CHECK_FALSE(line_cursor("-3").number(9));
    CHECK_FALSE(line_cursor("99999999999999").number(9));
    CHECK_FALSE(line_cursor("").number(9));
    CHECK_FALSE(line_cursor("\"open").between('"', '"'));
}

TEST_CASE("ibnetdiscover_line: first lines of nodes") {
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

TEST_CASE("ibnetdiscover_line: lines of ports") {
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

TEST_CASE("ibnetdiscover_line: rates in bytes per second") {
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
