#include "collsched/topology/price_bound.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using namespace topology::detail;

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
