#pragma once

#include "collsched/simulate/contention_bound.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/simulate/contention_run.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/goal_program.hpp"
#include "collsched/simulate/loggops_run.hpp"
#include "collsched/simulate/link_queue_model.hpp"
#include "collsched/simulate/link_queue_run.hpp"
#include "collsched/simulate/link_queue_trace.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/simulate/simulation.hpp"
#include "collsched/simulate/trace.hpp"
