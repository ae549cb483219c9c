#pragma once

#include "collsched/cost/intra_node_links.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/cost/concepts.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/cost/rank_account.hpp"
