#include "collsched/collective/allreduce/detail/on_pieces.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/tree/binomial.hpp"
#include "support/composed.hpp"
#include "support/small_schedules.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;

namespace {

constexpr bool shifts(bytes_t by) {
    const auto ring = lower(allgather::ring{.ranks = 5, .block = 3});
    const detail::shifted_schedule moved(ring, by);
    bool right = moved.steps() == ring.steps() && moved.scratch(0) == 0 && moved.contract() == ring.contract();
    ring.sends(1, 2, [&](const edge& e) {
        moved.sends(1, 2, [&](const edge& m) {
            right = right && m.from_offset == e.from_offset + by && m.into_offset == e.into_offset + by &&
                    m.size == e.size && m.src == e.src && m.dst == e.dst && m.step == e.step;
        });
    });
    return right;
}
static_assert(shifts(0) && shifts(10));

}  // namespace

TEST_CASE("shifted_schedule: shifted is rename_buffers with one offset for all buffers") {
    const auto bruck = lower(allgather::bruck{.ranks = 6, .block = 4});
    const auto there = [](rank_t, buffer b) { return location{b, 7}; };
    const detail::shifted_schedule moved(bruck, 7);
    CHECK(all_edges(moved) == all_edges(rename_buffers(bruck, there, bruck.contract())));
    for (rank_t r = 0; r < 6; ++r) CHECK(moved.scratch(r) == bruck.scratch(r) + 7);
    const auto least = support::by_hand({.collective = collective::broadcast, .ranks = 1}, 1, {}, 1);
    CHECK(detail::shifted_schedule(least, 7).scratch(0) == 8);
    CHECK(moved.fingerprint() != detail::shifted_schedule(bruck, 8).fingerprint());
    CHECK(all_edges(detail::shifted_schedule(bruck, 0)) == all_edges(bruck));
    CHECK(detail::shifted_schedule(bruck, -1).check());
}

TEST_CASE("shifted_schedule: errors have argument, value and range, and busy steps are those of the schedule") {
    const auto ring = lower(allgather::ring{.ranks = 5, .block = 3});
    CHECK(detail::shifted_schedule(ring, -1).check() == argument_error{"shift", -1, "0 bytes or more"});
    CHECK(detail::shifted_schedule(ring, 0, -2).check() == argument_error{"shift", -2, "0 bytes or more"});
    CHECK(!detail::shifted_schedule(ring, 0).check());
    const auto wrong = lower(allgather::ring{.ranks = 5, .block = -3});
    CHECK(detail::shifted_schedule(wrong, 0).check() == argument_error{"block", -3, "0 bytes or more"});
    CHECK(detail::shifted_schedule(ring, 4).busy(2) == ring.busy(2));
    const auto none = support::by_hand({.collective = collective::broadcast, .ranks = 1}, 1, {});
    CHECK(detail::shifted_schedule(none, 7).scratch(0) == 0);
}

TEST_CASE("shifted_schedule: scratch has an offset of its own") {
    const auto bruck = lower(allgather::bruck{.ranks = 6, .block = 4});
    const auto there = [](rank_t, buffer b) { return location{b, b == buffer::scratch ? 100 : 7}; };
    const detail::shifted_schedule moved(bruck, 7, 100);
    CHECK(all_edges(moved) == all_edges(rename_buffers(bruck, there, bruck.contract())));
    CHECK(moved.scratch(0) == bruck.scratch(0) + 100);
    CHECK(moved.fingerprint() != detail::shifted_schedule(bruck, 7).fingerprint());
    CHECK(detail::shifted_schedule(bruck, 7, -1).check());
}

TEST_CASE("shifted_schedule: a shifted piece of a message is that piece of the whole") {
    const contract whole{.collective = collective::broadcast, .ranks = 5, .bytes = 10};
    const auto as_it_is = [](rank_t, buffer b) { return location{b, 0}; };
    const auto half = rename_buffers(broadcast::over_tree<trees::binomial>{.ranks = 5, .bytes = 5}, as_it_is, whole);
    CHECK(support::verified(then(half, detail::shifted_schedule(half, 5))).ok());
    CHECK(support::verified(then(half, detail::shifted_schedule(half, 4))).finding == verdict::kind::missing);
}
