#pragma once

#include "collsched/core/block_layout.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched {

/// The contract of an algorithm, from the parameters it has: ranks, and of root, block, bytes and element those that it names.
template <class A>
constexpr contract contract_of(const A& a) {
    contract promise{.what = A::info.what, .ranks = a.ranks, .commutative = A::info.commutative};
    if constexpr (requires { a.root; }) promise.root = a.root;
    if constexpr (requires { a.block; }) promise.blocks = a.block;
    if constexpr (requires { a.bytes; }) promise.bytes = a.bytes;
    if constexpr (requires { a.element; }) promise.element = a.element;
    return promise;
}

/// The first thing wrong with the parameters that algorithms share, then what the algorithm's own check() finds.
template <class A>
constexpr error check_parameters(const A& a) {
    if (a.ranks < 1) return {"ranks", a.ranks, "1 or more"};
    if constexpr (requires { a.root; })
        if (a.root < 0 || a.root >= a.ranks) return {"root", a.root, "0 to ranks-1"};
    if constexpr (requires { a.block; })
        if (error wrong = a.block.check(a.ranks)) return wrong;
    if constexpr (requires { a.bytes; })
        if (a.bytes < 0) return {"bytes", a.bytes, "0 bytes or more"};
    if constexpr (requires { a.element; }) {
        if (a.element < 1) return {"element", a.element, "1 byte or more"};
        if constexpr (requires { a.bytes; })
            if (a.bytes % a.element != 0) return {"element", a.element, "a size that divides bytes"};
    }
    if constexpr (requires { a.segment; }) {
        if (a.segment < 0) return {"segment", a.segment, "0 (no segments) or more bytes"};
        if constexpr (requires { a.element; })
            if (a.segment % a.element != 0) return {"segment", a.segment, "a multiple of element"};
    }
    if constexpr (requires { a.check(); }) return a.check();
    else return {};
}

}  // namespace collsched
