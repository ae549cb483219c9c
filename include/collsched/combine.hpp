#pragma once

#include "collsched/combine/local_step.hpp"
#include "collsched/combine/rank_groups.hpp"
#include "collsched/combine/region.hpp"
#include "collsched/combine/relabel.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/combine/run_in_groups.hpp"
#include "collsched/combine/segment.hpp"
#include "collsched/combine/then.hpp"
