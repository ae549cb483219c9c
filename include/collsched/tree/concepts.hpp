#pragma once

#include <concepts>
#include <type_traits>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A family of spanning trees, one for each number of ranks p. Virtual ranks are v = 0 .. p-1, with root 0; for another
/// root v = (r - root) mod p. A message moves from parent to child in the step of their edge.
///
///   name                 as "binomial"
///   rounds, source       for lists: steps(p) as a formula; origin of the tree
///   reverse_keeps_order  subtrees are contiguous, and receives from children in the reverse order of sends are in
///                        ascending order: a reduction toward the root keeps the order of operands
///   steps(p)             1 + the last step with a send; 0 for p = 1
///   parent(p, v)         parent of v > 0
///   step(p, v)           step in which v receives from its parent; -1 for v = 0
///   child(p, v, k)       child that v sends to in step k, for any k; or -1
///   fanout(p, v)         all sends of v are in the steps step(v)+1 .. step(v)+fanout(v), the last one in the
///                        last step; 0 for a leaf
///   most_sends(p)        largest fanout of any v: the period of a pipeline over the tree
///   parameters(self, f)  calls f(name, self.member) for every parameter of the family
///   check(p)             the first error in the parameters; with an error, no other method may be called
///
/// In binomial trees the step of an edge follows from its distance. In all others, step(v) = 1 + step(parent) + number
/// of earlier sends of the parent.
template <class T>
concept rooted_tree = std::regular<T> && requires(const T& t, rank_t p, rank_t v, step_t k, detail::any_call f) {
    { T::name } -> std::convertible_to<const char*>;
    { T::rounds } -> std::convertible_to<const char*>;
    { T::source } -> std::convertible_to<const char*>;
    { T::reverse_keeps_order } -> std::convertible_to<bool>;
    { t.steps(p) } -> std::same_as<step_t>;
    { t.parent(p, v) } -> std::same_as<rank_t>;
    { t.step(p, v) } -> std::same_as<step_t>;
    { t.child(p, v, k) } -> std::same_as<rank_t>;
    { t.fanout(p, v) } -> std::same_as<step_t>;
    { t.most_sends(p) } -> std::same_as<step_t>;
    { t.check(p) } -> std::same_as<argument_error>;
    T::parameters(t, f);
};

/// A rooted tree in which the subtree of v is v .. v + extent(p, v) - 1. A tree whose extents count positions of its
/// own, position(v), does not satisfy it.
template <class T>
concept contiguous_tree = rooted_tree<T> && requires(const T& t, rank_t p, rank_t v) {
    { t.extent(p, v) } -> std::same_as<rank_t>;
    requires !requires { t.position(v); };
};

/// Two rooted trees over the same ranks, T::trees, that alternate.
template <class T>
concept tree_pair = std::regular<T> && requires(const T& t, rank_t p) {
    requires rooted_tree<std::remove_cvref_t<decltype(T::trees[0])>>;
    { t.check(p) } -> std::same_as<argument_error>;
};

/// Returns the first error of a tree, or pair, for p ranks and this root, or no error. A planned tree is valid for one
/// root.
///
/// @param tree  a rooted tree or a pair of them
/// @param p     number of ranks, 1 or more
/// @param root  root of the collective, 0 .. p-1
template <class Tree>
constexpr argument_error check_tree(const Tree& tree, rank_t p, rank_t root) {
    if constexpr (requires { tree.check(p, root); }) return tree.check(p, root);
    else return tree.check(p);
}

}}  // namespace collsched::COLLSCHED_ABI
