#include "collsched/topology/price_bound.hpp"

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/topology/networks.hpp"

using namespace collsched;
using namespace topology::detail;

using topology::network;
using topology::price_bound;

TEST_CASE("price_bound: rank times the price of all bandwidth, by the sum of distances") {
    // 0 -> 1 -> 2 -> 0 and a slow link 1 -> 0.
    const std::vector<network::link> links{{0, 1, 20}, {1, 2, 30}, {2, 0, 40}, {1, 0, 10}};
    const network net(3, 0, links);
    // Distances 0-1 and 1-2 and 2-0: 1; 0-2 and 2-1: 2; 1-0 over the slow link: 1.
    const std::vector<std::int64_t> ones{1, 1, 1, 1}, slow{1, 1, 1, 5}, cut{1, 0, 0, 0};
    CHECK(price_bound(net, ones).bandwidth == fraction(3 * 100, 8));
    // The slow link is not on a shortest path: 1-0 is 2.
    CHECK(price_bound(net, slow).bandwidth == fraction(3 * 140, 9));
    // Rank 0 sends to two ranks, and rank 2 to rank 1.
    CHECK(price_bound(net, cut).bandwidth == fraction(3 * 20, 3));
}

TEST_CASE("price_bound: prices of a cut give its bound, and a common factor does not matter") {
    const rank_t sizes[] = {4, 4};
    const network net = topology::networks::torus(sizes, {.bandwidth = 50});
    std::vector<std::int64_t> prices;
    for (const network::link& one : net.links()) prices.push_back(one.from < 8 && one.to >= 8 ? 1 : 0);
    // 8 links, 8 * 8 blocks of M / 16.
    CHECK(price_bound(net, prices).bandwidth == fraction(16 * 8 * 50, 64));
    for (std::int64_t& price : prices) price *= std::int64_t{1} << 32;
    CHECK(price_bound(net, prices).bandwidth == fraction(16 * 8 * 50, 64));
}

TEST_CASE("price_bound: a fraction that exceeds 63 bits is rounded up") {
    constexpr std::int64_t big = (std::int64_t{1} << 60) - 93, price = 3;
    const std::vector<network::link> links{{0, 1, big}, {1, 0, 1}};
    const std::vector<std::int64_t> prices{price, 7};
    const fraction exact(2 * (price * big + 7), 10), found = price_bound(network(2, 0, links), prices).bandwidth;
    CHECK(found == exact);
    // The product with 10 has a numerator above 2^63 unless both parts are rounded.
    const fraction rate((std::int64_t{1} << 62) - 57, 1'000'003);
    const fraction above = topology::detail::product_above(rate, fraction(10));
    CHECK(above.value() >= 10 * rate.value());
    CHECK(above.value() < 10 * rate.value() * (1 + 1e-5));
    CHECK(topology::detail::product_above(fraction(INT64_MAX), fraction(2)) == fraction(0));
    // 3/4 (2^63 - 1), rounded up.
    CHECK(topology::detail::product_above(fraction(INT64_MAX, 2), fraction(3, 2)) == fraction(std::int64_t{3} << 61));
}

TEST_CASE("price_bound: a distance of 1, a bound of 1, switches, and prices behind the given ones") {
    const std::vector<network::link> links{{0, 2, 5}, {2, 1, 5}, {1, 0, 5}};
    // Over switch 2; distances 2 and 1. The fourth number is no price.
    const std::vector<std::int64_t> numbers{1, 1, 1, -1}, last{0, 0, 1};
    CHECK(price_bound(network(2, 1, links), std::span(numbers).first(3)).bandwidth == fraction(2 * 15, 3));
    CHECK(price_bound(network(2, 1, links), last).bandwidth == fraction(2 * 5, 1));
    const network ring = topology::networks::ring(8, {.bandwidth = 1});
    CHECK(price_bound(ring, std::vector<std::int64_t>(16, 1)).bandwidth == fraction(1));
}

