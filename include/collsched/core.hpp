#pragma once

#include "collsched/core/bits.hpp"
#include "collsched/core/block_layout.hpp"
#include "collsched/core/block_table.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/config.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/core/error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/shared.hpp"
#include "collsched/core/sort.hpp"
