#pragma once

#include "collsched/collective/allreduce/folded.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace allreduce {

namespace detail {

/// exchange with radix 2.
struct pairwise_exchange : exchange {
    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const pairwise_exchange&) const = default;
};

struct recursive_doubling_label {
    static constexpr const char* name = "recursive-doubling";
    static constexpr const char* rounds = "log2 p; floor(log2 p)+2 where p is no power of two";
    static constexpr const char* source = "Thakur, Rabenseifner, Gropp 2005";
};
struct recursive_multiplying_label {
    static constexpr const char* name = "recursive-multiplying";
    static constexpr const char* rounds = "log_k p; up to floor(log_k p) + 2 ceil(log2 k) where p is no power of k";
    static constexpr const char* source = "Ruefenacht, Bull, Booth 2017";
};

}  // namespace detail

/// Ranks exchange their sums with the rank at distance 1, 2, 4, ... If p is no power of two and n is the largest power
/// of two below p, one rank of each of the first p - n pairs of neighbors takes part.
///
/// Rounds log2 p, or floor(log2 p) + 2; m log2 n bytes sent and received per rank, plus m bytes for a rank with a
/// guest. Keeps the order of operands, with the same bits on all ranks. Guests have m bytes of scratch, other ranks
/// none.
using recursive_doubling = folded<detail::pairwise_exchange, detail::recursive_doubling_label>;

/// Groups of k = radix ranks exchange their sums, at distance 1, k, k^2, ..., and combine them in the order of ranks;
/// see folded for p that is no power of k.
///
/// Rounds log_k p with k-1 messages per rank, or up to floor(log_k p) + 2 ceil(log2 k). A host sends (k-1) m log_k n
/// bytes for n hosts, and up to (k-1) m more to its guests. Guests have m bytes of scratch; hosts have up to k m, none
/// for k = 2. Keeps the order of operands, with the same bits on all ranks.
/// Source: Ruefenacht, Bull, Booth 2017, "Generalization of recursive doubling for allreduce".
using recursive_multiplying = folded<detail::exchange, detail::recursive_multiplying_label>;

}}}  // namespace collsched::COLLSCHED_ABI::allreduce
