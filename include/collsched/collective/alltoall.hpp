#pragma once

#include "collsched/collective/alltoall/bruck.hpp"
#include "collsched/collective/alltoall/by_dimension.hpp"
#include "collsched/collective/alltoall/coordinator.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/alltoall/grouped.hpp"
#include "collsched/collective/alltoall/grouping.hpp"
#include "collsched/collective/alltoall/hierarchical.hpp"
