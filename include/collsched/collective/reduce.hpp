#pragma once

#include "collsched/collective/reduce/circulant.hpp"
#include "collsched/collective/reduce/hierarchical.hpp"
#include "collsched/collective/reduce/interval_halving.hpp"
#include "collsched/collective/reduce/interval_tree.hpp"
#include "collsched/collective/reduce/linear.hpp"
#include "collsched/collective/reduce/over_forest.hpp"
#include "collsched/collective/reduce/over_tree.hpp"
#include "collsched/collective/reduce/planned.hpp"
#include "collsched/collective/reduce/rabenseifner.hpp"
#include "collsched/collective/reduce/reduce_scatter_gather.hpp"