TEST_CASE("price_bound: errors") {
    const std::vector<network::link> links{{0, 1, 1}, {1, 0, 1}};
    const network net(2, 0, links);
    const auto error_of = [](const network& one, const std::vector<std::int64_t>& prices) {
        const topology::network::flow_bound bound = price_bound(one, prices);
        CHECK(bound.bandwidth == fraction(0));
        return bound.error;
    };
    CHECK(error_of(network(argument_error{"x", 1, "y"}), {}) == argument_error{"x", 1, "y"});
    CHECK(error_of(network(1, 0, {}), {}) == argument_error{"ranks", 1, "2 or more"});
    CHECK(error_of(net, {1}) == argument_error{"prices", 1, "one price per link"});
    constexpr std::int64_t too_large = (std::int64_t{1} << 32) + 1;
    CHECK(error_of(net, {1, -1}) == argument_error{"prices", -1, "0 to 2^32", 1});
    CHECK(error_of(net, {-1, 1}) == argument_error{"prices", -1, "0 to 2^32", 0});
    CHECK(error_of(net, {1, too_large}) == argument_error{"prices", too_large, "0 to 2^32", 1});
    CHECK(error_of(net, {0, 0}) == argument_error{"prices", 0, "a price above 0 on the paths between two ranks"});
    CHECK(error_of(network(3, 0, std::span(links).first(1)), {1}) ==
          argument_error{"vertex", 2, "a rank that all ranks reach"});
    const std::vector<network::link> one_way{{0, 1, 1}};
    CHECK(error_of(network(2, 0, one_way), {1}) == argument_error{"vertex", 0, "a rank that all ranks reach"});
    const std::vector<network::link> large{{0, 1, INT64_MAX}, {1, 0, INT64_MAX - 1}};
    const char* sums = "bandwidths whose sum, times prices or ranks, is below 2^63";
    CHECK(error_of(network(2, 0, large), {1, 1}) == argument_error{"bandwidth", 1, sums});
    const std::vector<network::link> equal{{0, 1, INT64_MAX}, {1, 0, INT64_MAX}};
    CHECK(error_of(network(2, 0, equal), {1, 1}) == argument_error{"bandwidth", INT64_MAX, sums});
    constexpr std::int64_t half = INT64_MAX / 2;  // two of them each way
    const std::vector<network::link> double_links{{0, 1, half}, {1, 0, half}, {0, 1, half}, {1, 0, half}};
    CHECK(error_of(network(2, 0, double_links), {1, 1, 1, 1}) ==
          argument_error{"bandwidth", half, "a bound below 2^63 bytes per second"});
}

TEST_CASE("shortest_paths: prices first, then the number of arcs") {
    flow_graph graph(6);
    std::vector<std::int64_t> prices;
    const auto add = [&](rank_t from, rank_t to, std::int64_t price) {
        graph.add(from, to, 1);
        prices.push_back(price);
    };
    add(0, 1, 2), add(1, 3, 0), add(0, 2, 1), add(2, 3, 1), add(0, 4, 1), add(4, 2, 0), add(3, 0, 7), add(5, 0, 1);
    shortest_paths paths;
    paths.find(graph, prices, 0);
    CHECK(paths.distance(3) == 2);
    CHECK(paths.distance(2) == 1);
    CHECK_FALSE(paths.reached(5));
    CHECK(paths.order().size() == 5);
    CHECK(paths.order()[0] == 0);
    CHECK(paths.is_tight(1, 3, 0));
    CHECK(paths.is_tight(2, 3, 1));
    CHECK(paths.is_tight(0, 2, 1));
    CHECK_FALSE(paths.is_tight(4, 2, 0));  // as cheap, with one arc more
    CHECK_FALSE(paths.is_tight(5, 0, 1));  // from a vertex that is not reached
}

TEST_CASE("shortest_paths: equal to the distances of Floyd and Warshall") {
    constexpr std::int64_t far = 1'000'000;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        collsched::detail::splitmix64 random(seed);
        const std::int64_t n = random.between(2, 9);
        flow_graph graph(n);
        std::vector<std::int64_t> prices, least(static_cast<std::size_t>(n * n), far);
        const auto at = [&](std::int64_t a, std::int64_t b) -> std::int64_t& {
            return least[static_cast<std::size_t>(a * n + b)];
        };
        for (std::int64_t v = 0; v < n; ++v) at(v, v) = 0;
        for (std::int64_t i = random.between(1, 30); i > 0; --i) {
            const rank_t a = random.between(0, n - 1), b = random.between(0, n - 1);
            if (a == b) continue;
            prices.push_back(random.between(0, 5));
            graph.add(a, b, 1);
            if (prices.back() < at(a, b)) at(a, b) = prices.back();
        }
        for (std::int64_t k = 0; k < n; ++k)
            for (std::int64_t a = 0; a < n; ++a)
                for (std::int64_t b = 0; b < n; ++b)
                    if (at(a, k) + at(k, b) < at(a, b)) at(a, b) = at(a, k) + at(k, b);
        shortest_paths paths;
        for (std::int64_t a = 0; a < n; ++a) {
            paths.find(graph, prices, a);
            for (std::int64_t b = 0; b < n; ++b) {
                CHECK(paths.reached(b) == (at(a, b) < far));
                if (paths.reached(b)) CHECK(paths.distance(b) == at(a, b));
            }
            for (std::size_t i = 1; i < paths.order().size(); ++i)
                CHECK(paths.distance(paths.order()[i - 1]) <= paths.distance(paths.order()[i]));
        }
    }
}
