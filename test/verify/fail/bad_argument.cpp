// expect: wrong_schedule.*\{"bad_argument"\}.*\{"root: got 4"\}.*\{"expected 0 to ranks-1"\}
// A broadcast from a rank that there is not. The compiler prints the error of the parameter.

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

static_assert(proved<verify(broadcast::over_tree<trees::binomial>{.ranks = 4, .root = 4, .bytes = 8})>);
