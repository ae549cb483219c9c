#pragma once

#include "collsched/group/calls.hpp"
#include "collsched/group/cheapest_policy.hpp"
#include "collsched/group/choice_policy.hpp"
#include "collsched/group/collective_call.hpp"
#include "collsched/group/group.hpp"
#include "collsched/group/group_options.hpp"
#include "collsched/group/outcome.hpp"
#include "collsched/group/plan_cache.hpp"
#include "collsched/group/rank_exchange.hpp"
#include "collsched/group/table_policies.hpp"
#include "collsched/group/threads.hpp"
#include "collsched/group/value_reduction.hpp"
