// Composed schedules, and schedules that combine, at 32 ranks, within clang's default limit of steps.

#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/collective/allgather/swing.hpp"
#include "collsched/collective/allreduce/reversals.hpp"
#include "collsched/collective/allreduce/rabenseifner.hpp"
#include "collsched/collective/broadcast/scatter_allgather.hpp"
#include "collsched/collective/reduce/reduce_scatter_gather.hpp"
#include "collsched/collective/reduce_scatter/recursive_doubling.hpp"
#include "support/proof_32.hpp"

using namespace collsched;
using support::proved_at_32;

static_assert(proved_at_32<allreduce::rabenseifner>);
static_assert(proved_at_32<allreduce::k_reduce_scatter_allgather>);
static_assert(proved_at_32<allreduce::circulant>);
static_assert(proved_at_32<reduce::rabenseifner>);
static_assert(proved_at_32<reduce_scatter::recursive_doubling>);
static_assert(proved_at_32<broadcast::scatter_recursive_doubling>);
static_assert(proved_at_32<allgather::recursive_multiplying>);
static_assert(proved_at_32<allgather::swing>);
