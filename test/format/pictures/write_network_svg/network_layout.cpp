#include "collsched/format/pictures/write_network_svg.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "collsched/topology/networks.hpp"

using namespace collsched;

namespace {

double apart(const detail::network_layout::point& a, const detail::network_layout::point& b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

}  // namespace

TEST_CASE("network_layout: neighbors of a mesh are closer than all other vertices") {
    const std::vector<rank_t> sizes{4, 5};
    const topology::network net = topology::networks::mesh(sizes, {.bandwidth = 1});
    const auto places = detail::network_layout(net).places();
    REQUIRE(places.size() == 20);
    double farthest = 0, closest = 1e9;
    for (std::size_t a = 0; a < places.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const bool linked = std::ranges::any_of(net.links(), [&](const topology::network::link& one) {
                return one.from == static_cast<rank_t>(a) && one.to == static_cast<rank_t>(b);
            });
            if (linked) farthest = std::max(farthest, apart(places[a], places[b]));
            else closest = std::min(closest, apart(places[a], places[b]));
        }
    CHECK(farthest < closest);
    CHECK(farthest < 1.5);
}

TEST_CASE("network_layout: one vertex, and vertices that are not connected") {
    const auto one = detail::network_layout(topology::network(1, 0, {})).places();
    CHECK((one.size() == 1 && std::isfinite(one[0].x) && std::isfinite(one[0].y)));
    const auto two = detail::network_layout(topology::network(2, 0, {})).places();
    CHECK((std::isfinite(two[0].x) && apart(two[0], two[1]) > 0.1));
}
