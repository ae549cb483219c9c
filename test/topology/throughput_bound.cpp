#include "collsched/topology/throughput_bound.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/topology/translations.hpp"

using namespace collsched;
using cut_bound = topology::network::cut_bound;
using topology::network;
using topology::throughput_bound;

namespace {

/// Capacity of the links that leave a set of vertices, given as bits.
std::int64_t leaving(const network& net, int set) {
    std::int64_t sum = 0;
    for (const network::link& one : net.links())
        if ((set >> one.from & 1) != 0 && (set >> one.to & 1) == 0) sum += one.bandwidth;
    return sum;
}

/// The least of `messages` * leaving(S) / |S and roots| over all sets S. Bits of `roots` are ranks.
fraction least_over_cuts(const network& net, int roots, std::int64_t messages) {
    fraction least(INT64_MAX);
    const int ranks = (1 << net.ranks()) - 1;
    for (int set = 1; set < 1 << net.vertices(); ++set) {
        if ((set & ranks) == ranks || (set & roots) == 0) continue;
        const fraction ratio(messages * leaving(net, set), __builtin_popcount(static_cast<unsigned>(set & roots)));
        if (ratio < least) least = ratio;
    }
    return least;
}

network reversed(const network& net) {
    std::vector<network::link> links;
    for (const network::link& one : net.links()) links.push_back({one.to, one.from, one.bandwidth, one.latency});
    return {net.ranks(), net.switches(), links};
}

/// The ratio of the reported cut, from its links alone.
fraction ratio_of(const network& net, const cut_bound& bound, std::int64_t messages, bool all_roots) {
    std::int64_t sum = 0, ranks = 0;
    for (const std::int64_t link : bound.links) sum += net.links()[static_cast<std::size_t>(link)].bandwidth;
    for (const rank_t v : bound.cut) ranks += net.is_switch(v) ? 0 : 1;
    return {messages * sum, all_roots ? ranks : 1};
}

network random_network(std::uint64_t seed) {
    collsched::detail::splitmix64 random(seed);
    const rank_t ranks = random.between(2, 6), switches = random.between(0, 8 - ranks);
    std::vector<network::link> links;
    for (std::int64_t i = random.between(4, 30); i > 0; --i) {
        const rank_t from = random.between(0, ranks + switches - 1), to = random.between(0, ranks + switches - 1);
        if (from != to) links.push_back({from, to, 5 * random.between(1, 20)});
    }
    return {ranks, switches, links};
}

}  // namespace

TEST_CASE("throughput_bound: equal to the least over all cuts, and the cut proves it") {
    int connected = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const network net = random_network(seed);
        const network back = reversed(net);
        const rank_t root = static_cast<rank_t>(seed) % net.ranks();
        const auto check = [&](collective what, const network& graph, int roots, std::int64_t messages) {
            const cut_bound bound = throughput_bound(net, what, root);
            CHECK(bound.bandwidth == least_over_cuts(graph, roots, messages));
            CHECK(static_cast<bool>(bound.error) == (bound.bandwidth == fraction(0)));
            if (bound.error) return;
            CHECK(ratio_of(net, bound, messages, messages > 1) == bound.bandwidth);
            ++connected;
        };
        const int all = (1 << net.ranks()) - 1;
        check(collective::allgather, net, all, net.ranks());
        check(collective::reduce_scatter, back, all, net.ranks());
        check(collective::broadcast, net, 1 << root, 1);
        check(collective::reduce, back, 1 << root, 1);
        const cut_bound bound = throughput_bound(net, collective::allreduce);
        CHECK_FALSE(least_over_cuts(net, 1, 1) < bound.bandwidth);
        CHECK_FALSE(least_over_cuts(back, 1, 1) < bound.bandwidth);
        if (!bound.cut.empty()) CHECK(ratio_of(net, bound, 1, false) == bound.bandwidth);
    }
    CHECK(connected > 400);
}

