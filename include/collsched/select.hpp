#pragma once

#include "collsched/select/choice.hpp"
#include "collsched/select/choose.hpp"
#include "collsched/select/decide.hpp"
#include "collsched/select/decision_table.hpp"
#include "collsched/select/measured_case.hpp"
#include "collsched/select/measured_times.hpp"
#include "collsched/select/openmpi_findings.hpp"
#include "collsched/select/openmpi_rules.hpp"
#include "collsched/select/parameter_values.hpp"
