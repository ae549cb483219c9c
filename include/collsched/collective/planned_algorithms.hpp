#pragma once

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/collective/allgather/planned.hpp"
#include "collsched/collective/barrier/planned.hpp"
#include "collsched/collective/broadcast/planned.hpp"
#include "collsched/collective/gather/planned.hpp"
#include "collsched/collective/reduce/planned.hpp"
#include "collsched/collective/scatter/planned.hpp"
#include "collsched/tree/planners/planner_entry.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

template <class Planners>
struct planned_algorithms_of;
template <planner... Planners>
struct planned_algorithms_of<planners::detail::planner_list<Planners...>> {
    using type =
        algorithm_list<allgather::planned<Planners>..., barrier::planned<Planners>..., broadcast::planned<Planners>...,
                       gather::planned<Planners>..., reduce::planned<Planners>..., scatter::planned<Planners>...>;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