TEST_CASE("throughput_bound: boxes with slow interfaces are limited by the cut of a box, not of a rank") {
    const network net = topology::networks::boxes({.boxes = 2,
                                                   .ranks_per_box = 2,
                                                   .nics_per_box = 1,
                                                   .rank_cable = {.bandwidth = 100},
                                                   .nic_cable = {.bandwidth = 3},
                                                   .rail_cable = {.bandwidth = 3}});
    REQUIRE(topology::find_translations(net).ranks() == 4);
    CHECK(throughput_bound(net, collective::allgather).bandwidth == least_over_cuts(net, 15, 4));
    CHECK(throughput_bound(net, collective::allgather).bandwidth == fraction(6));
}

TEST_CASE("throughput_bound: ranks at one switch") {
    // Four ranks at switch 4, 60 bytes per second in each direction.
    std::vector<network::link> links;
    for (rank_t r = 0; r < 4; ++r) links.push_back({r, 4, 60}), links.push_back({4, r, 60});
    const network net(4, 1, links);
    const cut_bound bound = throughput_bound(net, collective::allgather);
    CHECK(bound.bandwidth == fraction(80));
    CHECK(bound.cut.size() == 4);
    CHECK(bound.links.size() == 1);
    CHECK(throughput_bound(net, collective::reduce_scatter).bandwidth == fraction(80));
    CHECK(throughput_bound(net, collective::broadcast, 3).bandwidth == fraction(60));
    const cut_bound both = throughput_bound(net, collective::allreduce);
    CHECK(both.bandwidth == fraction(40));
    CHECK(both.cut.empty());
    CHECK(both.links.empty());
}

TEST_CASE("throughput_bound: for reduce the links enter the cut") {
    const std::vector<network::link> links{{0, 1, 7}, {1, 0, 3}, {1, 0, 1}};
    const network net(2, 0, links);
    const cut_bound bound = throughput_bound(net, collective::reduce, 0);
    CHECK(bound.bandwidth == fraction(4));
    CHECK(bound.cut == owned_array<rank_t>(std::vector<rank_t>{0}));
    CHECK(bound.links == owned_array<std::int64_t>(std::vector<std::int64_t>{1, 2}));
    CHECK(throughput_bound(net, collective::broadcast, 0).bandwidth == fraction(7));
}

TEST_CASE("throughput_bound: errors") {
    const std::vector<network::link> links{{0, 1}, {1, 2}, {2, 1}};
    const network net(3, 0, links);
    const auto error_of = [](const network& one, collective what, rank_t root = 0) {
        const cut_bound bound = throughput_bound(one, what, root);
        CHECK(bound.bandwidth == fraction(0));
        CHECK(bound.cut.empty());
        return bound.error;
    };
    CHECK(error_of(network(argument_error{"x", 1, "y"}), collective::reduce) == argument_error{"x", 1, "y"});
    CHECK(error_of(network(1, 0, {}), collective::allgather) == argument_error{"ranks", 1, "2 or more"});
    CHECK(error_of(net, collective::broadcast, 3) == argument_error{"root", 3, "0 to ranks-1"});
    for (const rank_t root : {-1, 3})
        CHECK(error_of(net, collective::allgather, root) == argument_error{"root", root, "0 to ranks-1"});
    CHECK(error_of(net, collective::alltoall) ==
          argument_error{"collective", static_cast<std::int64_t>(collective::alltoall),
                         "allgather, reduce_scatter, broadcast, reduce or allreduce"});
    CHECK(error_of(net, collective::allgather).argument == std::string_view("vertex"));
    CHECK(error_of(net, collective::allreduce).argument == std::string_view("vertex"));
    CHECK(error_of(net, collective::broadcast, 1) == argument_error{"vertex", 0, "a rank that all roots reach"});
    CHECK(error_of(net, collective::reduce, 0).value == 1);
    CHECK_FALSE(throughput_bound(net, collective::broadcast, 0).error);
    const std::vector<network::link> large{{0, 1, INT64_MAX}, {1, 0, INT64_MAX - 1}};
    CHECK(error_of(network(2, 0, large), collective::allgather).argument == std::string_view("bandwidth"));
    CHECK(error_of(network(2, 0, large), collective::allreduce).argument == std::string_view("bandwidth"));
}

