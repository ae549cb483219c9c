#include "collsched/topology/network.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/topology/networks.hpp"

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

using topology::network;
using topology::prune;

namespace {

using indices = std::vector<std::int64_t>;

/// Ranks a, b, c at switches s, t.
network small(bool named) {
    const std::vector<network::link> links{{0, 3, 1}, {3, 1, 2}, {1, 4, 3}, {4, 2, 4}, {2, 0, 5}, {3, 4, 6}};
    const std::vector<const char*> names{"a", "b", "c", "s", "t"};
    return named ? network(3, 2, links, names) : network(3, 2, links);
}
std::string names(const network& net) {
    std::string all;
    for (rank_t v = 0; v < net.vertices(); ++v) all += std::string(net.name(v)) + " ";
    return all;
}

}  // namespace

TEST_CASE("prune: links are removed, and the others keep their order") {
    const network net = prune(small(true), indices{4, 1, 4});
    CHECK_FALSE(net.check());
    CHECK(names(net) == "a b c s t ");
    const network::link left[] = {{0, 3, 1}, {1, 4, 3}, {4, 2, 4}, {3, 4, 6}};
    CHECK(std::vector(net.links().begin(), net.links().end()) == std::vector(std::begin(left), std::end(left)));
    CHECK(prune(small(true), {}) == small(true));
    CHECK(prune(small(false), {}) == small(false));
    CHECK(prune(small(false), indices{0}).name(1) == std::string_view());
}

TEST_CASE("prune: vertices are removed with their links, and the others are numbered anew") {
    const network net = prune(small(true), indices{2}, std::vector<rank_t>{1, 1});
    CHECK(net.ranks() == 2);
    CHECK(net.switches() == 2);
    CHECK(names(net) == "a c s t ");
    const network::link left[] = {{0, 2, 1}, {3, 1, 4}, {1, 0, 5}, {2, 3, 6}};
    CHECK(std::vector(net.links().begin(), net.links().end()) == std::vector(std::begin(left), std::end(left)));
    const network other = prune(small(true), {}, std::vector<rank_t>{3});
    CHECK(other.ranks() == 3);
    CHECK(other.switches() == 1);
    CHECK(names(other) == "a b c t ");
    CHECK(other.links().size() == 3);
}

TEST_CASE("prune: vertices without names are named by their former numbers") {
    CHECK(names(prune(small(false), {}, std::vector<rank_t>{1, 3})) == "r0 r2 s1 ");
    const network ring = prune(topology::networks::ring(1001, {}), {}, std::vector<rank_t>{0, 500});
    CHECK(ring.name(0) == std::string_view("r1"));
    CHECK(ring.name(8) == std::string_view("r9"));
    CHECK(ring.name(9) == std::string_view("r10"));
    CHECK(ring.name(499) == std::string_view("r501"));
    CHECK(ring.name(998) == std::string_view("r1000"));
    CHECK(ring.links().size() == 2 * 1001 - 8);
}

TEST_CASE("prune: wrong indices are reported") {
    const network net = small(true);
    CHECK(prune(net, indices{0, 6}).check() == argument_error{"links", 6, "the index of a link", 1});
    CHECK(prune(net, indices{-1}).check() == argument_error{"links", -1, "the index of a link", 0});
    CHECK(prune(net, {}, std::vector<rank_t>{5}).check() == argument_error{"vertices", 5, "a vertex", 0});
    CHECK(prune(net, {}, std::vector<rank_t>{0, -1}).check() == argument_error{"vertices", -1, "a vertex", 1});
    CHECK(prune(net, {}, std::vector<rank_t>{0, 1, 2}).check() == argument_error{"ranks", 0, "1 to 2^30"});
    const network wrong(argument_error{"x", 1, "y"});
    CHECK(prune(wrong, {}).check() == argument_error{"x", 1, "y"});
}

TEST_CASE("prune: works during constant evaluation") {
    static_assert([] {
        const std::int64_t links[] = {0};
        const rank_t vertices[] = {3};
        const network net = prune(topology::networks::ring(5, {}), links, vertices);
        return net.ranks() == 4 && net.links().size() == 5 && net.name(3)[1] == '4';
    }());
}
