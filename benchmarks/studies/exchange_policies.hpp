#pragma once

#include "collsched/collective/alltoall/grouping.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/cost/concepts.hpp"
#include "benchmarks/studies/exchange_policy.hpp"

namespace collsched::switch_study {

/// Opens all messages of every node, in order of rank from its own rank on.
template <class Links>
void open_all(Links& links) {
    const rank_t p = links.ranks();
    for (rank_t i = 0; i < p; ++i)
        for (rank_t n = 1; n < p; ++n) links.open(i, wrap(i + n, p));
}

/// Every node sends all its messages from the beginning. Its link alternates among them packet by packet, in order of
/// rank from its own on. Without further rules, only the timeouts of the transport recover lost packets.
struct all_at_once {
    struct starting : exchange_rule {
        template <class Links>
        void begin(Links& links) {
            open_all(links);
        }
    };

    constexpr argument_error check(rank_t) const { return {}; }
    starting rule(const block_matrix&, rank_t) const { return {}; }
    bool operator==(const all_at_once&) const = default;
};

/// Shifted pairwise exchange: in step k node i sends to i+k+1. It begins step k+1 when its message of step k is
/// acknowledged and the message from i-k-1 has arrived. Messages without bytes take no time. The schedule
/// alltoall::ring with window 1.
struct shifted_exchange {
    struct stepping : exchange_rule {
        explicit stepping(rank_t ranks) : step_(ranks), has_(ranks * ranks) {}

        template <class Links>
        void begin(Links& links) {
            for (rank_t i = 0; i < links.ranks(); ++i) go_on(links, i);
        }
        template <class Links>
        void completed(Links& links, rank_t i, rank_t) {
            go_on(links, i);
        }
        template <class Links>
        void received(Links& links, rank_t i, rank_t j) {
            has_[j * links.ranks() + i] = true;
            go_on(links, j);
        }

      private:
        template <class Links>
        void go_on(Links& links, rank_t i) {
            const rank_t p = links.ranks();
            for (rank_t& k = step_[i]; k < p; ++k) {
                if (k > 0) {
                    const rank_t src = wrap(i - k, p);
                    if (!links.finished(i, wrap(i + k, p))) return;
                    if (links.bytes(src, i) > 0 && !has_[i * p + src]) return;
                }
                if (k + 1 < p) links.open(i, wrap(i + k + 1, p));
            }
        }

        owned_array<rank_t> step_;  // steps begun
        owned_array<bool> has_;     // [j * p + i]: j has the message of i
    };

    constexpr argument_error check(rank_t) const { return {}; }
    stepping rule(const block_matrix&, rank_t ranks) const { return stepping(ranks); }
    bool operator==(const shifted_exchange&) const = default;
};

/// Grouped communication: at most `group` nodes send at a time, in the sub-rounds of alltoall::grouping over the ready
/// order.
///
/// A master starts a sub-round master_ps after the messages of all active nodes in the last one are acknowledged, the
/// first at master_ps. This time includes report, computation and command. It starts all p sub-rounds, including those
/// without bytes on the network. An active node sends to all targets of its set at once and alternates among them
/// packet by packet. The paper does not state whether its nodes did that or sent to one target after another. Without
/// losses, the times of sub-rounds add up.
/// Source: Chen, Na 2005, Algorithms 2 and 3.
struct grouped_exchange {
    rank_t group = 1;
    picoseconds master_ps = 0;
    permutation order{};

    struct mastering : exchange_rule {
        mastering(const grouped_exchange& policy, rank_t ranks)
            : groups_{ranks, policy.group}, master_ps_(policy.master_ps), order_(policy.order) {}

        template <class Links>
        void begin(Links& links) {
            links.wake(0, 0, master_ps_);
        }
        template <class Links>
        void woken(Links& links, rank_t, rank_t) {
            const auto [first, active, turn] = groups_.at(step_);
            for (rank_t v = first; v < first + active; ++v)
                groups_.targets(v, step_, [&](rank_t to) {
                    const rank_t i = order_.rank(v), j = order_.rank(to);
                    if (links.bytes(i, j) == 0) return;
                    ++open_;
                    links.open(i, j);
                });
            if (open_ == 0) next(links);
        }
        template <class Links>
        void completed(Links& links, rank_t, rank_t) {
            if (--open_ == 0) next(links);
        }

      private:
        template <class Links>
        void next(Links& links) {
            if (++step_ < groups_.steps()) links.wake(0, 0, master_ps_);
        }

        alltoall::grouping groups_;
        picoseconds master_ps_;
        permutation order_;
        step_t step_ = 0;
        std::int64_t open_ = 0;  // messages of the sub-round that are not acknowledged
    };

    constexpr argument_error check(rank_t ranks) const {
        if (master_ps < 0) return {"master_ps", master_ps, "0 ps or more"};
        if (argument_error error = alltoall::grouping{ranks, group}.check()) return error;
        return order.check(ranks);
    }
    mastering rule(const block_matrix&, rank_t ranks) const { return {*this, ranks}; }
    bool operator==(const grouped_exchange&) const = default;
};

}  // namespace collsched::switch_study
