#include "collsched/collective/levels.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "collsched/collective/allgather/hierarchical.hpp"
#include "collsched/collective/allreduce/hierarchical.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/hierarchical.hpp"
#include "collsched/collective/barrier/hierarchical.hpp"
#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/collective/reduce_scatter/hierarchical.hpp"
#include "collsched/collective/scan/hierarchical.hpp"
#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/verify/verify.hpp"
#include "support/messages.hpp"
#include "support/placements.hpp"
#include "support/real_bytes.hpp"

using namespace collsched;
using support::placed_as;
using nested_placement = topology::placement::nested;
using topology::placement;

namespace {

// Three levels: an algorithm within nodes, one among the nodes of a rack, and one among racks.
using tree = broadcast::over_tree<trees::binomial>;
using scatter_tree = scatter::over_tree<trees::binomial>;
using three_allgather = allgather::hierarchical<allgather::hierarchical<>>;
using three_allreduce = allreduce::hierarchical<allreduce::hierarchical<>>;
using three_alltoall = alltoall::hierarchical<alltoall::hierarchical<>>;
using three_barrier = barrier::hierarchical<barrier::hierarchical<>>;
using three_broadcast = broadcast::hierarchical<tree, broadcast::hierarchical<>>;
using three_exscan = exscan::hierarchical<exscan::recursive_doubling, exscan::hierarchical<>>;
using three_gather = gather::hierarchical<scatter_tree, scatter::hierarchical<>>;
using three_reduce = reduce::hierarchical<tree, broadcast::hierarchical<>>;
using three_reduce_scatter = reduce_scatter::hierarchical<reduce_scatter::hierarchical<>>;
using three_scan = scan::hierarchical<scan::recursive_doubling, exscan::hierarchical<>>;
using three_scatter = scatter::hierarchical<scatter_tree, scatter::hierarchical<>>;
// And four.
using four_allreduce = allreduce::hierarchical<allreduce::hierarchical<allreduce::hierarchical<allreduce::ring>>>;

/// Nodes and racks of ranks, by letters: racks of equal nodes; uneven ones; ranks dealt out to nodes of uneven racks.
struct named_levels {
    const char *nodes, *racks;
};
constexpr named_levels all_levels[] = {{"A", "A"},
                                       {"AABBCCDD", "AAAABBBB"},
                                       {"AABBCCDD", "AAAAAAAA"},
                                       {"AAAABBCDDDE", "AAAAAABBBBB"},
                                       {"ABCDABCDABCD", "XYXYXYXYXYXY"},
                                       {"CABBACDAEFFDC", "RPQQPRPPQRRPR"},
                                       {"ABCDEFG", "AABBBCC"},
                                       {"AAAAAA", "AAAAAA"}};

nested_placement nested(const named_levels& letters) {
    const std::vector<placement> both{placed_as(letters.nodes), placed_as(letters.racks)};
    return nested_placement(both);
}

/// Checks the contract, in one process with real bytes too.
template <class X>
void check_levels_of(X x, const nested_placement& levels, contract wanted) {
    const X placed = with_levels(x, levels);
    REQUIRE(!check(placed));
    wanted.commutative = lower(placed).contract().commutative;
    support::check_proved(placed, wanted);
    for (const binding how : {binding::separate, binding::in_place}) {
        if (how == binding::in_place && wanted.collective == collective::alltoall) continue;
        const auto [bytes, memory] = support::filled(wanted, how);
        REQUIRE(run_inline(placed, memory, how, support::operation(wanted)).done());
        for (const support::real_bytes& rank : bytes) CHECK(rank.wrong() == "");
    }
}

/// Eight ranks dealt out to four nodes in two racks, for proofs.
constexpr nested_placement dealt_out() {
    const placement levels[] = {placement::cyclic(8, 4), placement::cyclic(8, 2)};
    return nested_placement(levels);
}

}  // namespace

static_assert(proved<verify(with_levels(three_allreduce{.ranks = 8, .bytes = 4, .element = 2}, dealt_out()))>);
static_assert(proved<verify(with_levels(three_broadcast{.ranks = 8, .root = 5, .bytes = 4}, dealt_out()))>);
static_assert(proved<verify(with_levels(three_allgather{.ranks = 8, .block = 2}, dealt_out()))>);
static_assert(proved<verify(with_levels(three_alltoall{.ranks = 8, .block = 1}, dealt_out()))>);

