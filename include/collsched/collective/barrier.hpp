#pragma once

#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/barrier/double_ring.hpp"
#include "collsched/collective/barrier/hierarchical.hpp"
#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/collective/barrier/planned.hpp"
