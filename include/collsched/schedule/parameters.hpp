#pragma once

#include "collsched/core/block_layout.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched::inline v0_1 {

/// The contract of an algorithm, from the parameters it has: ranks, and of root, neighbors, block, bytes and element
/// those that it names.
template <class A>
constexpr contract contract_of(const A& a) {
    contract promise{.what = A::info.what, .ranks = a.ranks, .commutative = A::info.commutative};
    if constexpr (requires { a.root; })
        if (is_rooted(promise.what)) promise.root = a.root;
    if constexpr (requires {
                      promise.matrix = a.block;
                      requires A::info.what == collective::alltoall;
                  })
        promise.matrix = a.block;
    else if constexpr (has_neighbors(A::info.what)) promise.neighbors = a.neighbors, promise.slots = a.block;
    else if constexpr (requires { a.block; }) promise.blocks = a.block;
    if constexpr (requires { a.bytes; }) promise.bytes = a.bytes;
    if constexpr (requires { a.element; }) promise.element = a.element;
    return promise;
}

/// In how many pieces of at most `segment` bytes a message goes, one at least; in one if segment is 0.
constexpr rank_t piece_count(bytes_t bytes, bytes_t segment) {
    return segment <= 0 || bytes <= segment ? 1 : (bytes - 1) / segment + 1;
}

/// Cyclic arithmetic adds two ranks, so their number stays below 2^62.
constexpr error check_ranks(rank_t ranks) {
    if (ranks < 1) return {"ranks", ranks, "1 or more"};
    if (ranks >= rank_t{1} << 62) return {"ranks", ranks, "less than 2^62"};
    return {};
}

/// The first thing wrong with a contract.
constexpr error check_contract(const contract& c) {
    if (error wrong = check_ranks(c.ranks)) return wrong;
    if (c.what > collective::neighbor_alltoall)
        return {"collective", static_cast<std::int64_t>(c.what), "a collective"};
    if (c.root < 0 || c.root >= c.ranks) return {"root", c.root, "0 to ranks-1"};
    if (c.bytes < 0) return {"bytes", c.bytes, "0 bytes or more"};
    if (c.element < 1) return {"element", c.element, "1 byte or more"};
    if (error wrong = c.matrix.check(c.ranks)) return wrong;
    if (has_neighbors(c.what)) {
        if (c.slots.gathered() != (c.what == collective::neighbor_allgather))
            return {"collective", static_cast<std::int64_t>(c.what), "that which the slots were made for"};
        if (error wrong = c.neighbors.check(c.ranks)) return wrong;
        return c.slots.check(c.neighbors, c.ranks);
    }
    return c.blocks.check(c.ranks);
}

/// Whether every block consists of whole elements and begins with one. O(1) for regular blocks, else O(p).
constexpr error check_elements(const block_layout& block, rank_t ranks, bytes_t element) {
    if (element < 1) return {"element", element, "1 byte or more"};
    // Of regular blocks the first and the last tell all.
    const rank_t stride = block.irregular() || ranks == 1 ? 1 : ranks - 1;
    for (rank_t i = 0; i < ranks; i += stride)
        if (block.count(i) % element != 0 || block.displ(i) % element != 0)
            return {"element", element, "a size that divides every block and displacement"};
    return {};
}

/// The first thing wrong with the parameters that algorithms share, then what the algorithm's own check() finds.
template <class A>
constexpr error check_parameters(const A& a) {
    if (error wrong = check_ranks(a.ranks)) return wrong;
    if constexpr (requires { a.root; })
        if (a.root < 0 || a.root >= a.ranks) return {"root", a.root, "0 to ranks-1"};
    if constexpr (requires { a.neighbors; }) {
        if (error wrong = a.neighbors.check(a.ranks)) return wrong;
        if (error wrong = a.block.check(a.neighbors, a.ranks)) return wrong;
    } else if constexpr (requires { a.block; }) {
        if (error wrong = a.block.check(a.ranks)) return wrong;
    }
    if constexpr (requires { a.bytes; })
        if (a.bytes < 0) return {"bytes", a.bytes, "0 bytes or more"};
    if constexpr (requires { a.element; }) {
        if (a.element < 1) return {"element", a.element, "1 byte or more"};
        if constexpr (requires { a.bytes; })
            if (a.bytes % a.element != 0) return {"element", a.element, "a size that divides bytes"};
        if constexpr (requires { a.block; })
            if (error wrong = check_elements(a.block, a.ranks, a.element)) return wrong;
    }
    if constexpr (requires { a.segment; }) {
        if (a.segment < 0) return {"segment", a.segment, "0 (no segments) or more bytes"};
        if constexpr (requires { a.element; })
            if (a.segment % a.element != 0) return {"segment", a.segment, "a multiple of element"};
    }
    if constexpr (requires { a.window; })
        if (a.window < 0) return {"window", a.window, "0 (no pacing) or more steps"};
    if constexpr (requires { a.check(); }) return a.check();
    else return {};
}

}  // namespace collsched::inline v0_1
