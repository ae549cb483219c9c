#include "collsched/format/clusters/read_network.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "support/refusal.hpp"

using namespace collsched;
using topology::network;

namespace {

std::string refusal(const std::string& text) {
    return support::refusal_of([&] { read_network(text_file{"f", text}); });
}
const std::string formats = "a network or cluster in JSON, a SimGrid platform, or output of ibnetdiscover";

}  // namespace

TEST_CASE("read_network: the content selects the format") {
    const std::string host = R"(<host id="h" speed="1f"/>)";
    CHECK(read_network(text_file{"f", R"({"ranks": ["nodes"], "links": []})"}).name(0) == std::string_view("nodes"));
    CHECK(read_network(text_file{"f", R"({"nodes": [{"name": "a", "bandwidth_MBps": 1}]})"}).switches() == 1);
    CHECK(
        read_network(text_file{"f", "<platform version='4'><zone id='z' routing='Full'>" + host + "</zone></platform>"})
            .ranks() == 1);
    const network fabric = read_network(std::filesystem::path("test/data/networks/two_leaves.ibnet"), 500'000);
    CHECK(fabric.ranks() == 3);
    CHECK(fabric.links()[0].latency == 500'000);
}

TEST_CASE("read_network: other texts are rejected") {
    CHECK(refusal("") == "f:1: got nothing in it, expected " + formats);
    CHECK(refusal("# none\n") == "f:1: got nothing in it, expected " + formats);
    CHECK(refusal("\n  SwitchName=s Nodes=a\n") == "f:2: got \"SwitchName=s Nodes=a\", expected " + formats);
    CHECK(refusal("[]").starts_with("f:1: a network: got no object,"));
    CHECK_THROWS_AS(read_network(std::filesystem::path("nowhere")), input_error);
}
