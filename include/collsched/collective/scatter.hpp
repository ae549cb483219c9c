#pragma once

#include "collsched/collective/planned.hpp"
#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/collective/scatter/reversals.hpp"
