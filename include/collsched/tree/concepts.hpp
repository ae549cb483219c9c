#pragma once

#include <concepts>
#include <type_traits>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A family of spanning trees, one for every number of ranks p. Virtual ranks v = 0 .. p-1, root 0: whoever has another
/// root shifts, v = (r - root) mod p. A message goes from parent to child in the step of the edge between them.
///
///   name               "binomial"
///   rounds, source     for lists: steps(p) as a formula; where the tree comes from
///   reverse_keeps_order  subtrees are contiguous, and who hears from its children in the reverse order of sends hears
///                      them in ascending order: a reduction up this tree keeps the order of operands
///   steps(p)           1 + the last step in which anybody sends; 0 for p = 1
///   parent(p, v)       from whom v > 0 hears
///   step(p, v)         the step in which v hears from its parent; -1 for v = 0
///   child(p, v, k)     to whom v sends in step k, any k; or -1
///   fanout(p, v)       all sends of v lie in the steps step(v)+1 .. step(v)+fanout(v), the last of them in the last one;
///                      0 for a leaf
///   most_sends(p)      the largest fanout of any v: the period of a pipeline over the tree
///   parameters(self, f)  f(name, member) for every parameter of the family
///   check(p)           the first thing wrong with the parameters; nothing else may be asked while there is one
///
/// In binomial trees the step of an edge follows from its distance. In all others, step(v) = 1 + step(parent) + how many
/// sends the parent made before.
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

/// A rooted tree in which the subtree of v is exactly v .. v + extent(p, v) - 1. A tree with a numbering of its own,
/// position(v), counts extents in that, and is none.
template <class T>
concept contiguous_tree = rooted_tree<T> && requires(const T& t, rank_t p, rank_t v) {
    { t.extent(p, v) } -> std::same_as<rank_t>;
    requires !requires { t.position(v); };
};

/// Two rooted trees over the same ranks, to be used in turn.
template <class T>
concept tree_pair = std::regular<T> && requires(const T& t, rank_t p) {
    requires rooted_tree<std::remove_cvref_t<decltype(T::both[0])>>;
    { t.check(p) } -> std::same_as<argument_error>;
};

/// The first thing wrong with a tree, or pair, for p ranks and this root: a planned tree is made for one.
template <class Tree>
constexpr argument_error check_tree(const Tree& tree, rank_t p, rank_t root) {
    if constexpr (requires { tree.check(p, root); }) return tree.check(p, root);
    else return tree.check(p);
}

}}  // namespace collsched::COLLSCHED_ABI
