#pragma once

#include "collsched/select/choose.hpp"
#include "collsched/select/decision_table.hpp"
#include "collsched/select/foreign_algorithms.hpp"
#include "collsched/select/parameter_values.hpp"
