
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/clusters/read_network.hpp"
#include "collsched/topology/networks.hpp"
#include "support/brief.hpp"
#include "support/graphs.hpp"
#include "support/refusal.hpp"

using namespace collsched;
using topology::network;

namespace {

network read(const std::string& name) { return read_network(std::filesystem::path("test/data/networks/" + name)); }

std::string refusal(const std::string& text) {
    return support::refusal_of([&] { read_network(text_file{"n.json", text}); });
}
/// The error of a network of ranks a and b and switch s whose link 1 is `link`, on line 2.
std::string link_refusal(const std::string& link) {
    const std::string first = R"({"from": "a", "to": "b", "bandwidth_Bps": 1, "latency_us": 0})";
    return refusal(R"({"ranks": ["a", "b"], "switches": ["s"], "links": [)" + first + ",\n" + link + "]}");
}
std::string number_refusal(const std::string& bandwidth, const std::string& latency) {
    return link_refusal(R"({"from": "s", "to": "b", "bandwidth_Bps": )" + bandwidth + R"(, "latency_us": )" + latency +
                        "}");
}

}  // namespace

TEST_CASE("read_network: ranks, switches and links keep their order") {
    const network net = read("two_boxes.json");
    CHECK(net.ranks() == 4);
    CHECK(net.switches() == 5);
    CHECK(net.name(3) == std::string_view("b1.r1"));
    CHECK(net.name(6) == std::string_view("spine"));
    REQUIRE(net.links().size() == 20);
    CHECK(net.links()[0] == network::link{0, 4, 300'000'000'000, 350'000});
    CHECK(net.links()[8] == network::link{0, 7, 25'000'000'000, 0});
    CHECK(net.links()[19] == network::link{6, 8, 25'000'000'000, 850'000});
}

TEST_CASE("read_network: files of a mesh, a torus and boxes have the links of the functions that build them") {
    const auto same = [](const network& file, const network& built) {
        CHECK(file.ranks() == built.ranks());
        CHECK(file.switches() == built.switches());
        CHECK(support::sorted_links(file) == support::sorted_links(built));
    };
    const std::vector<rank_t> two_by_three{2, 3}, two_by_four{2, 4};
    const std::vector<topology::network::cable> cables{{35'000'000'000, 1'000'000}, {80'000'000'000, 1'000'000}};
    same(read("mesh_3x2.json"), topology::networks::mesh(two_by_three, cables));
    same(read("torus_4x2.json"), topology::networks::torus(two_by_four, {50'000'000'000, 700'000}));
    same(read("two_boxes.json"), topology::networks::boxes({.boxes = 2,
                                                            .ranks_per_box = 2,
                                                            .nics_per_box = 1,
                                                            .rank_cable = {300'000'000'000, 350'000},
                                                            .nic_cable = {25'000'000'000, 0},
                                                            .rail_cable = {25'000'000'000, 850'000}}));
}

TEST_CASE("read_network: numbers are decimal, and latencies are rounded to picoseconds") {
    const auto link = [](const std::string& bandwidth, const std::string& latency) {
        const std::string text = R"({"ranks": ["a", "b"], "links": [{"latency_us": )" + latency +
                                 R"(, "bandwidth_Bps": )" + bandwidth + R"(, "to": "a", "from": "b"}]})";
        return read_network(text_file{"n.json", text}).links()[0];
    };
    CHECK(link("2.5e10", "0.7") == network::link{1, 0, 25'000'000'000, 700'000});
    CHECK(link("107374182400", "1") == network::link{1, 0, 107'374'182'400, 1'000'000});
    CHECK(link("1", "0.30000000000000004") == network::link{1, 0, 1, 300'000});
    CHECK(link("2000000000000000.0", "1e12") == network::link{1, 0, 2'000'000'000'000'000, 1'000'000'000'000'000'000});
    CHECK(link("1", "0.0000005").latency == 1);
    CHECK(link("1", "0.0000004999").latency == 0);
}

TEST_CASE("read_network: switches, name and note may be omitted, and links may be parallel") {
    const network net = read_network(text_file{"n.json", R"({"ranks": ["a"], "links": []})"});
    CHECK(net.ranks() == 1);
    CHECK(net.switches() == 0);
    const std::string link = R"({"from": "a", "to": "b", "bandwidth_Bps": 1, "latency_us": 0})";
    const std::string text = R"({"ranks": ["a", "b"], "links": [)" + link + ", " + link + "]}";
    CHECK(read_network(text_file{"n.json", text}).links().size() == 2);
}

TEST_CASE("read_network: texts that are no network are rejected with their line") {
    CHECK(refusal("[]") == "n.json:1: a network: got no object, expected {name, note, ranks, switches, links}");
    CHECK(refusal("{\"ranks\": [\"a\"],\n\"edges\": []}") ==
          "n.json:2: got unknown key \"edges\" in a network, expected name, note, ranks, switches, links");
    CHECK(refusal("{\"links\": []}") == "n.json:1: ranks is required: a key of this object");
    CHECK(refusal("{\"ranks\": [\"a\"]}") == "n.json:1: links is required: a key of this object");
    CHECK(refusal("{\"ranks\": [],\n\"ranks\": []}") ==
          "n.json:2: got key \"ranks\" twice in a network, expected once");
    CHECK(refusal("{\"ranks\":\n[], \"links\": []}") == "n.json:2: ranks: got none, expected one or more");
    CHECK(refusal("{\"ranks\": 3, \"links\": []}") == "n.json:1: ranks: got no list, expected [...]");
    CHECK(refusal("{\"name\": 3, \"ranks\": [\"a\"], \"links\": []}") ==
          "n.json:1: name: got no text, expected \"...\"");
    CHECK(refusal("{\"ranks\": [\"a\",\n3], \"links\": []}") == "n.json:2: ranks[1]: got no text, expected \"...\"");
    CHECK(refusal("{\"ranks\": [\"\"], \"links\": []}") ==
          "n.json:1: ranks[0]: got \"\", expected a name, not empty, without zero bytes");
    CHECK(refusal("{\"ranks\": [\"a\\u0000\"], \"links\": []}") ==
          "n.json:1: ranks[0]: got \"a\\u0000\", expected a name, not empty, without zero bytes");
    CHECK(refusal("{\"ranks\": [\"a\", \"b\",\n\"a\"], \"links\": []}") ==
          "n.json:2: ranks[2]: got \"a\", expected a name that no other vertex has");
    CHECK(refusal("{\"ranks\": [\"a\"], \"switches\": [\"s\",\n\"a\"], \"links\": []}") ==
          "n.json:2: switches[1]: got \"a\", expected a name that no other vertex has");
    CHECK(refusal("{\"ranks\": [\"a\"], \"links\": [],").starts_with("n.json:1: "));
    CHECK(refusal("").starts_with("n.json:1: "));
    CHECK(refusal("{\"ranks\": [\"a\"], \"links\": []} 3").starts_with("n.json:1: "));
}

TEST_CASE("read_network: wrong links are rejected with line and index") {
    CHECK(link_refusal("3") == "n.json:2: links[1]: got no object, expected {from, to, bandwidth_Bps, latency_us}");
    CHECK(link_refusal("{}") == "n.json:2: links[1].from is required: a name of `ranks` or `switches`");
    CHECK(link_refusal("{\"from\": \"a\"}") == "n.json:2: links[1].to is required: a name of `ranks` or `switches`");
    CHECK(link_refusal("{\"from\": \"a\", \"to\": \"s\", \"latency_us\": 1}") ==
          "n.json:2: links[1].bandwidth_Bps is required: a whole number of bytes per second, 1 to 2e15");
    CHECK(link_refusal("{\"from\": \"a\", \"to\": \"s\", \"bandwidth_Bps\": 1}") ==
          "n.json:2: links[1].latency_us is required: 0 to 1e12 us");
    CHECK(link_refusal("{\"weight\": 1}") ==
          "n.json:2: got unknown key \"weight\" in links[1], expected from, to, bandwidth_Bps, latency_us");
    CHECK(link_refusal("{\"from\": 1}") == "n.json:2: links[1].from: got no text, expected \"...\"");
    CHECK(link_refusal("{\"from\": \"a\", \"to\": \"c\"}") ==
          "n.json:2: links[1].to: got \"c\", expected a name of `ranks` or `switches`");
    CHECK(link_refusal("{\"from\": \"s\", \"to\":\n\"s\"}") ==
          "n.json:3: links[1].to: got \"s\", expected another vertex than `from`");
}

TEST_CASE("read_network: numbers outside their range are rejected") {
    const std::string bandwidth = ", expected a whole number of bytes per second, 1 to 2e15";
    for (const std::string got : {"0", "-1", "0.5", "2.5", "2000000000000001", "18446744073709551616", "-2.5e10"})
        CHECK(number_refusal(got, "0") == "n.json:2: links[1].bandwidth_Bps: got " + got + bandwidth);
    CHECK(number_refusal("\"1\"", "0") == "n.json:2: links[1].bandwidth_Bps: got no number" + bandwidth);
    for (const std::string got : {"-1", "-0.0000001", "1000000000000.0000006", "1e13", "9223372036854775807"})
        CHECK(number_refusal("1", got) == "n.json:2: links[1].latency_us: got " + got + ", expected 0 to 1e12 us");
    CHECK(number_refusal("1", "null") == "n.json:2: links[1].latency_us: got no number, expected 0 to 1e12 us");
    CHECK(number_refusal("1", "1e999").starts_with("n.json:2: "));
}

TEST_CASE("read_network: too many vertices are rejected" * doctest::skip(support::brief())) {
    std::string text = "{\"ranks\": [\"r\"";
    for (int i = 1; i <= (1 << 20); ++i) text += ",\"" + std::to_string(i) + '"';
    CHECK(refusal(text + "], \"links\": []}") == "n.json:1: ranks: got too many vertices, expected at most 1048576");
}

TEST_CASE("read_network: a missing file is reported") {
    CHECK_THROWS_AS(read_network(std::filesystem::path("nowhere.json")), input_error);
}
