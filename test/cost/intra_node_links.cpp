#include "collsched/cost/intra_node_links.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace collsched;

static_assert(intra_node_links{}.path(false) == link_cost{500'000, 125'000});
static_assert(intra_node_links{}.path(true).latency_ps == 700'000);
static_assert(!intra_node_links{}.check());

TEST_CASE("intra_node_links: the ranks of a node fill its sockets in blocks") {
    const intra_node_links two{.sockets = 2};
    for (const rank_t local : {0, 1, 2}) CHECK(two.socket(local, 5) == 0);
    for (const rank_t local : {3, 4}) CHECK(two.socket(local, 5) == 1);
    const intra_node_links four{.sockets = 4};
    CHECK(four.socket(0, 2) == 0);
    CHECK(four.socket(1, 2) == 2);
    CHECK(intra_node_links{}.socket(6, 7) == 0);
}

TEST_CASE("intra_node_links: between sockets latencies add up, and the slowest link gives the bandwidth") {
    const intra_node_links fast_socket{.rank_link = {100, 7}, .socket_link = {30, 5}};
    CHECK(fast_socket.path(false) == link_cost{100, 7});
    CHECK(fast_socket.path(true) == link_cost{130, 7});
    CHECK(intra_node_links{.rank_link = {100, 7}, .socket_link = {30, 9}}.path(true) == link_cost{130, 9});
}

TEST_CASE("intra_node_links: wrong numbers are reported") {
    constexpr std::int64_t most = std::int64_t{1} << 60;
    const char *latency = "latency within a node", *bandwidth = "bandwidth within a node";
    CHECK(intra_node_links{.sockets = 0}.check() == argument_error{"sockets", 0, "1 to 1024"});
    CHECK(intra_node_links{.sockets = 1025}.check() == argument_error{"sockets", 1025, "1 to 1024"});
    CHECK(!intra_node_links{.sockets = 1024}.check());
    CHECK(intra_node_links{.rank_link = {-1, 1}}.check() == argument_error{latency, -1, "0 ps to 2^60 ps"});
    CHECK(intra_node_links{.rank_link = {1, -2}}.check() == argument_error{bandwidth, -2, "0 to 2^60 fs per byte"});
    CHECK(intra_node_links{.socket_link = {most + 1, 1}}.check() ==
          argument_error{latency, most + 1, "0 ps to 2^60 ps"});
    CHECK(intra_node_links{.socket_link = {1, most + 1}}.check() ==
          argument_error{bandwidth, most + 1, "0 to 2^60 fs per byte"});
    CHECK(!intra_node_links{.rank_link = {most, most}, .socket_link = {0, 0}}.check());
}
