#pragma once

#include "collsched/topology/networks.hpp"
#include "collsched/topology/switch_tree.hpp"
#include "collsched/topology/forwarding_bound.hpp"
#include "collsched/topology/placement.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/price_bound.hpp"
#include "collsched/topology/rank_cycle.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "collsched/topology/translations.hpp"
