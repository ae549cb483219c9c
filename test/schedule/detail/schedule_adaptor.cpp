#include "collsched/schedule/detail/schedule_adaptor.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "support/composed.hpp"
#include "collsched/tree/binomial.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// Every edge as it is.
template <schedule S>
struct unchanged : schedule_adaptor<unchanged<S>, S> {
    constexpr explicit unchanged(const S& s) : schedule_adaptor<unchanged<S>, S>(s) {}
    constexpr void adapt(const edge& e, auto& f) const { f(e); }
    constexpr std::uint64_t fingerprint() const { return 1; }
};
/// Every edge twice, for the other of two ranks.
template <schedule S>
struct doubled : schedule_adaptor<doubled<S>, const S&> {
    constexpr explicit doubled(const S& s) : schedule_adaptor<doubled<S>, const S&>(s) {}
    constexpr rank_t base_rank(rank_t r) const { return 1 - r; }
    constexpr void adapt(edge e, auto& f) const {
        e.src = 1 - e.src, e.dst = 1 - e.dst;
        f(e), f(e);
    }
    constexpr std::uint64_t fingerprint() const { return 2; }
};
/// Without adapt().
template <schedule S>
struct incomplete : schedule_adaptor<incomplete<S>, S> {
    constexpr explicit incomplete(const S& s) : schedule_adaptor<incomplete<S>, S>(s) {}
};

template <schedule S>
std::vector<edge> sent(const S& s, rank_t r, step_t k) {
    std::vector<edge> edges;
    s.sends(r, k, [&](const edge& e) { edges.push_back(e); });
    return edges;
}

}  // namespace

static_assert(schedule<unchanged<detail::schedule_of<allgather::bruck>>> &&
              schedule<doubled<detail::schedule_of<allgather::bruck>>>);
static_assert(!schedule<incomplete<detail::schedule_of<allgather::bruck>>>, "an adaptor has no fingerprint of its own");

TEST_CASE("schedule adaptor: members that the derived class does not define are those of the base") {
    for (const rank_t p : {1, 2, 5, 8}) {
        const auto base = lower(scatter::over_tree<trees::binomial>{.ranks = p, .root = p - 1, .block = 3});
        const unchanged same(base);
        CHECK(same.ranks == p);
        CHECK(same.steps() == base.steps());
        CHECK(same.pacing() == base.pacing());
        CHECK(same.contract() == base.contract());
        CHECK(same.check() == base.check());
        for (rank_t r = 0; r < p; ++r) {
            CHECK(same.scratch(r) == base.scratch(r));
            CHECK(same.staging(r) == base.staging(r));
            for (step_t k = 0; k < base.steps(); ++k) {
                CHECK(same.next(r, k) == base.next(r, k));
                CHECK(sent(same, r, k) == sent(base, r, k));
            }
        }
        CHECK(support::all_edges(same) == support::all_edges(base));
    }
    CHECK(unchanged(lower(allgather::bruck{.ranks = 0})).check() == check(allgather::bruck{.ranks = 0}));
}

TEST_CASE("schedule adaptor: base_rank selects the edges, adapt may call back more than once") {
    const auto base = lower(allgather::bruck{.ranks = 2, .block = 4});
    const doubled twice(base);
    std::vector<edge> expected = sent(base, 1, 0);
    REQUIRE(!expected.empty());
    const std::vector<edge> edges = sent(twice, 0, 0);
    REQUIRE(edges.size() == 2 * expected.size());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        CHECK(edges[i].src == 0);
        CHECK(edges[i].from_offset == expected[i / 2].from_offset);
    }
    std::size_t received = 0;
    twice.receives(0, 0, [&](const edge& e) { received += e.dst == 0; });
    CHECK(received == 2);
}
