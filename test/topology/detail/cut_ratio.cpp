#include "collsched/topology/detail/cut_ratio.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "support/random_network.hpp"
#include "support/symmetric_networks.hpp"

using namespace collsched;
using topology::network;
using namespace topology::detail;

TEST_CASE("cut_ratio: capacities are divided by their greatest common divisor") {
    const std::vector<network::link> links{{0, 1, 30}, {1, 0, 42}};
    const capacity_graph net = make_capacity_graph(network(2, 0, links).reversed());
    CHECK(net.unit == 6);
    CHECK(net.graph[0].from == 1);
    CHECK(net.graph[0].capacity == 5);
    CHECK(net.graph[1].capacity == 7);
}

TEST_CASE("cut_ratio: a cut of several ranks decides") {
    // Pairs 0, 1 and 2, 3 with fast links within, one slow link between the pairs.
    const std::vector<network::link> links{{0, 1, 9}, {1, 0, 9}, {2, 3, 9}, {3, 2, 9}, {1, 2, 3}, {2, 1, 3}};
    const capacity_graph net = make_capacity_graph(network(4, 0, links));
    const std::vector<rank_t> roots{0, 1, 2, 3};
    const cut_ratio found = cut_ratio_search(net, roots).run();
    CHECK_FALSE(found.error);
    CHECK(found.rate == fraction(1, 2));
    CHECK(found.inside[0] == found.inside[1]);
    CHECK(found.inside[0] != found.inside[2]);
}

TEST_CASE("cut_ratio: a ring of 2000 ranks with two slow cables") {
    // The cables 499 - 500 and 1499 - 1500 separate 1000 ranks from the others. All else has 1000 or more out of it.
    std::vector<network::link> links;
    for (rank_t r = 0; r < 2000; ++r) {
        const std::int64_t bandwidth = r == 499 || r == 1499 ? 10 : 1000;
        links.push_back({r, (r + 1) % 2000, bandwidth}), links.push_back({(r + 1) % 2000, r, bandwidth});
    }
    const capacity_graph net = make_capacity_graph(network(2000, 0, links));
    std::vector<rank_t> roots;
    for (rank_t r = 0; r < 2000; ++r) roots.push_back(r);
    const cut_ratio found = cut_ratio_search(net, roots).run();
    CHECK_FALSE(found.error);
    CHECK(net.unit == 10);
    CHECK(found.rate == fraction(2, 1000));
    for (rank_t r = 0; r < 2000; ++r) CHECK(found.inside[r] == found.inside[r < 500 || r >= 1500 ? 0 : 1000]);
    CHECK(found.inside[0] != found.inside[1000]);
}

TEST_CASE("cut_ratio: one root, which is a sink too") {
    const std::vector<network::link> links{{0, 1, 5}, {1, 2, 3}, {0, 2, 1}, {2, 0, 1}};
    const capacity_graph net = make_capacity_graph(network(3, 0, links));
    const rank_t root[] = {0};
    const cut_ratio found = cut_ratio_search(net, root).run();
    CHECK_FALSE(found.error);
    CHECK(found.rate == fraction(4));
    CHECK(found.inside[0] == 1);
    CHECK(found.inside[2] == 0);
}

TEST_CASE("cut_ratio: one sink suffices where translations map every rank to every other one") {
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        for (const support::symmetric_shape shape :
             {support::symmetric_shape::torus, support::symmetric_shape::boxes, support::symmetric_shape::circulant}) {
            const network symmetric = support::symmetric_network(seed, shape);
            const capacity_graph net = make_capacity_graph(symmetric);
            const std::vector<rank_t> roots = support::ranks_of(symmetric);
            const cut_ratio all = cut_ratio_search(net, roots).run(), one = cut_ratio_search(net, roots, 1).run();
            CHECK(one.rate == all.rate);
            CHECK(one.inside == all.inside);
        }
}

TEST_CASE("cut_ratio: the least of all sets of vertices, in networks whose directions differ") {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        const network drawn = support::network_maker(seed, support::network_shape::directed).made();
        const capacity_graph net = make_capacity_graph(drawn);
        const std::vector<rank_t> roots = support::ranks_of(drawn);
        const rank_t vertices = drawn.ranks() + drawn.switches();
        fraction least(INT64_MAX);
        for (unsigned set = 1; set < 1U << vertices; ++set) {
            const auto in_set = [&](rank_t v) { return (set >> v & 1U) != 0; };
            std::int64_t inside = 0, entering = 0;
            for (const rank_t root : roots) inside += in_set(root) ? 1 : 0;
            if (inside == 0 || inside == std::ssize(roots)) continue;
            for (std::int64_t i = 0; i < net.graph.arcs(); ++i)
                if (!in_set(net.graph[i].from) && in_set(net.graph[i].to)) entering += net.graph[i].capacity;
            if (const fraction ratio(entering, std::ssize(roots) - inside); ratio < least) least = ratio;
        }
        CHECK(cut_ratio_search(net, roots).run().rate == least);
    }
}
