#pragma once

#include "collsched/combine/aside.hpp"
#include "collsched/combine/guarded.hpp"
#include "collsched/combine/local_step.hpp"
#include "collsched/combine/placed.hpp"
#include "collsched/combine/rank_groups.hpp"
#include "collsched/combine/region.hpp"
#include "collsched/combine/relabelled.hpp"
#include "collsched/combine/reversed.hpp"
#include "collsched/combine/segmented.hpp"
#include "collsched/combine/sequence.hpp"
#include "collsched/combine/shifted.hpp"
#include "collsched/combine/side_by_side.hpp"
