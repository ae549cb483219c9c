#pragma once

#include "collsched/collective/detail/two_levels.hpp"
#include "collsched/combine/reverse.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

/// Returns whether step 0 of an allreduce copies `input` to `output` on every rank, and has no other edges. Optional
/// member of an allreduce. The leaders of in_groups have their operands in `output`, so they leave the step out.
template <class A>
constexpr bool copies_first(const A& a) {
    if constexpr (requires { a.copies_first(); }) return a.copies_first();
    else return false;
}

}  // namespace detail

/// Every group reduces to its first rank, these leaders run an allreduce, and every leader broadcasts the result in its
/// group. The broadcast `inner` runs in the groups, first in reverse and then forwards. `outer` runs among the leaders.
///
/// Rounds: twice those of inner in the largest group, plus those of outer among as many ranks as there are groups.
/// Leaders hold their sums in `output`, other ranks hold their operands in m bytes of scratch. Keeps the order of
/// operands if the groups consist of consecutive ranks (`in_order`), and outer and the reverse of inner keep it.
/// @param contract  contract of the allreduce
/// @param groups    groups of all ranks
/// @param in_order  whether the groups consist of consecutive ranks
/// @param inner     broadcast within a group; its members of the contract are replaced
/// @param outer     allreduce among the leaders; its members of the contract are replaced
/// @return a schedule
template <grouping_of_ranks Groups, algorithm Inner, algorithm Outer>
constexpr auto in_groups(const contract& contract, const Groups& groups, bool in_order, const Inner& inner,
                         const Outer& outer) {
    collsched::detail::two_levels two(contract, groups);
    const auto spread = two.parts(inner, [bytes = contract.bytes, element = contract.element](rank_t) {
        return collsched::contract{.collective = collective::broadcast, .bytes = bytes, .element = element};
    });
    const auto collect = [spread](rank_t g) { return reverse_of(spread(g)); };
    const Outer outer_part = two.led(outer, contract);
    two.contract.commutative =
        !in_order || lower(collect(0)).contract().commutative || lower(outer_part).contract().commutative;
    return collsched::detail::then_from(two.within(collect, collsched::detail::same_buffers),
                                        then(two.across(outer_part, collsched::detail::input_in_output),
                                             two.within(spread, collsched::detail::input_in_output)),
                                        groups.groups() > 1 && detail::copies_first(outer_part) ? 1 : 0);
}

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
