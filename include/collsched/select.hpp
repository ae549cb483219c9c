#pragma once

#include "collsched/select/choose.hpp"
#include "collsched/select/decision_table.hpp"
#include "collsched/select/openmpi_findings.hpp"
#include "collsched/select/openmpi_rule.hpp"
#include "collsched/select/openmpi_version.hpp"
#include "collsched/select/parameter_values.hpp"
