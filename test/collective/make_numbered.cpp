#include "collsched/collective/make_numbered.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/allgather/hierarchical.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/verify/verify.hpp"

using namespace collsched;

namespace {

const rank_t turned[] = {3, 1, 4, 0, 2};

/// A shape of 5 ranks with irregular blocks.
shape five_ranks() {
    const bytes_t counts[] = {4, 0, 8, 12, 4}, displs[] = {40, 0, 0, 10, 30};
    return {
        .ranks = 5, .root = 4, .block = {counts, displs}, .bytes = 40, .element = 4, .numbering = permutation(turned)};
}

}  // namespace

TEST_CASE("make_numbered: without a numbering, the schedule is that of the entry") {
    shape given = five_ranks();
    given.numbering = {};
    const algorithm_entry entry = entry_of<allgather::ring>();
    CHECK(make_numbered(entry, given).fingerprint() == entry.make(given).fingerprint());
}

TEST_CASE("make_numbered: blocks and root stay with their ranks, and messages go between numbered ranks") {
    const shape given = five_ranks();
    const permutation order(turned);
    for (const algorithm_entry& entry :
         {entry_of<allgather::ring>(), entry_of<allreduce::ring>(), entry_of<broadcast::over_tree<trees::chain>>()}) {
        CAPTURE(entry.info.name);
        const any_schedule made = make_numbered(entry, given);
        CHECK(verify(made).ok());
        for (const edge& e : edges(made))
            if (!e.is_local()) {
                const rank_t ahead = (order.virtual_rank(e.dst) - order.virtual_rank(e.src) + 5) % 5;
                CHECK((ahead == 1 || ahead == 4));
            }
    }
    const contract contract = make_numbered(entry_of<allgather::ring>(), given).contract();
    for (rank_t r = 0; r < 5; ++r) {
        CHECK(contract.layout().count(r) == given.block.count(r));
        CHECK(contract.layout().displ(r) == given.block.displ(r));
    }
    CHECK(make_numbered(entry_of<broadcast::over_tree<trees::chain>>(), given).contract().root == 4);
}

TEST_CASE("make_numbered: nodes of ranks and sizes of pairs stay with their ranks") {
    shape given = five_ranks();
    const rank_t nodes[] = {0, 0, 1, 1, 0};
    given.placement = topology::placement::list(nodes, 2);
    const any_schedule grouped = make_numbered(entry_of<allgather::hierarchical<>>(), given);
    CHECK(verify(grouped).ok());
    int crossing = 0;
    for (const edge& e : edges(grouped)) crossing += nodes[e.src] != nodes[e.dst] ? 1 : 0;
    int as_numbered = 0;
    given.numbering = {};
    const any_schedule plain = make_numbered(entry_of<allgather::hierarchical<>>(), given);
    for (const edge& e : edges(plain)) as_numbered += nodes[e.src] != nodes[e.dst] ? 1 : 0;
    CHECK(crossing == as_numbered);
    given.numbering = permutation(turned);
    std::vector<bytes_t> sizes;
    for (bytes_t i = 0; i < 25; ++i) sizes.push_back(i % 7);
    given.matrix = block_matrix(sizes);
    const any_schedule exchange = make_numbered(entry_of<alltoall::linear>(), given);
    CHECK(verify(exchange).ok());
    CHECK(exchange.contract().matrix().count(1, 3) == given.matrix.count(1, 3));
}

TEST_CASE("make_numbered: a wrong numbering and a scan are errors") {
    shape given = five_ranks();
    CHECK(make_numbered(entry_of<scan::recursive_doubling>(), given).check().argument != nullptr);
    const rank_t twice[] = {0, 1, 1, 3, 4}, four[] = {0, 1, 2, 3};
    given.numbering = permutation(twice);
    CHECK(make_numbered(entry_of<allgather::ring>(), given).check() ==
          argument_error{"order", 1, "every rank once", 2});
    given.numbering = permutation(four);
    CHECK(make_numbered(entry_of<allgather::ring>(), given).check() ==
          argument_error{"order", 4, "as many entries as ranks"});
}
