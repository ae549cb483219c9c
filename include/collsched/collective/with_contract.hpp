#pragma once

#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Sets the members that a contract determines: ranks, root, blocks, bytes and element, in an algorithm or in the one
/// that it reverses.
template <class A>
constexpr void fit(A& a, const contract& c) {
    if constexpr (requires { a.ranks; }) {
        a.ranks = c.ranks;
        if constexpr (requires { a.root; }) a.root = c.root;
        if constexpr (requires { a.block = c.matrix(); } && A::info.collective == collective::alltoall)
            a.block = c.matrix();
        else if constexpr (requires { a.block; }) a.block = c.layout();
        if constexpr (requires { a.bytes; }) a.bytes = c.bytes;
        if constexpr (requires { a.element; }) a.element = c.element;
    } else {
        fit(a.of, c);
        if constexpr (requires { a.element = c.element; }) a.element = c.element;
    }
}

}  // namespace detail

/// Calls f(name, member) for each parameter of `a` that a contract does not set: all but ranks, root, block, bytes and
/// element.
/// @param a  an algorithm
/// @param f  callable, f(name, member)
template <class A, class Self, class F>
constexpr void own_parameters(Self& a, F f) {
    A::parameters(a, [&](const char* name, auto& parameter) {
        for (const char* settled : {"ranks", "root", "block", "bytes", "element"})
            if (detail::same_text(name, settled)) return;
        f(name, parameter);
    });
}

/// Returns the algorithm with ranks, root, blocks, bytes and element of the contract; its other parameters are
/// unchanged.
/// @param a  an algorithm
/// @param c  contract of the collective of the algorithm
template <algorithm A>
constexpr A with_contract(A a, const contract& c) {
    detail::fit(a, c);
    return a;
}

}}  // namespace collsched::COLLSCHED_ABI
