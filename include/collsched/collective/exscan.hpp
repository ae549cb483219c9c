#pragma once

#include "collsched/collective/exscan/along_chain.hpp"
#include "collsched/collective/exscan/butterfly.hpp"
#include "collsched/collective/exscan/doubling_123.hpp"
#include "collsched/collective/exscan/hierarchical.hpp"
#include "collsched/collective/exscan/recursive_doubling.hpp"
