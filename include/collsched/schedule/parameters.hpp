#pragma once

#include "collsched/core/block_layout.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the contract of an algorithm, from `info.collective`, `info.commutative` and those of the members ranks,
/// root, neighbors, block, bytes and element that the algorithm has.
/// @param a  an algorithm, also with wrong parameters
template <class A>
constexpr contract contract_of(const A& a) {
    contract contract{.collective = A::info.collective, .ranks = a.ranks, .commutative = A::info.commutative};
    if constexpr (requires { a.root; })
        if (is_rooted(contract.collective)) contract.root = a.root;
    if constexpr (has_neighbors(A::info.collective)) contract.blocks = {a.neighbors, a.block};
    else if constexpr (A::info.collective == collective::alltoall && requires(block_matrix m) { m = a.block; })
        contract.blocks = block_matrix(a.block);
    else if constexpr (requires { a.block; }) contract.blocks = block_layout(a.block);
    if constexpr (requires { a.bytes; }) contract.bytes = a.bytes;
    if constexpr (requires { a.element; }) contract.element = a.element;
    return contract;
}

namespace detail {

/// Calls f(name, member) for the members of an algorithm that determine its contract: ranks, root, block, bytes and
/// element, as far as it has them. The algorithms of the library list them first in parameters().
constexpr void contract_parameters(auto& self, auto& f) {
    f("ranks", self.ranks);
    if constexpr (requires { self.root; }) f("root", self.root);
    if constexpr (requires { self.block; }) f("block", self.block);
    if constexpr (requires { self.bytes; }) f("bytes", self.bytes);
    if constexpr (requires { self.element; }) f("element", self.element);
}

/// Returns the number of segments of a message: ceil(bytes / segment), 1 or more; 1 if segment <= 0.
constexpr rank_t piece_count(bytes_t bytes, bytes_t segment) {
    return segment <= 0 || bytes <= segment ? 1 : (bytes - 1) / segment + 1;
}

}  // namespace detail

/// Returns an error unless 1 <= ranks < 2^62. (Cyclic arithmetic adds two ranks.)
/// @param ranks  any number
constexpr argument_error check_ranks(rank_t ranks) {
    if (ranks < 1) return {"ranks", ranks, "1 or more"};
    if (ranks >= rank_t{1} << 62) return {"ranks", ranks, "less than 2^62"};
    return {};
}

/// Returns the first error in the members of a contract, or no error. O(1) for regular layouts, else as check() of the
/// layout.
/// @param c  any contract
constexpr argument_error check_contract(const contract& c) {
    if (argument_error error = check_ranks(c.ranks)) return error;
    if (c.collective > collective::neighbor_alltoall)
        return {"collective", static_cast<std::int64_t>(c.collective), "a collective"};
    if (c.root < 0 || c.root >= c.ranks) return {"root", c.root, "0 to ranks-1"};
    if (c.bytes < 0) return {"bytes", c.bytes, "0 bytes or more"};
    if (c.element < 1) return {"element", c.element, "1 byte or more"};
    if (argument_error error = c.matrix().check(c.ranks)) return error;
    if (has_neighbors(c.collective)) {
        if (c.slots().is_gathered() != (c.collective == collective::neighbor_allgather))
            return {"collective", static_cast<std::int64_t>(c.collective), "the collective of the slots"};
        if (argument_error error = c.neighbors().check(c.ranks)) return error;
        return c.slots().check(c.neighbors(), c.ranks);
    }
    return c.layout().check(c.ranks);
}

namespace detail {

/// Returns an error unless every block consists of whole elements and begins at a multiple of the element size. O(1)
/// for regular blocks, else O(p).
constexpr argument_error check_elements(const block_layout& block, rank_t ranks, bytes_t element) {
    if (element < 1) return {"element", element, "1 byte or more"};
    // For regular blocks the first and the last suffice.
    const rank_t stride = block.irregular() || ranks == 1 ? 1 : ranks - 1;
    for (rank_t i = 0; i < ranks; i += stride)
        if (block.count(i) % element != 0 || block.displ(i) % element != 0)
            return {"element", element, "a size that divides every block and displacement"};
    return {};
}

}  // namespace detail

/// Returns the first error in the parameters that algorithms share (ranks, root, neighbors, block, bytes, element, segment,
/// window), or else the result of the check() of the algorithm. A view() that makes a table calls it first. O(p) for
/// irregular blocks.
/// @param a  an algorithm, or any type with some of these members
template <class A>
constexpr argument_error check_parameters(const A& a) {
    if (argument_error error = check_ranks(a.ranks)) return error;
    if constexpr (requires { a.root; })
        if (a.root < 0 || a.root >= a.ranks) return {"root", a.root, "0 to ranks-1"};
    if constexpr (requires { a.neighbors; }) {
        if (argument_error error = a.neighbors.check(a.ranks)) return error;
        if (argument_error error = a.block.check(a.neighbors, a.ranks)) return error;
    } else if constexpr (requires { a.block; }) {
        if (argument_error error = a.block.check(a.ranks)) return error;
    }
    if constexpr (requires { a.bytes; })
        if (a.bytes < 0) return {"bytes", a.bytes, "0 bytes or more"};
    if constexpr (requires { a.element; }) {
        if (a.element < 1) return {"element", a.element, "1 byte or more"};
        if constexpr (requires { a.bytes; })
            if (a.bytes % a.element != 0) return {"element", a.element, "a size that divides bytes"};
        if constexpr (requires { a.block; })
            if (argument_error error = detail::check_elements(a.block, a.ranks, a.element)) return error;
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

}}  // namespace collsched::COLLSCHED_ABI
