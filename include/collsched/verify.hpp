#pragma once

#include "collsched/verify/combination_trees.hpp"
#include "collsched/verify/association_report.hpp"
#include "collsched/verify/verdict.hpp"
#include "collsched/verify/verify.hpp"
