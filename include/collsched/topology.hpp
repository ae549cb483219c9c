#pragma once

#include "collsched/topology/cable.hpp"
#include "collsched/topology/direct_networks.hpp"
#include "collsched/topology/switch_tree.hpp"
#include "collsched/topology/forwarding_bound.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/topology/placement.hpp"
#include "collsched/topology/price_bound.hpp"
#include "collsched/topology/switched_networks.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "collsched/topology/torus.hpp"
#include "collsched/topology/translations.hpp"
#include "collsched/topology/without.hpp"
