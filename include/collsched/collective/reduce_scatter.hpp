#pragma once

#include "collsched/collective/matched.hpp"
#include "collsched/collective/over_forest.hpp"
#include "collsched/collective/reduce_scatter/butterfly.hpp"
#include "collsched/collective/reduce_scatter/hierarchical.hpp"
#include "collsched/collective/reduce_scatter/recursive_doubling.hpp"
#include "collsched/collective/reduce_scatter/reduce_then_scatter.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"
