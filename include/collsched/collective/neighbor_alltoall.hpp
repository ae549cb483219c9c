#pragma once

#include "collsched/collective/neighbor_alltoall/linear.hpp"
