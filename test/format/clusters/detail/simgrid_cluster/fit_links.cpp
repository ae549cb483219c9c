#include "collsched/format/clusters/detail/simgrid_cluster.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/layouts.hpp"

using namespace collsched;
using namespace collsched::detail;
using support::random_source;

namespace {

lob_model model_of(const topology::switch_tree& tree, const std::vector<lob_model::link_cost>& own,
                   const std::vector<lob_model::link_cost>& uplinks) {
    return {tree, std::vector<picoseconds>(own.size()), own, uplinks};
}

/// Checks that the links found form a tree and give the paths of the model.
void check_found(const topology::switch_tree& tree, const lob_model& wanted) {
    REQUIRE(wanted.check() == argument_error{});
    const fitted_links found = fit_links(
        tree, [&](rank_t i, rank_t j) { return lob_model::link_cost{wanted.latency(i, j), wanted.byte_fs(i, j)}; });
    CHECK(found.exact);
    const lob_model made = model_of(tree, found.node_links, found.uplinks);
    REQUIRE(made.check() == argument_error{});
    for (rank_t i = 0; i < tree.nodes(); ++i) {
        for (rank_t j = 0; j < tree.nodes(); ++j) {
            CHECK(made.latency(i, j) == wanted.latency(i, j));
            CHECK(made.byte_fs(i, j) == wanted.byte_fs(i, j));
        }
    }
}

topology::switch_tree flat(rank_t n) { return topology::switch_tree::flat(n); }

}  // namespace

TEST_CASE("fit_links: the links of any tree are recovered") {
    random_source random(7);
    for (int round = 0; round < 200; ++round) {
        const rank_t switches = 1 + random.below(7), nodes = 1 + random.below(9);
        std::vector<rank_t> parents, homes;
        for (rank_t e = 1; e < switches; ++e) parents.push_back(random.below(e));
        for (rank_t c = 0; c < nodes; ++c) homes.push_back(random.below(switches));
        std::vector<lob_model::link_cost> own, uplinks;
        for (rank_t c = 0; c < nodes; ++c) own.push_back({random.below(50), 1 + random.below(9)});
        for (rank_t e = 0; e < switches; ++e) uplinks.push_back({random.below(50), random.below(9)});
        const topology::switch_tree tree(parents, homes);
        check_found(tree, model_of(tree, own, uplinks));
    }
}

TEST_CASE("fit_links: three on a switch have one solution") {
    const std::vector<lob_model::link_cost> own{{10, 5}, {20, 6}, {30, 7}};
    const topology::switch_tree tree = flat(3);
    const lob_model wanted = model_of(tree, own, {{}});
    const fitted_links found = fit_links(
        tree, [&](rank_t i, rank_t j) { return lob_model::link_cost{wanted.latency(i, j), wanted.byte_fs(i, j)}; });
    CHECK(found.node_links[0].latency_ps == 10);
    CHECK(found.node_links[1].latency_ps == 20);
    CHECK(found.node_links[2] == lob_model::link_cost{30, 7});
}

TEST_CASE("fit_links: paths that no links of the tree produce are reported") {
    const auto exact = [](rank_t n, auto latency, auto byte_fs) {
        return fit_links(flat(n),
                         [&](rank_t i, rank_t j) { return lob_model::link_cost{latency(i, j), byte_fs(i, j)}; })
            .exact;
    };
    const auto same = [](rank_t, rank_t) -> std::int64_t { return 2; };
    CHECK(exact(4, same, same));
    CHECK(!exact(4, same, [](rank_t i, rank_t j) -> std::int64_t { return i < j ? 2 : 3; }));
    CHECK(!exact(4, [](rank_t i, rank_t j) -> std::int64_t { return i < j ? 2 : 4; }, same));
    CHECK(!exact(4, [](rank_t i, rank_t j) -> std::int64_t { return i + j == 3 ? 4 : 2; }, same));
    CHECK(!exact(4, same, [](rank_t i, rank_t j) -> std::int64_t { return i + j == 3 ? 4 : 2; }));
    CHECK(!exact(3, [](rank_t i, rank_t j) -> std::int64_t { return i + j == 1 ? 100 : 2; }, same));
    CHECK(!exact(3, [](rank_t, rank_t) -> std::int64_t { return 3; }, same));
    CHECK(exact(2, [](rank_t, rank_t) -> std::int64_t { return 3; }, same));
    CHECK(exact(1, same, same));
}

TEST_CASE("fit_links: switches without nodes change nothing") {
    const std::vector<rank_t> parents{0, 0, 1, 2}, homes{2, 2, 2, 0};
    const topology::switch_tree tree(parents, homes);
    check_found(tree, model_of(tree, {{3, 1}, {4, 1}, {5, 2}, {9, 4}}, {{}, {7, 7}, {11, 3}, {1, 1}, {1, 1}}));
}
