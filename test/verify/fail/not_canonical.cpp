// expect: static assertion failed.*the schedule is not of this class
// A ring combines each part of a message in an order of its own.

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

static_assert(reproducible<association(allreduce::ring{.ranks = 4, .bytes = 8}), association_class::position>);