TEST_CASE("levels: three levels of every collective are proved, and run with real bytes, on nested placements") {
    for (const named_levels& letters : all_levels) {
        INFO(letters.nodes, " in ", letters.racks);
        const nested_placement levels = nested(letters);
        const rank_t p = levels.level(0).ranks();
        const block_layout blocks = block_layout::partition(5 * p + 3, p);
        check_levels_of(three_allgather{.ranks = p, .block = blocks}, levels,
                        {.collective = collective::allgather, .ranks = p, .blocks = blocks});
        check_levels_of(three_allreduce{.ranks = p, .bytes = 24, .element = 8}, levels,
                        {.collective = collective::allreduce, .ranks = p, .bytes = 24, .element = 8});
        check_levels_of(three_alltoall{.ranks = p, .block = 3}, levels,
                        {.collective = collective::alltoall, .ranks = p, .blocks = block_matrix(3)});
        check_levels_of(three_barrier{.ranks = p}, levels, {.collective = collective::barrier, .ranks = p});
        check_levels_of(three_exscan{.ranks = p, .bytes = 16, .element = 8}, levels,
                        {.collective = collective::exscan, .ranks = p, .bytes = 16, .element = 8});
        check_levels_of(three_scan{.ranks = p, .bytes = 16, .element = 8}, levels,
                        {.collective = collective::scan, .ranks = p, .bytes = 16, .element = 8});
        check_levels_of(three_reduce_scatter{.ranks = p, .block = 8, .element = 8}, levels,
                        {.collective = collective::reduce_scatter, .ranks = p, .blocks = 8, .element = 8});
        for (const rank_t root : support::roots_of(p)) {
            CAPTURE(root);
            check_levels_of(three_broadcast{.ranks = p, .root = root, .bytes = 9}, levels,
                            {.collective = collective::broadcast, .ranks = p, .root = root, .bytes = 9});
            check_levels_of(three_reduce{.ranks = p, .root = root, .bytes = 16, .element = 8}, levels,
                            {.collective = collective::reduce, .ranks = p, .root = root, .bytes = 16, .element = 8});
            check_levels_of(three_gather{.ranks = p, .root = root, .block = blocks}, levels,
                            {.collective = collective::gather, .ranks = p, .root = root, .blocks = blocks});
            check_levels_of(three_scatter{.ranks = p, .root = root, .block = blocks}, levels,
                            {.collective = collective::scatter, .ranks = p, .root = root, .blocks = blocks});
        }
    }
}

TEST_CASE("levels: four levels, and operands in order where every node hosts neighbors") {
    const std::vector<placement> all{placed_as("AABBCCDDEEFF"), placed_as("AAAABBBBCCCC"), placed_as("AAAAAAAABBBB")};
    const contract wanted{.collective = collective::allreduce, .ranks = 12, .bytes = 48, .element = 8};
    check_levels_of(four_allreduce{.ranks = 12, .bytes = 48, .element = 8}, nested_placement(all), wanted);
    const auto commutative = [](const char* nodes, const char* racks) {
        const auto x = with_levels(three_allreduce{.ranks = 8, .bytes = 8}, nested({nodes, racks}));
        return lower(x).contract().commutative;
    };
    CHECK(!commutative("AABBCCDD", "AAAABBBB"));
    CHECK(commutative("AABBCCDD", "AABBAABB"));
    CHECK(commutative("ABABCDCD", "AAAABBBB"));
}

TEST_CASE("levels: a message crosses racks as often as there are racks, and nodes as often as there are nodes") {
    const nested_placement levels = nested({"AABBCCDDEEFF", "AAAAAABBBBBB"});
    const auto x = with_levels(three_broadcast{.ranks = 12, .root = 3, .bytes = 10}, levels);
    std::array<int, 2> crossed{};
    for (const edge& e : edges(x))
        for (rank_t i = 0; i < 2; ++i)
            crossed[static_cast<std::size_t>(i)] += levels.level(i).node(e.src) != levels.level(i).node(e.dst);
    CHECK(crossed[0] == 5);
    CHECK(crossed[1] == 1);
}

TEST_CASE("levels: placements that are not nested are reported, and more of them than levels") {
    const three_allreduce x{.ranks = 4, .bytes = 8};
    const auto text = [&](const std::vector<placement>& levels) {
        return std::string(check(with_levels(x, nested_placement(levels))).text().c_str());
    };
    const placement pairs = placed_as("AABB"), mixed = placed_as("ABAB"), short_one = placed_as("ABA");
    CHECK(text({}) == "no error");
    CHECK(text({pairs}) == "no error");
    CHECK(text({pairs, {}}) == "no error");
    CHECK(text({pairs, pairs}) == "no error");
    CHECK(text({pairs, mixed}) == "placement[1]: got 1, expected one outer node for all ranks of an inner node");
    CHECK(text({pairs, pairs, pairs}) == "levels: got 3, expected a placement per level of the algorithm");
    CHECK(text({short_one}) == "placement: got 3, expected as many entries as ranks");
    three_allreduce direct = x;
    direct.placement = pairs;
    direct.outer.placement = mixed;
    CHECK(check(direct).index == 1);
    direct.outer.placement = short_one;
    CHECK(check(direct).value == 3);
    direct.outer.placement = placement::block(4, 0);
    CHECK(check(direct).argument == std::string("nodes"));
    direct.outer.placement = pairs;
    CHECK(!check(direct));
    CHECK(fingerprint(direct) != fingerprint(with_levels(x, nested_placement(std::array{pairs}))));
    direct.placement = {};
    CHECK(check(direct).argument == std::string("placement"));
    direct.outer.placement = placed_as("CCCC");
    CHECK(!check(direct));
}
