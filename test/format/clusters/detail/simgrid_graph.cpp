#include "collsched/format/clusters/detail/simgrid_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/brief.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using edge = simgrid_graph::edge;
using method = simgrid_graph::method;

/// Floyd and Warshall's three loops.
std::vector<std::vector<rank_t>> predecessors(std::size_t n, const std::vector<edge>& edges) {
    constexpr std::int64_t far = 1 << 30;
    std::vector<std::vector<std::int64_t>> cost(n, std::vector<std::int64_t>(n, far));
    std::vector<std::vector<rank_t>> before(n, std::vector<rank_t>(n, -1));
    for (const auto& [from, to, links] : edges) {
        cost[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = links;
        before[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] = from;
    }
    for (std::size_t c = 0; c < n; ++c)
        for (std::size_t a = 0; a < n; ++a)
            for (std::size_t b = 0; b < n; ++b)
                if (cost[a][c] + cost[c][b] < cost[a][b]) {
                    cost[a][b] = cost[a][c] + cost[c][b];
                    before[a][b] = before[c][b];
                }
    return before;
}
std::vector<rank_t> path(const std::vector<std::vector<rank_t>>& before, rank_t a, rank_t b) {
    std::vector<rank_t> found{b};
    while (b != a) {
        b = before[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
        if (b < 0) return {};
        found.push_back(b);
    }
    std::reverse(found.begin(), found.end());
    return found;
}
std::int64_t length(const std::vector<rank_t>& way, const std::vector<edge>& edges) {
    std::int64_t all = 0;
    for (std::size_t i = 1; i < way.size(); ++i)
        all += std::find_if(edges.begin(), edges.end(), [&](const edge& e) {
                   return e.from == way[i - 1] && e.to == way[i];
               })->links;
    return all;
}

}  // namespace

TEST_CASE("simgrid_graph: Floyd's paths are those of three loops, and Dijkstra's are as short") {
    std::mt19937 random(5);
    int connected = 0, different = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const rank_t n = 2 + static_cast<rank_t>(random() % 12);
        std::vector<rank_t> vertices;
        for (rank_t v = 0; v < n; ++v) vertices.push_back(v);
        std::vector<edge> edges;
        for (rank_t a = 0; a < n; ++a)
            for (rank_t b = 0; b < n; ++b)
                if (a != b && random() % 4 == 0) edges.push_back({a, b, 1 + static_cast<std::int64_t>(random() % 3)});
        std::shuffle(edges.begin(), edges.end(), random);
        const auto expected = predecessors(vertices.size(), edges);
        const simgrid_graph floyd(vertices, edges, method::floyd), dijkstra(vertices, edges, method::dijkstra);
        for (rank_t a = 0; a < n; ++a) {
            for (rank_t b = 0; b < n; ++b) {
                if (a == b) continue;
                const std::vector<rank_t> way = path(expected, a, b), other = dijkstra.path(a, b);
                CHECK(floyd.path(a, b) == way);
                CHECK(other.empty() == way.empty());
                if (way.empty()) continue;
                CHECK(length(other, edges) == length(way, edges));
                CHECK(other.front() == a);
                CHECK(other.back() == b);
                ++connected;
                different += other != way;
            }
        }
    }
    CHECK(connected > 1000);
    CHECK(different > 10);
}

TEST_CASE("simgrid_graph: among several shortest paths Dijkstra's uses the links mentioned first") {
    const std::vector<rank_t> vertices{10, 20, 30, 40};
    const std::vector<edge> edges{{40, 30, 1}, {30, 20, 1}, {40, 10, 1}, {10, 20, 1}};
    CHECK(simgrid_graph(vertices, edges, method::dijkstra).path(40, 20) == std::vector<rank_t>{40, 30, 20});
    CHECK(simgrid_graph(vertices, edges, method::floyd).path(40, 20) == std::vector<rank_t>{40, 10, 20});
    CHECK(simgrid_graph(vertices, edges, method::floyd).path(20, 40).empty());
    CHECK(simgrid_graph(vertices, edges, method::floyd).path(20, 99).empty());
    CHECK(simgrid_graph(vertices, {}, method::dijkstra).path(10, 20).empty());
}

TEST_CASE("simgrid_graph: a graph of thousands of vertices is feasible") {
    std::vector<rank_t> vertices;
    std::vector<edge> edges;
    const rank_t n = support::brief() ? 150 : 1500;
    for (rank_t v = 0; v < n; ++v) {
        vertices.push_back(v);
        for (const rank_t u : {(v + 1) % n, (v * 7 + 3) % n, v / 2})
            if (u != v) edges.push_back({v, u, 1}), edges.push_back({u, v, 1});
    }
    for (const method how : {method::floyd, method::dijkstra}) {
        const simgrid_graph graph(vertices, edges, how);
        const std::vector<rank_t> way = graph.path(0, n - 1), back = graph.path(n - 1, 0);
        CHECK(way.size() == 2);
        CHECK(back.size() == 2);
        CHECK(graph.path(5, n * 3 / 5).size() > 2);
    }
}
