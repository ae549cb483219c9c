#include "collsched/topology/translations.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collsched/topology/network.hpp"
#include "collsched/topology/networks.hpp"
#include "support/symmetric_networks.hpp"

using namespace collsched;

using support::symmetric_shape;
using topology::find_translations;
using topology::network;
using translations = topology::network::translations;

namespace {

std::vector<rank_t> sizes_of(const network& net) {
    const translations group = find_translations(net);
    return {group.sizes().begin(), group.sizes().end()};
}

std::map<std::pair<rank_t, rank_t>, std::int64_t> bandwidths(const network& net) {
    std::map<std::pair<rank_t, rank_t>, std::int64_t> sums;
    for (const network::link& one : net.links()) sums[{one.from, one.to}] += one.bandwidth;
    return sums;
}

/// Checks the definition: permutations that keep bandwidths, map rank 0 to each rank, and form a commutative group.
void check_group(const network& net, const translations& group) {
    REQUIRE(group.ranks() == net.ranks());
    const auto links = bandwidths(net);
    for (rank_t r = 0; r < net.ranks(); ++r) {
        CHECK(group.image(0, r) == r);
        CHECK(group.image(r, group.inverse(r)) == 0);
        std::set<rank_t> images;
        for (rank_t v = 0; v < net.vertices(); ++v) images.insert(group.image(v, r));
        CHECK(std::ssize(images) == net.vertices());
        bool keeps = true, composes = true;
        for (const auto& [ends, bandwidth] : links) {
            const auto found = links.find({group.image(ends.first, r), group.image(ends.second, r)});
            keeps = keeps && found != links.end() && found->second == bandwidth;
        }
        CHECK(keeps);
        for (rank_t q = 0; q < net.ranks(); ++q)
            for (rank_t v = 0; v < net.vertices(); ++v)
                composes = composes && group.image(group.image(v, q), r) == group.image(v, group.image(q, r));
        CHECK(composes);
    }
}

}  // namespace

TEST_CASE("translations: a torus has its own sizes") {
    const rank_t sizes[] = {4, 2, 3};
    const topology::network::cable cables[] = {{.bandwidth = 3}, {.bandwidth = 2}, {.bandwidth = 3}};
    CHECK(sizes_of(topology::networks::torus(sizes, cables)) == std::vector<rank_t>{4, 2, 3});
    CHECK(sizes_of(topology::networks::ring(7, {})) == std::vector<rank_t>{7});
    CHECK(sizes_of(topology::networks::ring(2, {})) == std::vector<rank_t>{2});
    CHECK(sizes_of(topology::networks::hypercube(4, {})) == std::vector<rank_t>{2, 2, 2, 2});
    CHECK(sizes_of(topology::networks::fully_connected(6, {})) == std::vector<rank_t>{6});
}

TEST_CASE("translations: boxes with a network interface per two ranks") {
    const network net = topology::networks::boxes({.boxes = 3, .ranks_per_box = 8, .nics_per_box = 4, .rails = 2});
    CHECK(sizes_of(net) == std::vector<rank_t>{3, 4, 2});
    check_group(net, find_translations(net));
}

TEST_CASE("translations: a fat tree") {
    const network net = topology::networks::fat_tree(4, {});
    CHECK(sizes_of(net) == std::vector<rank_t>{4, 2, 2});
    check_group(net, find_translations(net));
}

TEST_CASE("translations: a generator adds 1 to a coordinate") {
    const rank_t sizes[] = {4, 2, 3};
    const translations group = find_translations(topology::networks::torus(sizes, topology::network::cable{}));
    CHECK(group.generator(0) == 6);
    CHECK(group.generator(1) == 3);
    CHECK(group.generator(2) == 1);
    CHECK(group.image(20, 6) == 2);
    CHECK(group.image(5, 1) == 3);
    CHECK(group.inverse(7) == 20);
}

TEST_CASE("translations: drawn networks have groups that keep every link") {
    for (std::uint64_t seed = 0; seed < 60; ++seed)
        for (const symmetric_shape shape : {symmetric_shape::torus, symmetric_shape::boxes, symmetric_shape::leaf_spine,
                                            symmetric_shape::circulant, symmetric_shape::rings_at_switch}) {
            CAPTURE(seed);
            const network net = support::symmetric_network(seed, shape);
            check_group(net, find_translations(net));
        }
}

