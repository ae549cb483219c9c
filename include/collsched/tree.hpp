#pragma once

#include "collsched/tree/binomial.hpp"
#include "collsched/tree/binomial_doubling.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/concepts.hpp"
#include "collsched/tree/double_binary.hpp"
#include "collsched/tree/flat.hpp"
#include "collsched/tree/in_order_binary.hpp"
#include "collsched/tree/k_ary.hpp"
#include "collsched/tree/k_nomial.hpp"
#include "collsched/tree/logp_optimal.hpp"
#include "collsched/tree/planned_tree.hpp"
#include "collsched/tree/preorder.hpp"
