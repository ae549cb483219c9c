#pragma once

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/collective/allgather.hpp"
#include "collsched/collective/allreduce.hpp"
#include "collsched/collective/alltoall.hpp"
#include "collsched/collective/barrier.hpp"
#include "collsched/collective/broadcast.hpp"
#include "collsched/collective/exscan.hpp"
#include "collsched/collective/gather.hpp"
#include "collsched/collective/neighbor_linear.hpp"
#include "collsched/collective/reduce.hpp"
#include "collsched/collective/reduce_scatter.hpp"
#include "collsched/collective/scan.hpp"
#include "collsched/collective/scatter.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/k_nomial.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"
#include "collsched/tree/planners/all.hpp"

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

namespace collsched { inline namespace COLLSCHED_ABI {

/// All algorithms that need no cluster description. Tests, benchmarks and pictures use this list. choose() takes the
/// first of equal price, so `by_dimension` follows the direct exchanges that it equals in one row.
struct registry : algorithm_list<allgather::bine,                                                     //
                                 allgather::bruck,                                                    //
                                 allgather::circulant,                                                //
                                 allgather::circulant_blocks,                                         //
                                 allgather::hierarchical<>,                                           //
                                 allgather::interval_halving,                                         //
                                 allgather::k_ring,                                                   //
                                 allgather::linear,                                                   //
                                 allgather::locality_bruck,                                           //
                                 allgather::neighbor_exchange,                                        //
                                 allgather::pat,                                                      //
                                 allgather::recursive_doubling,                                       //
                                 allgather::recursive_multiplying,                                    //
                                 allgather::ring,                                                     //
                                 allgather::sparbit,                                                  //
                                 allgather::swing,                                                    //
                                 allgather::trivance,                                                 //
                                 allgather::trivance_by_dimension,                                    //
                                 allgather::by_dimension,                                             //
                                 allreduce::allgather_reduce<allgather::circulant>,                   //
                                 allreduce::allgather_reduce_by_dimension,                            //
                                 allreduce::bine,                                                     //
                                 allreduce::circulant,                                                //
                                 allreduce::circulant_blocks,                                         //
                                 allreduce::dual_root,                                                //
                                 allreduce::hierarchical<>,                                           //
                                 allreduce::interval_doubling,                                        //
                                 allreduce::interval_halving,                                         //
                                 allreduce::interval_halving_by_dimension,                            //
                                 allreduce::interval_hierarchical,                                    //
                                 allreduce::k_reduce_scatter_allgather,                               //
                                 allreduce::over_tree<trees::binomial>,                               //
                                 allreduce::over_tree<trees::chain>,                                  //
                                 allreduce::over_tree<trees::in_order_binary>,                        //
                                 allreduce::over_tree<trees::k_ary>,                                  //
                                 allreduce::over_tree<trees::k_nomial>,                               //
                                 allreduce::over_tree<trees::two_tree>,                               //
                                 allreduce::pat,                                                      //
                                 allreduce::rabenseifner,                                             //
                                 allreduce::recursive_doubling,                                       //
                                 allreduce::recursive_multiplying,                                    //
                                 allreduce::ring,                                                     //
                                 allreduce::segmented_ring,                                           //
                                 allreduce::swing,                                                    //
                                 allreduce::trivance,                                                 //
                                 allreduce::trivance_latency,                                         //
                                 allreduce::trivance_by_dimension,                                    //
                                 allreduce::trivance_latency_by_dimension,                            //
                                 allreduce::by_dimension,                                             //
                                 alltoall::bruck,                                                     //
                                 alltoall::grouped,                                                   //
                                 alltoall::hierarchical<>,                                            //
                                 alltoall::linear,                                                    //
                                 alltoall::pairwise,                                                  //
                                 alltoall::ring,                                                      //
                                 alltoall::by_dimension,                                              //
                                 barrier::dissemination,                                              //
                                 barrier::double_ring,                                                //
                                 barrier::hierarchical<>,                                             //
                                 barrier::linear,                                                     //
                                 barrier::over_tree<trees::binomial>,                                 //
                                 barrier::over_tree<trees::k_nomial>,                                 //
                                 barrier::recursive_doubling,                                         //
                                 broadcast::circulant,                                                //
                                 broadcast::hierarchical<>,                                           //
                                 broadcast::interval_tree,                                            //
                                 broadcast::over_tree<trees::binomial>,                               //
                                 broadcast::over_tree<trees::binomial_doubling>,                      //
                                 broadcast::over_tree<trees::chain>,                                  //
                                 broadcast::over_tree<trees::flat>,                                   //
                                 broadcast::over_tree<trees::in_order_binary>,                        //
                                 broadcast::over_tree<trees::k_ary>,                                  //
                                 broadcast::over_tree<trees::k_nomial>,                               //
                                 broadcast::over_tree<trees::two_tree>,                               //
                                 broadcast::scatter_circulant,                                        //
                                 broadcast::scatter_recursive_doubling,                               //
                                 broadcast::scatter_ring,                                             //
                                 broadcast::split_binary_tree,                                        //
                                 exscan::butterfly,                                                   //
                                 exscan::doubling_123,                                                //
                                 exscan::hierarchical<>,                                              //
                                 exscan::linear,                                                      //
                                 exscan::pipelined,                                                   //
                                 exscan::recursive_doubling,                                          //
                                 gather::hierarchical<>,                                              //
                                 gather::linear,                                                      //
                                 gather::over_tree<trees::binomial, gather::root_receive::instant>,   //
                                 gather::over_tree<trees::binomial, gather::root_receive::chained>,   //
                                 gather::over_tree<trees::chain>,                                     //
                                 gather::over_tree<trees::in_order_binary>,                           //
                                 gather::over_tree<trees::k_ary>,                                     //
                                 gather::over_tree<trees::k_nomial>,                                  //
                                 neighbor_allgather::linear,                                          //
                                 neighbor_alltoall::linear,                                           //
                                 reduce::circulant,                                                   //
                                 reduce::hierarchical<>,                                              //
                                 reduce::interval_halving,                                            //
                                 reduce::interval_tree,                                               //
                                 reduce::interval_hierarchical,                                       //
                                 reduce::linear,                                                      //
                                 reduce::over_tree<trees::binomial>,                                  //
                                 reduce::over_tree<trees::chain>,                                     //
                                 reduce::over_tree<trees::in_order_binary>,                           //
                                 reduce::over_tree<trees::k_ary>,                                     //
                                 reduce::over_tree<trees::k_nomial>,                                  //
                                 reduce::over_tree<trees::two_tree>,                                  //
                                 reduce::rabenseifner,                                                //
                                 reduce_scatter::bine,                                                //
                                 reduce_scatter::butterfly,                                           //
                                 reduce_scatter::circulant,                                           //
                                 reduce_scatter::circulant_blocks,                                    //
                                 reduce_scatter::hierarchical<>,                                      //
                                 reduce_scatter::interval_halving,                                    //
                                 reduce_scatter::interval_hierarchical,                               //
                                 reduce_scatter::k_ring,                                              //
                                 reduce_scatter::locality_bruck,                                      //
                                 reduce_scatter::pairwise,                                            //
                                 reduce_scatter::pat,                                                 //
                                 reduce_scatter::recursive_doubling,                                  //
                                 reduce_scatter::reduce_then_scatter,                                 //
                                 reduce_scatter::recursive_halving,                                   //
                                 reduce_scatter::recursive_multiplying,                               //
                                 reduce_scatter::ring,                                                //
                                 reduce_scatter::sparbit,                                             //
                                 reduce_scatter::swing,                                               //
                                 reduce_scatter::trivance,                                            //
                                 reduce_scatter::trivance_by_dimension,                               //
                                 reduce_scatter::by_dimension,                                        //
                                 scan::butterfly,                                                     //
                                 scan::hierarchical<>,                                                //
                                 scan::linear,                                                        //
                                 scan::pipelined,                                                     //
                                 scan::recursive_doubling,                                            //
                                 scatter::hierarchical<>,                                             //
                                 scatter::linear,                                                     //
                                 scatter::over_tree<trees::binomial>,                                 //
                                 scatter::over_tree<trees::binomial, gather::root_receive::chained>,  //
                                 scatter::over_tree<trees::chain>,                                    //
                                 scatter::over_tree<trees::in_order_binary>,                          //
                                 scatter::over_tree<trees::k_ary>,                                    //
                                 scatter::over_tree<trees::k_nomial>> {
    /// The algorithms over the trees of the planners of a list. They take a cluster.
    template <class Planners>
    using planned_by = typename detail::planned_algorithms_of<Planners>::type;

    /// The algorithms over the trees of all planners.
    using planned = planned_by<planners::all>;

    /// The algorithms that are planned for a network: over the trees of a forest, or by transfers. They take the plan.
    using networked = collsched::algorithm_list<allgather::over_forest, allgather::matched, allreduce::over_forest,
                                                broadcast::over_forest, reduce::over_forest,
                                                reduce_scatter::over_forest, reduce_scatter::matched>;

    /// Every algorithm of the library: what the command line lists.
    using complete = detail::joined_lists<algorithm_list, planned, networked>;
};

}}  // namespace collsched::COLLSCHED_ABI
