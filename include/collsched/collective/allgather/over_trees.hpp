#pragma once

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/in_preorder.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/then.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allgather {

namespace detail {

/// The second half: the root, which has all blocks in its output, sends them down a tree in one message per edge.
template <rooted_tree Tree>
struct handed_down {
    rank_t ranks = 1;
    rank_t root = 0;
    block_layout block = 0;
    Tree tree{};

    static constexpr algorithm_info info{
        .collective = collective::allgather, .name = Tree::name, .rounds = Tree::rounds, .source = Tree::source};

    /// Every block is at its displacement in `output`. No copies are needed.
    struct in_output {
        block_layout blocks;
        rank_t ranks;

        constexpr rank_t block_count() const { return ranks; }
        constexpr step_t steps(step_t message_steps) const { return message_steps; }
        constexpr step_range copy_steps(rank_t, step_t) const { return {}; }
        static constexpr bool scratchless = true;
        constexpr bytes_t scratch(rank_t) const { return 0; }
        constexpr collsched::detail::run_cursor read(rank_t, step_t, block_interval all) const {
            return {buffer::output, blocks, ranks, all};
        }
        constexpr collsched::detail::run_cursor write(rank_t, block_interval all) const {
            return {buffer::output, blocks, ranks, all};
        }
        constexpr void copies(rank_t, step_t, step_t, auto) const {}
    };

    constexpr in_output store() const { return {block, ranks}; }
    constexpr argument_error check() const { return check_tree(tree, ranks, root); }
    constexpr step_t steps() const { return run().steps(); }
    constexpr step_range active(rank_t r) const { return run().active(r); }
    constexpr void targets(rank_t r, step_t k, auto f) const { run().targets(r, k, f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { run().sources(r, k, f); }
    constexpr void message(rank_t, rank_t, step_t, auto f) const { f(block_interval{0, ranks}); }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        Tree::parameters(self.tree, f);
    }
    bool operator==(const handed_down&) const = default;

  private:
    constexpr auto run() const { return broadcast::detail::tree_pipeline{&tree, 1, ranks, root, 1}; }
};

}  // namespace detail

/// Allgather through a root: a gather up the tree `up`, then a broadcast down the tree `down`.
///
/// Rounds up.steps(p) + down.steps(p). The root receives all bytes but its own, by the method `Receive`; every other
/// rank receives all bytes once in the broadcast. Scratch is that of the gather.
/// @param ranks  number of ranks, 1 or more
/// @param root   root of both trees, 0 .. ranks-1
/// @param block  sizes and displacements of the blocks, in bytes
/// @param up     tree of the gather
/// @param down   tree of the broadcast
/// @return a schedule
template <gather::root_receive Receive = gather::root_receive::direct, rooted_tree Up, rooted_tree Down>
constexpr auto over_trees(rank_t ranks, rank_t root, const block_layout& block, const Up& up, const Down& down) {
    const contract contract{.collective = collective::allgather, .ranks = ranks, .blocks = block};
    return then(rename_buffers(gather::over_tree<Up, Receive>{.ranks = ranks, .root = root, .block = block, .tree = up},
                               collsched::detail::same_buffers, contract),
                detail::handed_down<Down>{.ranks = ranks, .root = root, .block = block, .tree = down});
}

}}}  // namespace collsched::COLLSCHED_ABI::allgather
