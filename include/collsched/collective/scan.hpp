#pragma once

#include "collsched/collective/scan/along_chain.hpp"
#include "collsched/collective/scan/butterfly.hpp"
#include "collsched/collective/scan/hierarchical.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"
