#pragma once

#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/scan/along_chain.hpp"
#include "collsched/collective/scan/butterfly.hpp"
#include "collsched/collective/scan/hierarchical.hpp"