TEST_CASE("translations: none if one link is faster than its images") {
    for (std::uint64_t seed = 0; seed < 60; ++seed)
        for (const symmetric_shape shape : {symmetric_shape::torus, symmetric_shape::boxes, symmetric_shape::leaf_spine,
                                            symmetric_shape::circulant, symmetric_shape::rings_at_switch}) {
            CAPTURE(seed);
            const network net = support::symmetric_network(seed, shape);
            const network other = support::with_faster_link(net, seed % net.links().size());
            const translations group = find_translations(other);
            // A link of a switch that all translations keep, or between two ranks, may have no other image.
            if (group.ranks() > 0) check_group(other, group);
            if (shape == symmetric_shape::torus) CHECK(group.ranks() == 0);
        }
}

TEST_CASE("translations: none of a mesh, of a network without a rank, and of wrong networks") {
    const rank_t sizes[] = {3, 4}, failed[] = {5};
    CHECK(find_translations(topology::networks::mesh(sizes, topology::network::cable{})).ranks() == 0);
    CHECK(find_translations(topology::prune(topology::networks::torus(sizes, topology::network::cable{}), {}, failed))
              .ranks() == 0);
    CHECK(find_translations(network(argument_error{"x", 1, "y"})).ranks() == 0);
    CHECK(find_translations(network(1, 0, {})).ranks() == 0);
    CHECK(find_translations(topology::networks::boxes({.boxes = 2, .ranks_per_box = 4, .nics_per_box = 3})).ranks() ==
          0);
    CHECK(find_translations(network((1 << 20) + 1, 0, {})).ranks() == 0);
    CHECK(translations().ranks() == 0);
}

using topology::detail::arc_table;
using topology::detail::link_orbits;

TEST_CASE("link_orbits: a torus has an orbit per direction") {
    const rank_t sizes[] = {4, 2, 3};
    const topology::network net = topology::networks::torus(sizes, topology::network::cable{.bandwidth = 7});
    const arc_table arcs(net);
    const link_orbits orbits(arcs, topology::find_translations(net));
    REQUIRE(orbits.size.length() == 5);
    for (std::int64_t o = 0; o < 5; ++o) CHECK(orbits.size[o] == 24);
    CHECK(orbits.bandwidth[0] == 7);
}

TEST_CASE("link_orbits: links of switches that share a translation are fewer than ranks") {
    const topology::network net =
        topology::networks::leaf_spine({.leaves = 3, .ranks_per_leaf = 4, .spines = 2, .uplinks = 2});
    const arc_table arcs(net);
    const link_orbits orbits(arcs, topology::find_translations(net));
    CHECK(orbits.size.length() == 6);
    CHECK(orbits.size[orbits.of[arcs.find(0, 12)]] == 12);
    CHECK(orbits.size[orbits.of[arcs.find(12, 15)]] == 3);
    CHECK(orbits.bandwidth[orbits.of[arcs.find(12, 15)]] == 2 * topology::network::cable{}.bandwidth);
    CHECK(orbits.of[arcs.find(12, 15)] == orbits.of[arcs.find(14, 15)]);
    CHECK(orbits.of[arcs.find(12, 15)] != orbits.of[arcs.find(12, 16)]);
}

TEST_CASE("link_orbits: an orbit has all images of its links, and no other links") {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const topology::network net = support::symmetric_network(seed, support::symmetric_shape::boxes);
        const topology::network::translations group = topology::find_translations(net);
        REQUIRE(group.ranks() == net.ranks());
        const arc_table arcs(net);
        const link_orbits orbits(arcs, group);
        for (std::int64_t i = 0; i < arcs.size(); ++i) {
            std::vector<std::int64_t> images;
            for (rank_t r = 0; r < net.ranks(); ++r)
                images.push_back(arcs.find(group.image(arcs[i].from, r), group.image(arcs[i].to, r)));
            std::sort(images.begin(), images.end());
            images.erase(std::unique(images.begin(), images.end()), images.end());
            CHECK(std::ssize(images) == orbits.size[orbits.of[i]]);
            for (const std::int64_t image : images) CHECK(orbits.of[image] == orbits.of[i]);
        }
    }
}

TEST_CASE("link_orbits: orbits are numbered in the order of their first arcs") {
    const topology::network net = topology::networks::ring(3, {.bandwidth = 7});
    const link_orbits orbits(arc_table(net), topology::find_translations(net));
    // Arcs 0-1, 0-2, 1-0, 1-2, 2-0, 2-1.
    CHECK(std::vector<std::int64_t>(orbits.of) == std::vector<std::int64_t>{0, 1, 1, 0, 0, 1});
    CHECK(std::vector<std::int64_t>(orbits.size) == std::vector<std::int64_t>{3, 3});
    CHECK(std::vector<std::int64_t>(orbits.bandwidth) == std::vector<std::int64_t>{7, 7});
}

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
