#pragma once

#include "collsched/simulate/conflict_policies.hpp"
#include "collsched/simulate/exchange_policies.hpp"
#include "collsched/simulate/exchange_policy.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/packet_account.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/switch_contention.hpp"
#include "collsched/simulate/switch_network.hpp"