TEST_CASE("throughput_bound: of equal bounds of allreduce a cut decides, that of broadcast") {
    const std::vector<network::link> links{{0, 1, 5}, {1, 0, 5}};
    const cut_bound bound = throughput_bound(network(2, 0, links), collective::allreduce);
    CHECK(bound.bandwidth == fraction(5));
    CHECK(bound.cut == owned_array<rank_t>(std::vector<rank_t>{0}));
    CHECK(bound.links == owned_array<std::int64_t>(std::vector<std::int64_t>{0}));
    const std::vector<network::link> one_way{{0, 1, 7}, {1, 0, 3}, {1, 2, 4}, {2, 1, 9}};
    const network uneven(3, 0, one_way);
    for (const collective what : {collective::broadcast, collective::reduce})
        CHECK(throughput_bound(uneven, what).bandwidth == throughput_bound(uneven, what, 0).bandwidth);
    CHECK(throughput_bound(uneven, collective::broadcast).bandwidth == fraction(4));
    CHECK(throughput_bound(uneven, collective::broadcast, 1).bandwidth == fraction(3));
}

TEST_CASE("throughput_bound: allreduce with a limit of all traffic near 2^63") {
    constexpr std::int64_t unit = (std::int64_t{1} << 61) - 1;
    const auto ring = [](int first, int second, int third) {
        std::vector<network::link> links;
        for (; first > 0; --first) links.push_back({0, 1, unit});
        for (; second > 0; --second) links.push_back({1, 2, unit});
        for (; third > 0; --third) links.push_back({2, 0, unit});
        return network(3, 0, links);
    };
    // 20 links: 20 / 4 units, a whole number above 2^63, do not limit the cut of 1 link.
    CHECK(throughput_bound(ring(1, 16, 3), collective::allreduce).bandwidth == fraction(unit));
    CHECK(throughput_bound(ring(1, 1, 3), collective::allreduce).error ==
          argument_error{"bandwidth", unit, "a bound below 2^63 bytes per second"});
    CHECK(throughput_bound(ring(1, 1, 3), collective::allreduce).bandwidth == fraction(0));
    CHECK(throughput_bound(ring(5, 5, 5), collective::broadcast).error ==
          argument_error{"bandwidth", unit, "a bound below 2^63 bytes per second"});
    const std::vector<network::link> many{{0, 1, INT64_MAX}, {1, 0, 1}, {1, 0, INT64_MAX - 1}};
    CHECK(throughput_bound(network(2, 0, many), collective::allreduce).bandwidth == fraction(0));
}

TEST_CASE("throughput_bound: allreduce with a sum of bandwidths beyond 63 bits") {
    std::vector<network::link> links;
    for (rank_t a = 0; a < 70; ++a)
        for (rank_t b = 0; b < 70; ++b)
            if (a != b) links.push_back({a, b, 2'000'000'000'000'000});
    CHECK(throughput_bound(network(70, 0, links), collective::allreduce).bandwidth == fraction(70'000'000'000'000'000));
}

TEST_CASE("throughput_bound: a torus of 4096 ranks is limited by the links of a rank") {
    const rank_t sizes[] = {16, 16, 16};
    const network net = topology::networks::torus(sizes, topology::network::cable{.bandwidth = 50'000'000'000});
    for (const collective what : {collective::allgather, collective::reduce_scatter}) {
        const cut_bound bound = throughput_bound(net, what);
        CHECK(bound.bandwidth == fraction(300'000'000'000 * 4096, 4095));
        CHECK(bound.links.size() == 6);
    }
}
