#include "collsched/topology/rank_cycle.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace collsched;
using topology::detail::signed_vector;

namespace {

/// Returns whether two ranks differ by 1 in one coordinate; with `wraps`, or by size - 1 in dimension d.
bool are_neighbors(const signed_vector<rank_t>& sizes, std::int64_t d, bool wraps, rank_t a, rank_t b) {
    int different = 0;
    bool near = true;
    for (std::int64_t i = sizes.length(); i-- > 0; a /= sizes[i], b /= sizes[i]) {
        const rank_t distance = std::max(a % sizes[i], b % sizes[i]) - std::min(a % sizes[i], b % sizes[i]);
        if (distance == 0) continue;
        ++different;
        near = near && (distance == 1 || (wraps && i == d && distance == sizes[i] - 1));
    }
    return different == 1 && near;
}

}  // namespace

TEST_CASE("grid_cycles: all sequences of sizes with a product") {
    std::set<std::vector<rank_t>> all;
    signed_vector<rank_t> sizes;
    topology::detail::for_each_sizes(12, 2, sizes, [&](const signed_vector<rank_t>& one) { all.insert(one); });
    CHECK(all == std::set<std::vector<rank_t>>{{12}, {2, 6}, {6, 2}, {3, 4}, {4, 3}});
    topology::detail::for_each_sizes(12, 3, sizes, [&](const signed_vector<rank_t>& one) { all.insert(one); });
    CHECK(all.size() == 8);
}

TEST_CASE("grid_cycles: every rank once, between neighbors of the mesh, or of the torus for an odd number of turns") {
    for (const signed_vector<rank_t>& sizes :
         {signed_vector<rank_t>{4, 5}, {3, 3}, {2, 2}, {5}, {2, 3, 4}, {3, 5, 3}, {2, 2, 2, 3}}) {
        rank_t ranks = 1;
        for (const rank_t size : sizes) ranks *= size;
        for (std::int64_t d = 0; d < sizes.length(); ++d) {
            const signed_vector<rank_t> cycle = topology::detail::grid_cycle(sizes, d);
            CHECK(std::set<rank_t>(cycle.begin(), cycle.end()).size() == static_cast<std::size_t>(ranks));
            REQUIRE(cycle.length() == ranks);
            const bool odd = ranks / sizes[d] % 2 == 1;
            for (std::int64_t i = 0; i < ranks; ++i)
                CHECK(are_neighbors(sizes, d, odd, cycle[i], cycle[(i + 1) % ranks]));
        }
    }
}
