#pragma once

#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/gather/planned.hpp"
#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
