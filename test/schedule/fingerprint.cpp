#include "collsched/schedule/fingerprint.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/allgather_reduce.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/allreduce/hierarchical.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/barrier/hierarchical.hpp"
#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/collective/gather/hierarchical.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/gather/root_receive.hpp"
#include "collsched/collective/scan/along_chain.hpp"
#include "collsched/collective/scan/hierarchical.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/double_binary.hpp"
#include "collsched/tree/in_order_binary.hpp"
#include "collsched/tree/k_ary.hpp"
#include "support/brief.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"

using namespace collsched;

TEST_CASE("fingerprint: equal fingerprints mean equal edges, for every algorithm and layout at p = 1 .. 33") {
    std::map<std::uint64_t, std::vector<edge>> known;
    for (rank_t p = 1; p <= 33; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            const stored_schedule stored = materialize(s);
            CHECK(stored.fingerprint() == fingerprint(s));
            const std::vector<edge> all(stored.edges().begin(), stored.edges().end());
            const auto [place, fresh] = known.emplace(fingerprint(s), all);
            CAPTURE(name);
            if (!fresh) CHECK(place->second == all);
        }
    CHECK(known.size() > compiled::registry().size() * 33 * 4 / support::one_of());
}

TEST_CASE("fingerprint: every parameter counts, and the value is the same on every compiler") {
    const std::vector<bytes_t> equal(3, 4), displs{0, 4, 8}, later{0, 4, 9};
    const auto of = [](const block_layout& block, rank_t p = 3) {
        return fingerprint(allgather::ring{.ranks = p, .block = block});
    };
    CHECK(of(4) != of(5));
    CHECK(of(4, 3) != of(4, 4));
    CHECK(of(block_layout(equal, displs)) != of(block_layout(equal, later)));
    CHECK(of(4) != fingerprint(allgather::bruck{.ranks = 3, .block = 4}));
    static_assert(fingerprint(allgather::ring{.ranks = 3, .block = 4}) == 0xdf127cdbcc19a997U);
}

TEST_CASE("fingerprint: root_receive of a gather counts, and so does every member of a tree") {
    using gather::root_receive;
    const auto of = []<root_receive How, class Tree>(Tree tree) {
        return fingerprint(gather::over_tree<Tree, How>{.ranks = 7, .block = 3, .tree = tree});
    };
    const auto all_differ = [&](auto tree) {
        const std::uint64_t a = of.operator()<root_receive::direct>(tree),
                            b = of.operator()<root_receive::instant>(tree),
                            c = of.operator()<root_receive::chained>(tree);
        CHECK(a != b);
        CHECK(b != c);
        CHECK(a != c);
    };
    all_differ(trees::binomial{});
    all_differ(trees::in_order_binary{});
    all_differ(trees::k_ary{});
    CHECK(of.operator()<root_receive::direct>(trees::double_binary{}) !=
          of.operator()<root_receive::direct>(trees::double_binary{.second = true}));
}

TEST_CASE("fingerprint: trees with one root_receive have fingerprints of their own") {
    const auto of = []<class Tree>(Tree) {
        return fingerprint(gather::over_tree<Tree, gather::root_receive::chained>{.ranks = 7, .block = 3});
    };
    CHECK(of(trees::binomial{}) != of(trees::chain{}));
    CHECK(of(trees::in_order_binary{}) != of(trees::chain{}));
}

TEST_CASE("fingerprint: the parts of a composition count, their parameters too") {
    const auto differ = [](const auto& x, const auto& y) {
        CHECK(fingerprint(x) != fingerprint(y));
        CHECK(any_schedule(x).fingerprint() != any_schedule(y).fingerprint());
    };
    const auto where = topology::placement::block(6, 2);
    differ(allreduce::hierarchical<>{.ranks = 6, .bytes = 24, .placement = where},
           allreduce::hierarchical<allreduce::ring>{.ranks = 6, .bytes = 24, .placement = where});
    differ(broadcast::hierarchical<>{.ranks = 6, .bytes = 24, .placement = where},
           broadcast::hierarchical<>{.ranks = 6, .bytes = 24, .placement = where, .inner = {.segment = 8}});
    differ(barrier::hierarchical<>{.ranks = 6, .placement = where},
           barrier::hierarchical<barrier::dissemination, trees::chain>{.ranks = 6, .placement = where});
    differ(scan::hierarchical<>{.ranks = 6, .bytes = 24, .placement = where},
           scan::hierarchical<scan::linear>{.ranks = 6, .bytes = 24, .placement = where});
    differ(gather::hierarchical<>{.ranks = 6, .block = 4, .placement = where},
           gather::hierarchical<scatter::over_tree<trees::chain>>{.ranks = 6, .block = 4, .placement = where});
    differ(allreduce::allgather_reduce<allgather::ring>{.ranks = 6, .bytes = 24},
           allreduce::allgather_reduce<allgather::circulant>{.ranks = 6, .bytes = 24});
    using two_levels = allreduce::by_reversal<broadcast::hierarchical<>>;
    differ(two_levels{.ranks = 6, .bytes = 24, .of = {.placement = where}},
           two_levels{.ranks = 6, .bytes = 24, .of = {.placement = where, .outer = {.segment = 8}}});
}
