#include "collsched/tree/pack_forest.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/brief.hpp"
#include "support/cut_oracle.hpp"
#include "support/forest_oracle.hpp"
#include "support/random_network.hpp"

using namespace collsched;
using topology::network;

namespace {

namespace cut_oracle = support::cut_oracle;
namespace forest_oracle = support::forest_oracle;

std::vector<rank_t> all_ranks(const network& net) {
    std::vector<rank_t> ranks;
    for (rank_t r = 0; r < net.ranks(); ++r) ranks.push_back(r);
    return ranks;
}

/// Packs, and checks the forest and its rate by their definitions.
/// @return the rate
fraction checked_rate(const network& net, const std::vector<rank_t>& roots, std::int64_t trees_per_root = 0) {
    CAPTURE(support::drawn(net));
    CAPTURE(roots.size());
    CAPTURE(roots.front());
    CAPTURE(trees_per_root);
    const trees::packed_forest packed = trees::pack_forest(net, roots, trees_per_root);
    REQUIRE_FALSE(packed.error);
    REQUIRE(forest_oracle::first_fault(net, packed.result, roots) == "");
    CHECK(forest_oracle::first_detour(packed.result) == "");
    CHECK(forest_oracle::rate_of(packed.result) == packed.bandwidth);
    return packed.bandwidth;
}

/// The bound of data of `roots`, by all cuts.
fraction bound_of(const network& net, const std::vector<rank_t>& roots) {
    return cut_oracle::least_rate(net, cut_oracle::set_of(roots), cut_oracle::direction::out);
}

/// Checks that a packing attains the bound.
void check_optimal(const network& net, const std::vector<rank_t>& roots) {
    CAPTURE(support::drawn(net));
    CAPTURE(roots.size());
    CAPTURE(roots.front());
    const fraction rate = checked_rate(net, roots), bound = bound_of(net, roots);
    CHECK(rate.numerator() == bound.numerator());
    CHECK(rate.denominator() == bound.denominator());
}

}  // namespace

TEST_CASE("pack_forest: attains the bound from all ranks and from one in random networks of cables") {
    for (std::uint64_t seed = 0; seed < 2000; seed += support::one_of()) {
        const network net = support::random_network(seed, support::network_shape::bidirectional);
        CAPTURE(seed);
        check_optimal(net, all_ranks(net));
        check_optimal(net, {static_cast<rank_t>(seed) % net.ranks()});
    }
}

TEST_CASE("pack_forest: attains the bound where switches are balanced and ranks are not") {
    for (std::uint64_t seed = 0; seed < 1000; seed += support::one_of()) {
        const network net = support::random_network(seed, support::network_shape::balanced_switches);
        CAPTURE(seed);
        check_optimal(net, all_ranks(net));
        check_optimal(net, {static_cast<rank_t>(seed) % net.ranks()});
    }
}

TEST_CASE("pack_forest: attains the bound from some of the ranks") {
    for (std::uint64_t seed = 0; seed < 500; seed += support::one_of()) {
        const network net = support::random_network(seed, support::network_shape::bidirectional);
        std::vector<rank_t> roots;
        for (rank_t r = 0; r < net.ranks(); ++r)
            if (((seed >> (r % 5)) & 1) != 0) roots.push_back(r);
        CAPTURE(seed);
        if (!roots.empty()) check_optimal(net, roots);
    }
}

TEST_CASE("pack_forest: forests of any network are valid and at most as fast as the bound") {
    for (std::uint64_t seed = 0; seed < 2000; seed += support::one_of()) {
        const network net = support::random_network(seed, support::network_shape::directed);
        CAPTURE(seed);
        for (const std::vector<rank_t>& roots :
             {all_ranks(net), std::vector<rank_t>{static_cast<rank_t>(seed) % net.ranks()}}) {
            const fraction rate = checked_rate(net, roots), bound = bound_of(net, roots);
            CHECK_FALSE(bound < rate);
            if (net.switches() == 0) CHECK(rate == bound);
        }
    }
}

TEST_CASE("pack_forest: few trees per root are valid where switches are balanced and ranks are not") {
    for (std::uint64_t seed = 0; seed < 600; seed += support::one_of()) {
        const network net = support::random_network(seed, support::network_shape::balanced_switches);
        CAPTURE(seed);
        for (std::int64_t count = 1; count <= 3; ++count)
            CHECK_FALSE(bound_of(net, all_ranks(net)) < checked_rate(net, all_ranks(net), count));
    }
}

TEST_CASE("pack_forest: few trees per root of any network are valid and at most as fast as the bound") {
    for (std::uint64_t seed = 0; seed < 1000; seed += support::one_of()) {
        const network net = support::random_network(seed, support::network_shape::directed);
        CAPTURE(seed);
        for (std::int64_t count = 1; count <= 3; ++count)
            CHECK_FALSE(bound_of(net, all_ranks(net)) < checked_rate(net, all_ranks(net), count));
    }
}

TEST_CASE("pack_forest: few trees per root are the best of their number in networks of cables") {
    for (std::uint64_t seed = 0; seed < 600; seed += support::one_of()) {
        const network net = support::random_network(seed, support::network_shape::bidirectional);
        CAPTURE(seed);
        CAPTURE(support::drawn(net));
        for (const std::vector<rank_t>& roots :
             {all_ranks(net), std::vector<rank_t>{static_cast<rank_t>(seed) % net.ranks()}})
            for (std::int64_t count = 1; count <= 3; ++count) {
                CAPTURE(count);
                const fraction rate = checked_rate(net, roots, count);
                const auto set = cut_oracle::set_of(roots);
                CHECK_FALSE(bound_of(net, roots) < rate);
                CHECK_FALSE(rate < cut_oracle::rate_of_few(net, set, count, false));
                const trees::forest forest = trees::pack_forest(net, roots, count).result;
                CHECK_FALSE(cut_oracle::rate_of_few(net, set, forest.total, true) < rate);
                for (const rank_t root : roots)
                    CHECK(std::count_if(forest.trees.begin(), forest.trees.end(),
                                        [&](const trees::forest::tree& one) { return one.root == root; }) <= count);
            }
    }
}
