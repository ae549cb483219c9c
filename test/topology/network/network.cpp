#include "collsched/topology/network.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using namespace collsched;
using topology::network;

TEST_CASE("network: vertices, links and names") {
    const std::vector<network::link> links{{0, 2, 5, 7}, {2, 1, 5, 7}, {2, 1, 6, 7}};
    const std::vector<const char*> names{"a", "", "switch"};
    const network net(2, 1, links, names);
    CHECK_FALSE(net.check());
    CHECK(net.ranks() == 2);
    CHECK(net.switches() == 1);
    CHECK(net.vertices() == 3);
    CHECK((net.is_switch(2) && !net.is_switch(1)));
    CHECK(net.links().size() == 3);
    CHECK(net.links()[2] == network::link{2, 1, 6, 7});
    CHECK(net.name(0) == std::string_view("a"));
    CHECK(net.name(1) == std::string_view());
    CHECK(net.name(2) == std::string_view("switch"));
    CHECK(network(2, 1, links).name(2) == std::string_view());
    CHECK(net == network(2, 1, links, names));
}

TEST_CASE("network: without arguments it has no vertices, and a link has 1 byte per second and no latency") {
    CHECK(network().ranks() == 0);
    CHECK(network().switches() == 0);
    CHECK_FALSE(network().check());
    CHECK(network::link{} == network::link{.from = 0, .to = 0, .bandwidth = 1, .latency = 0});
}

TEST_CASE("network: a wrong part is reported, and nothing is left") {
    const auto error_of = [](rank_t ranks, rank_t switches, std::vector<network::link> links,
                             std::vector<const char*> names = {}) {
        const network net(ranks, switches, links, names);
        CHECK(net.vertices() == 0);
        CHECK(net.links().empty());
        return net.check();
    };
    constexpr rank_t most = rank_t{1} << 30;
    for (const rank_t ranks : {rank_t{-1}, rank_t{0}, most + 1})
        CHECK(error_of(ranks, 0, {}) == argument_error{"ranks", ranks, "1 to 2^30"});
    for (const rank_t switches : {rank_t{-1}, most + 1})
        CHECK(error_of(1, switches, {}) == argument_error{"switches", switches, "0 to 2^30"});
    CHECK_FALSE(network(most, most, {}).check());
    CHECK_FALSE(network(1, 0, {}).check());
    CHECK(error_of(2, 0, {{-1, 1}}) == argument_error{"from", -1, "a vertex", 0});
    CHECK(error_of(2, 0, {{0, 1}, {0, 2}}) == argument_error{"to", 2, "a vertex", 1});
    CHECK(error_of(2, 0, {{0, 1}, {2, 1}}) == argument_error{"from", 2, "a vertex", 1});
    CHECK(error_of(2, 0, {{0, -1}}) == argument_error{"to", -1, "a vertex", 0});
    CHECK(error_of(2, 0, {{1, 1}}) == argument_error{"to", 1, "another vertex than `from`", 0});
    CHECK(error_of(2, 0, {{0, 1, 0}}) == argument_error{"bandwidth", 0, "1 byte per second or more", 0});
    CHECK(error_of(2, 0, {{0, 1, 1, -1}}) == argument_error{"latency", -1, "0 picoseconds or more", 0});
    CHECK(error_of(2, 0, {{0, 1}}, {"a"}) == argument_error{"names", 1, "one name per vertex, or none"});
    CHECK(network(argument_error{"x", 1, "y"}).check() == argument_error{"x", 1, "y"});
}

TEST_CASE("network: works during constant evaluation") {
    static_assert([] {
        const network::link links[] = {{0, 1, 3}, {1, 0, 3}};
        const char* const names[] = {"a", "b"};
        const network net(2, 0, links, names);
        return !net.check() && net.links().size() == 2 && net.name(1)[0] == 'b';
    }());
}

TEST_CASE("network: reversed, every link in the other direction, with names") {
    const std::vector<network::link> links{{0, 2, 5, 7}, {2, 1, 6, 8}};
    const std::vector<const char*> names{"a", "b", "s"};
    const network net(2, 1, links, names), back = net.reversed();
    CHECK(back.links()[0] == network::link{2, 0, 5, 7});
    CHECK(back.links()[1] == network::link{1, 2, 6, 8});
    CHECK(back.name(2) == std::string_view("s"));
    CHECK(back.reversed() == net);
    CHECK(network(2, 1, links).reversed().reversed() == network(2, 1, links));
    CHECK(network(argument_error{"x", 1, "y"}).reversed().check().argument == std::string_view("x"));
}

TEST_CASE("network: two cables of equal rates are equal") {
    using cable = network::cable;
    static_assert(cable{} == cable{.bandwidth = 1, .latency = 0});
    CHECK(cable{.bandwidth = 5, .latency = 7} == cable{5, 7});
    CHECK(cable{5, 7} != cable{5, 8});
}
