#pragma once

#include "collsched/simulate/execution_graph.hpp"
#include "collsched/simulate/simulate.hpp"
