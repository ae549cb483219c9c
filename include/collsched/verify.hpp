#pragma once

#include "collsched/verify/verdict.hpp"
#include "collsched/verify/verify.hpp"
