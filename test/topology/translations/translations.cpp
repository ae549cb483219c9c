#include "collsched/topology/translations.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "collsched/topology/networks.hpp"
#include "collsched/topology/network.hpp"
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
