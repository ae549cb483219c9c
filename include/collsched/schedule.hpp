#pragma once

#include "collsched/schedule/any_schedule.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/lower_bounds.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/schedule/parameters.hpp"
#include "collsched/schedule/static_schedule.hpp"
#include "collsched/schedule/stored_schedule.hpp"
