#pragma once

#include <concepts>

#include "collsched/core/block_matrix.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"

namespace collsched::switch_study {

/// The reaction of a policy to the events of one exchange: it opens and closes messages and requests wake-ups. This
/// base does nothing.
///
/// Links, the object that it controls, has: ranks(), now(), round_trip() (both in ps), bytes(i, j), finished(i, j) (the
/// message from i to j is acknowledged), open(i, j) and close(i, j) (begin and end sending packets of that message),
/// wake(i, j, delay) and decide().
struct exchange_rule {
    /// Time 0: opens the first messages.
    template <class Links>
    void begin(Links&) {}
    /// All of the message from i to j is acknowledged.
    template <class Links>
    void completed(Links&, rank_t, rank_t) {}
    /// Node j has received all of the message from i.
    template <class Links>
    void received(Links&, rank_t, rank_t) {}
    /// Node i notices that j's buffer overflowed; once for all packets sent before the last such notice.
    template <class Links>
    void lost(Links&, rank_t, rank_t) {}
    /// A time requested by wake() has come.
    template <class Links>
    void woken(Links&, rank_t, rank_t) {}
    /// Called after all other events of a time at which decide() was requested.
    template <class Links>
    void decide(Links&) {}
};

/// A rule for the times at which messages may be sent. A policy is a value; its rule is the state of one exchange,
/// derived from exchange_rule.
template <class P>
concept exchange_policy = requires(const P& policy, const block_matrix& block, rank_t ranks) {
    { policy.check(ranks) } -> std::same_as<argument_error>;
    { policy.rule(block, ranks) } -> std::derived_from<exchange_rule>;
};

}  // namespace collsched::switch_study
