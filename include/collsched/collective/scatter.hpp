#pragma once

#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/collective/scatter/linear.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/collective/scatter/planned.hpp"
