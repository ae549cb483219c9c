#include "collsched/schedule/static_schedule.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/verify/verify.hpp"

using namespace collsched;

namespace {

using eight = static_schedule<[] { return allgather::recursive_doubling{.ranks = 8, .block = 4}; }>;
using gapped = static_schedule<[] {
    constexpr bytes_t counts[] = {2, 0, 3}, displs[] = {4, 0, 0};
    return allgather::bruck{.ranks = 3, .block = block_layout(counts, displs)};
}>;

static_assert(eight::edges.size() == 3 * 8 + 8);
static_assert(sizeof(eight::edges) == 32 * sizeof(edge));
static_assert(schedule<eight> && schedule<gapped>);
static_assert(proved<verify(eight{})>);
static_assert(proved<verify(gapped{})>);

}  // namespace

TEST_CASE("static_schedule: a static schedule has exactly the edges of the schedule it is made from") {
    const stored_schedule stored = materialize(allgather::recursive_doubling{.ranks = 8, .block = 4});
    REQUIRE(stored.edges().size() == eight::edges.size());
    for (std::size_t i = 0; i < eight::edges.size(); ++i) CHECK(eight::edges[i] == stored.edges()[i]);
    CHECK(eight::fingerprint() == stored.fingerprint());
    CHECK(materialize(eight{}) == stored);
    CHECK(gapped::contract().layout().displ(0) == 4);
}

TEST_CASE("static_schedule: next() is the next step with an edge from or to the rank, or the end") {
    using tree =
        static_schedule<[] { return broadcast::over_tree<trees::binomial>{.ranks = 6, .root = 1, .bytes = 3}; }>;
    const stored_schedule stored = materialize(tree{});
    for (rank_t r = 0; r < 6; ++r) {
        CHECK(tree::scratch(r) == stored.scratch(r));
        CHECK(tree::staging(r) == stored.staging(r));
        for (step_t k = 0; k <= tree::steps() + 1; ++k) {
            step_t expected = tree::steps();
            for (const edge& e : stored.edges())
                if (e.step >= k && e.step < expected && (e.src == r || e.dst == r)) expected = e.step;
            CHECK(tree::next(r, k) == expected);
            int sent = 0, received = 0;
            for (const edge& e : stored.edges()) {
                sent += e.step == k && e.src == r ? 1 : 0;
                received += e.step == k && e.dst == r && e.src != r ? 1 : 0;
            }
            tree::sends(r, k, [&](const edge& e) { sent -= e.step == k && e.src == r ? 1 : 100; });
            tree::receives(r, k, [&](const edge& e) { received -= e.step == k && e.dst == r && e.src != r ? 1 : 100; });
            CHECK(sent == 0);
            CHECK(received == 0);
        }
    }
}

TEST_CASE("static_schedule: derived algorithms become tables too") {
    using table = static_schedule<[] { return scatter::linear{.ranks = 5, .block = 4}; }>;
    static_assert(table::ranks == 5 && table::edges.size() == 5);
    CHECK(verify(table{}).ok());
}
