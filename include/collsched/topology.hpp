#pragma once

#include "collsched/topology/machine_tree.hpp"
#include "collsched/topology/placement.hpp"
#include "collsched/topology/torus.hpp"
