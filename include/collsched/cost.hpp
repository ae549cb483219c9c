#pragma once

#include "collsched/cost/loggp.hpp"
#include "collsched/cost/rank_account.hpp"
