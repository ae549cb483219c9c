#pragma once

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/collective/allgather/bine.hpp"
#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/k_ring.hpp"
#include "collsched/collective/allgather/linear.hpp"
#include "collsched/collective/allgather/neighbor_exchange.hpp"
#include "collsched/collective/allgather/over_trees.hpp"
#include "collsched/collective/allgather/pat.hpp"
#include "collsched/collective/allgather/planned.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allgather/sparbit.hpp"
#include "collsched/collective/allgather/swing.hpp"
#include "collsched/collective/alltoall/bruck.hpp"
#include "collsched/collective/alltoall/coordinator.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/alltoall/grouped.hpp"
#include "collsched/collective/alltoall/grouping.hpp"
#include "collsched/collective/alltoall/linear.hpp"
#include "collsched/collective/alltoall/one_hop_store.hpp"
#include "collsched/collective/alltoall/pairwise.hpp"
#include "collsched/collective/alltoall/ring.hpp"
#include "collsched/collective/barrier/planned.hpp"
#include "collsched/collective/barrier/signal_tree.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/broadcast/planned.hpp"
#include "collsched/collective/broadcast/tree_pipeline.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/gather/message_chains.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/gather/planned.hpp"
#include "collsched/collective/gather/root_stores.hpp"
#include "collsched/collective/planned_algorithms.hpp"
#include "collsched/collective/reduce/over_tree.hpp"
#include "collsched/collective/reduce/planned.hpp"
#include "collsched/collective/reduce_scatter/bine.hpp"
#include "collsched/collective/reduce_scatter/circulant.hpp"
#include "collsched/collective/reduce_scatter/k_ring.hpp"
#include "collsched/collective/reduce_scatter/pairwise.hpp"
#include "collsched/collective/reduce_scatter/pat.hpp"
#include "collsched/collective/reduce_scatter/recursive_halving.hpp"
#include "collsched/collective/reduce_scatter/recursive_multiplying.hpp"
#include "collsched/collective/reduce_scatter/ring.hpp"
#include "collsched/collective/reduce_scatter/sparbit.hpp"
#include "collsched/collective/reduce_scatter/swing.hpp"
#include "collsched/collective/scatter/linear.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/collective/scatter/planned.hpp"
#include "collsched/tree.hpp"

namespace collsched {

/// Every algorithm that needs to know no cluster: what tests, benchmarks and pictures go through.
using registry = algorithm_list<                                   //
    allgather::bine,                                               //
    allgather::bruck,                                              //
    allgather::circulant,                                          //
    allgather::k_ring,                                             //
    allgather::linear,                                             //
    allgather::neighbor_exchange,                                  //
    allgather::pat,                                                //
    allgather::recursive_doubling,                                 //
    allgather::recursive_multiplying,                              //
    allgather::ring,                                               //
    allgather::sparbit,                                            //
    allgather::swing,                                              //
    alltoall::bruck,                                               //
    alltoall::grouped,                                             //
    alltoall::linear,                                              //
    alltoall::pairwise,                                            //
    alltoall::ring,                                                //
    broadcast::over_tree<trees::binomial>,                         //
    broadcast::over_tree<trees::binomial_doubling>,                //
    broadcast::over_tree<trees::chain>,                            //
    broadcast::over_tree<trees::flat>,                             //
    broadcast::over_tree<trees::in_order_binary>,                  //
    broadcast::over_tree<trees::k_ary>,                            //
    broadcast::over_tree<trees::k_nomial>,                         //
    broadcast::over_tree<trees::two_tree>,                         //
    gather::linear,                                                //
    gather::over_tree<trees::binomial, gather::intake::instant>,   //
    gather::over_tree<trees::binomial, gather::intake::chained>,   //
    gather::over_tree<trees::chain>,                               //
    gather::over_tree<trees::in_order_binary>,                     //
    gather::over_tree<trees::k_ary>,                               //
    gather::over_tree<trees::k_nomial>,                            //
    reduce::over_tree<trees::binomial>,                            //
    reduce::over_tree<trees::chain>,                               //
    reduce::over_tree<trees::in_order_binary>,                     //
    reduce::over_tree<trees::k_ary>,                               //
    reduce::over_tree<trees::k_nomial>,                            //
    reduce::over_tree<trees::two_tree>,                            //
    reduce_scatter::bine,                                          //
    reduce_scatter::circulant,                                     //
    reduce_scatter::k_ring,                                        //
    reduce_scatter::pairwise,                                      //
    reduce_scatter::pat,                                           //
    reduce_scatter::recursive_halving,                             //
    reduce_scatter::recursive_multiplying,                         //
    reduce_scatter::ring,                                          //
    reduce_scatter::sparbit,                                       //
    reduce_scatter::swing,                                         //
    scatter::linear,                                               //
    scatter::over_tree<trees::binomial>,                           //
    scatter::over_tree<trees::binomial, gather::intake::chained>,  //
    scatter::over_tree<trees::chain>,                              //
    scatter::over_tree<trees::in_order_binary>,                    //
    scatter::over_tree<trees::k_ary>,                              //
    scatter::over_tree<trees::k_nomial>>;

/// Those over the trees of planners, which take a cluster.
using planned_registry = planned_algorithms<planners::all>;

/// Every algorithm of the library: what the command line lists.
using whole_registry = joined_lists<registry, planned_registry>;

}  // namespace collsched
