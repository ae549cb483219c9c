// Compiled by both compilers with their default limits: proofs beyond those of each algorithm's own test.

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/neighbor_exchange.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"
#include "support/archetypes.hpp"

using namespace collsched;

static_assert(proved<verify(allgather::bruck{.ranks = 28, .block = 1})>);
static_assert(proved<verify(allgather::recursive_doubling{.ranks = 30, .block = 1})>);
static_assert(proved<verify(allgather::neighbor_exchange{.ranks = 26, .block = 1})>);
static_assert(proved<verify(support::flat_broadcast{.ranks = 40, .bytes = 7})>);
static_assert(proved<verify(allgather::ring{.ranks = 5, .block = block_layout::partition(17, 5)})>);
