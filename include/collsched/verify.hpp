#pragma once

#include "collsched/verify/contents.hpp"
#include "collsched/verify/hash_index.hpp"
#include "collsched/verify/heard_ranks.hpp"
#include "collsched/verify/operands.hpp"
#include "collsched/verify/origins.hpp"
#include "collsched/verify/replay.hpp"
#include "collsched/verify/results.hpp"
#include "collsched/verify/step_conflicts.hpp"
#include "collsched/verify/verdict.hpp"
#include "collsched/verify/verify.hpp"
