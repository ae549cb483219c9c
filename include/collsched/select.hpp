#pragma once

#include "collsched/select/choose.hpp"
#include "collsched/select/parameter_values.hpp"
