#include "collsched/topology/translations.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/topology/networks.hpp"

using namespace collsched;
using topology::network;
using topology::detail::arc_table;
using topology::detail::signed_vector;
using topology::detail::switch_images;

namespace {

signed_vector<rank_t> images_of(const network& net, const signed_vector<rank_t>& ranks) {
    const arc_table arcs(net);
    return switch_images(arcs, net.ranks(), net.vertices()).extend(ranks);
}

}  // namespace

TEST_CASE("switch_images: switches follow their ranks") {
    // Ranks 0 and 1 at switch 4, ranks 2 and 3 at switch 5.
    const network net = topology::networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 2, .spines = 2});
    CHECK(images_of(net, {2, 3, 0, 1}) == signed_vector<rank_t>{2, 3, 0, 1, 5, 4, 6, 7});
    CHECK(images_of(net, {1, 0, 2, 3}) == signed_vector<rank_t>{1, 0, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("switch_images: no image of a permutation that separates ranks of a switch") {
    const network net = topology::networks::leaf_spine({.leaves = 2, .ranks_per_leaf = 2, .spines = 2});
    CHECK(images_of(net, {1, 2, 3, 0}).empty());
}

TEST_CASE("switch_images: bandwidths are kept") {
    const std::vector<network::link> links{{0, 1, 4}, {1, 2, 4}, {2, 0, 4}}, faster{{0, 1, 4}, {1, 2, 4}, {2, 0, 5}};
    CHECK(images_of(network(3, 0, links), {1, 2, 0}) == signed_vector<rank_t>{1, 2, 0});
    CHECK(images_of(network(3, 0, faster), {1, 2, 0}).empty());
    CHECK(images_of(network(3, 0, links), {2, 1, 0}).empty());
}

TEST_CASE("switch_images: equal switches keep their order, and those behind them follow") {
    // Both ranks are at switches 2 and 3, which differ only by switch 4 behind 2 and 5 behind 3.
    std::vector<network::link> links;
    for (const rank_t r : {0, 1})
        for (const rank_t s : {2, 3}) links.push_back({r, s, 1}), links.push_back({s, r, 1});
    links.push_back({2, 4, 1}), links.push_back({3, 5, 1});
    CHECK(images_of(network(2, 4, links), {1, 0}) == signed_vector<rank_t>{1, 0, 2, 3, 4, 5});
}

TEST_CASE("switch_images: the equal switches with the least number are the first to be chosen") {
    // Behind rank 0 switches 2 and 4, with 3 behind 2 and 5 behind 4; behind rank 1 switches 6 and 8, with 9 behind 6
    // and 7 behind 8.
    const std::vector<network::link> links{{0, 2, 1}, {0, 4, 1}, {2, 3, 1}, {4, 5, 1},
                                           {1, 6, 1}, {1, 8, 1}, {6, 9, 1}, {8, 7, 1}};
    CHECK(images_of(network(2, 8, links), {1, 0}) == signed_vector<rank_t>{1, 0, 6, 9, 8, 7, 2, 5, 4, 3});
    CHECK(images_of(network(2, 8, links), {0, 1}) == signed_vector<rank_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}
