#pragma once

#include "collsched/collective/broadcast/circulant.hpp"
#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/collective/broadcast/interval_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/broadcast/planned.hpp"
#include "collsched/collective/broadcast/scatter_allgather.hpp"
#include "collsched/collective/broadcast/split_binary_tree.hpp"
#include "collsched/collective/over_forest.hpp"
