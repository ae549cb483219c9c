#pragma once

#include "collsched/execute/engine.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/execute/memory_fabric.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/threads.hpp"
#include "collsched/execute/transport.hpp"
