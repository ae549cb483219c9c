#pragma once

#include "collsched/select/algorithm_association.hpp"
#include "collsched/select/built_in_rules.hpp"
#include "collsched/select/choice.hpp"
#include "collsched/select/choose.hpp"
#include "collsched/select/decide.hpp"
#include "collsched/select/decision_table.hpp"
