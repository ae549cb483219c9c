#pragma once

#include "collsched/simulate/contention/conflict_policies.hpp"
#include "collsched/simulate/contention/exchange_policies.hpp"
#include "collsched/simulate/contention/exchange_policy.hpp"
#include "collsched/simulate/contention/packet_account.hpp"
#include "collsched/simulate/contention/switch_contention.hpp"
#include "collsched/simulate/contention/switch_network.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/goal_program.hpp"
#include "collsched/simulate/loggops_run.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/timeline.hpp"
