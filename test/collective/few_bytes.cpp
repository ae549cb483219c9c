// A few bytes in parts for 2^40 ranks, most of which have none. One rank's share costs its own edges, not a loop over the ranks. The
// shares are constant expressions, which the compiler rejects if they take too many operations.

#include <doctest/doctest.h>

#include "collsched/collective/allgather/pat.hpp"
#include "collsched/collective/allgather/swing.hpp"
#include "collsched/collective/alltoall/grouped.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/reduce_scatter/recursive_doubling.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/tree/binomial.hpp"

using namespace collsched;

namespace {

constexpr rank_t p = rank_t{1} << 40;

struct share {
    std::int64_t edges = 0;
    bytes_t sent = 0, received = 0;
    bool operator==(const share&) const = default;
};

/// The edges of rank r in its first steps.
template <class Algorithm>
constexpr share share_of(const Algorithm& algorithm, rank_t r) {
    const auto s = lower(algorithm);
    share own;
    int steps = 0;
    const step_t end = s.steps();
    for (step_t k = s.next(r, 0); k < end && steps < 64; k = s.next(r, k + 1), ++steps) {
        s.sends(r, k, [&](const edge& e) { ++own.edges, own.sent += e.size; });
        s.receives(r, k, [&](const edge& e) { ++own.edges, own.received += e.size; });
    }
    return own;
}

constexpr block_layout few = block_layout::partition(5, p), none = block_layout::partition(0, p);

using chained_gather = gather::over_tree<trees::binomial, gather::root_receive::chained>;
using chained_scatter = scatter::over_tree<trees::binomial, gather::root_receive::chained>;

}  // namespace

TEST_CASE("few bytes: gathers and scatters by message chains") {
    // Rank 0 has its own byte and receives those of 1, of 2 and 3 together, and of 4.
    static_assert(share_of(chained_gather{.ranks = p, .block = few}, 0) == share{4, 1, 4});
    static_assert(share_of(chained_gather{.ranks = p, .root = p - 2, .block = few}, p - 2).received == 5);
    static_assert(share_of(chained_gather{.ranks = p, .block = none}, 0) == share{});
    static_assert(share_of(chained_gather{.ranks = p, .block = few}, p / 2) == share{});
    static_assert(lower(chained_gather{.ranks = p, .root = p - 2, .block = few}).scratch(p - 2) <= 5);
}

TEST_CASE("few bytes: scatters") {
    static_assert(share_of(chained_scatter{.ranks = p, .block = few}, 0) == share{4, 5, 0});
    static_assert(share_of(chained_scatter{.ranks = p, .block = none}, 0) == share{});
}

TEST_CASE("few bytes: allgathers whose messages hold every other block, every fourth and so on") {
    static_assert(share_of(allgather::sparbit{.ranks = p, .block = few}, p - 1) == share{8, 3, 5});
    static_assert(share_of(allgather::sparbit{.ranks = p, .block = few}, 2).received == 4);
    static_assert(share_of(allgather::sparbit{.ranks = p, .block = none}, 2) == share{});
    static_assert(share_of(allgather::swing{.ranks = p, .block = few}, p - 1) == share{10, 5, 5});
    static_assert(share_of(allgather::swing{.ranks = p, .block = none}, 1) == share{});
}

TEST_CASE("few bytes: reduce_scatter in rank order") {
    static_assert(share_of(reduce_scatter::recursive_doubling{.ranks = p, .block = few}, p / 2).edges == 48);
    static_assert(share_of(reduce_scatter::recursive_doubling{.ranks = p, .block = none}, 3) == share{});
}

TEST_CASE("few bytes: a grouped exchange") {
    static_assert(share_of(alltoall::grouped{.ranks = p, .block = few}, 0) == share{68, 5, 63});  // 64 steps
    static_assert(share_of(alltoall::grouped{.ranks = p, .block = few, .group = p}, p - 1) == share{5, 5, 0});
    static_assert(share_of(alltoall::grouped{.ranks = p, .block = none}, 1) == share{});
}
