#pragma once

#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/collective/broadcast/planned.hpp"
#include "collsched/collective/over_forest.hpp"
#include "collsched/collective/reduce/linear.hpp"
#include "collsched/collective/reduce/reduce_scatter_gather.hpp"
#include "collsched/collective/reduce/reversals.hpp"
