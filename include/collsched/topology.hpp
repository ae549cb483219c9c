#pragma once

#include "collsched/topology/switch_tree.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/placement.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "collsched/topology/torus.hpp"
