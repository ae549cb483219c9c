#pragma once

#include "collsched/collective/neighbor_allgather/linear.hpp"
