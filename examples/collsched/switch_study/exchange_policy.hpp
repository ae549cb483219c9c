#pragma once

#include <concepts>

#include "collsched/core/block_matrix.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched::switch_study {

/// What a policy does during one exchange: it is told what happens, and opens, closes and asks to be woken. This one does nothing.
///
/// Links, what it works on, has: ranks(), now(), round_trip() (both in ps), bytes(i, j), finished(i, j) (node i has heard that all is
/// through), open(i, j) and close(i, j) (from now on packets of that message take their turn, or no longer do), wake(i, j, delay) and
/// decide().
struct exchange_rule {
    /// Time 0: to open what may be sent.
    template <class Links>
    void begin(Links&) {}
    /// Node i has heard that all of its message to j is through.
    template <class Links>
    void completed(Links&, rank_t, rank_t) {}
    /// Node j has all of the message of i.
    template <class Links>
    void received(Links&, rank_t, rank_t) {}
    /// Node i notices that j's buffer overflowed; once for all packets sent before the last such notice.
    template <class Links>
    void lost(Links&, rank_t, rank_t) {}
    /// A time asked for by wake() has come.
    template <class Links>
    void woken(Links&, rank_t, rank_t) {}
    /// After all else that happens at a time at which decide() was asked for.
    template <class Links>
    void decide(Links&) {}
};

/// Which messages may be sent when. A policy is a value; its rule is what it does in one exchange, derived from exchange_rule.
template <class P>
concept exchange_policy = requires(const P& policy, const block_matrix& block, rank_t ranks) {
    { policy.check(ranks) } -> std::same_as<argument_error>;
    { policy.rule(block, ranks) } -> std::derived_from<exchange_rule>;
};

}  // namespace collsched::switch_study
