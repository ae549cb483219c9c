#include "support/cut_oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "support/random_network.hpp"

using namespace collsched;
using topology::network;

namespace {

constexpr support::network_shape shapes[] = {support::network_shape::directed, support::network_shape::bidirectional,
                                             support::network_shape::balanced_switches};

network star(std::int64_t bandwidth) {
    std::vector<network::link> links;
    for (rank_t r = 0; r < 3; ++r) {
        links.push_back({r, 3, bandwidth});
        links.push_back({3, r, bandwidth});
    }
    return {3, 1, links};
}

/// Whether a vertex reaches all others over links, or is reached from all if `reversed`.
bool reaches_all(const network& net, bool reversed) {
    std::set<rank_t> reached{0};
    for (rank_t more = 0; more < net.vertices(); ++more)
        for (const auto& one : net.links())
            if (reached.contains(reversed ? one.to : one.from)) reached.insert(reversed ? one.from : one.to);
    return static_cast<rank_t>(reached.size()) == net.vertices();
}

std::vector<std::int64_t> surplus(const network& net) {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(net.vertices()));
    for (const auto& one : net.links()) {
        sums[static_cast<std::size_t>(one.from)] += one.bandwidth;
        sums[static_cast<std::size_t>(one.to)] -= one.bandwidth;
    }
    return sums;
}

}  // namespace

TEST_CASE("cut_oracle: the bounds of a star of three ranks") {
    const network net = star(2);
    using support::cut_oracle::bound;
    CHECK(bound(net, collective::allgather, 0) == fraction(3));
    CHECK(bound(net, collective::reduce_scatter, 0) == fraction(3));
    CHECK(bound(net, collective::broadcast, 1) == fraction(2));
    CHECK(bound(net, collective::reduce, 1) == fraction(2));
    CHECK(bound(net, collective::allreduce, 0) == fraction(6, 4));
    const std::vector<rank_t> two{0, 1, 3}, one{0}, all{0, 1, 2};
    CHECK(support::cut_oracle::is_saturated(net, collective::allgather, 0, two));
    CHECK_FALSE(support::cut_oracle::is_saturated(net, collective::allgather, 0, one));
    CHECK_FALSE(support::cut_oracle::is_saturated(net, collective::allgather, 0, all));
    CHECK(support::cut_oracle::is_saturated(net, collective::broadcast, 0, one));
    CHECK_FALSE(support::cut_oracle::is_saturated(net, collective::broadcast, 1, one));
    CHECK(support::cut_oracle::links_of(net, collective::allgather, two) == std::vector<std::int64_t>{5});
    CHECK(support::cut_oracle::links_of(net, collective::reduce, two) == std::vector<std::int64_t>{4});
}

TEST_CASE("cut_oracle: directions differ where the network is not balanced") {
    const std::vector<network::link> links{{0, 1, 10}, {1, 2, 7}, {2, 0, 3}, {0, 2, 1}};
    const network net(3, 0, links);
    using support::cut_oracle::bound;
    CHECK(bound(net, collective::broadcast, 0) == fraction(8));     // into 2
    CHECK(bound(net, collective::reduce, 0) == fraction(3));        // into 0
    CHECK(bound(net, collective::broadcast, 1) == fraction(3));     // into 0
    CHECK(bound(net, collective::reduce, 1) == fraction(3));        // out of 2
    CHECK(bound(net, collective::allgather, 0) == fraction(9, 2));  // 1 and 2 send 3, each a third of the vector
    CHECK(bound(net, collective::reduce_scatter, 0) == fraction(9, 2));
    CHECK(bound(net, collective::allreduce, 0) == fraction(3));
}

TEST_CASE("cut_oracle: few unit trees leave some bandwidth unused") {
    const std::vector<network::link> links{{0, 1, 3}, {0, 1, 3}, {1, 0, 3}, {1, 0, 3}, {1, 2, 4}, {2, 1, 4}};
    const network net(3, 0, links);
    const auto all = support::cut_oracle::all_ranks(net);
    CHECK(support::cut_oracle::least_rate(net, all, support::cut_oracle::direction::out) == fraction(6));
    CHECK(support::cut_oracle::rate_of_few(net, all, 1, true) == fraction(6));
    CHECK(support::cut_oracle::rate_of_few(net, 1, 1, false) == fraction(3));
    CHECK(support::cut_oracle::rate_of_few(net, 1, 1, true) == fraction(4));
}

TEST_CASE("random_network: networks are valid, strongly connected and balanced as their shape requires") {
    std::int64_t switches = 0, parallel = 0;
    for (const support::network_shape shape : shapes)
        for (std::uint64_t seed = 0; seed < 500; ++seed) {
            const network net = support::random_network(seed, shape);
            CAPTURE(seed);
            CAPTURE(support::drawn(net));
            REQUIRE_FALSE(net.check());
            CHECK(net == support::random_network(seed, shape));
            CHECK((net.ranks() >= 2 && net.vertices() <= 10));
            CHECK((reaches_all(net, false) && reaches_all(net, true)));
            const auto sums = surplus(net);
            if (shape == support::network_shape::bidirectional)
                CHECK(std::count(sums.begin(), sums.end(), 0) == net.vertices());
            if (shape == support::network_shape::balanced_switches)
                CHECK(std::count(sums.begin() + net.ranks(), sums.end(), 0) == net.switches());
            std::set<std::pair<rank_t, rank_t>> pairs;
            for (const auto& one : net.links()) pairs.insert({one.from, one.to});
            switches += net.switches() > 0 ? 1 : 0;
            parallel += pairs.size() < net.links().size() ? 1 : 0;
        }
    CHECK(switches > 750);
    CHECK(parallel > 300);
}

TEST_CASE("cut_oracle: bounds of a network reversed are those of the opposite collective") {
    for (const support::network_shape shape : shapes)
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const network net = support::random_network(seed, shape);
            std::vector<network::link> links(net.links().begin(), net.links().end());
            for (auto& one : links) std::swap(one.from, one.to);
            const network back(net.ranks(), net.switches(), links);
            CAPTURE(support::drawn(net));
            using support::cut_oracle::bound;
            const rank_t root = static_cast<rank_t>(seed) % net.ranks();
            CHECK(bound(net, collective::allgather, 0) == bound(back, collective::reduce_scatter, 0));
            CHECK(bound(net, collective::broadcast, root) == bound(back, collective::reduce, root));
            CHECK(bound(net, collective::allreduce, 0) == bound(back, collective::allreduce, 0));
        }
}
