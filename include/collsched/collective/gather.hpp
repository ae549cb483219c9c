#pragma once

#include "collsched/collective/gather/in_preorder.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/gather/planned.hpp"
#include "collsched/collective/gather/root_receive.hpp"
#include "collsched/collective/scatter/hierarchical.hpp"
