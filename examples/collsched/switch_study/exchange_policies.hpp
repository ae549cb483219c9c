#pragma once

#include "collsched/collective/alltoall/grouping.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/cost/picoseconds.hpp"
#include "exchange_policy.hpp"

namespace collsched::switch_study {

/// Every message of every node, of each node in order of rank from its own on.
template <class Links>
void open_all(Links& links) {
    const rank_t p = links.ranks();
    for (rank_t i = 0; i < p; ++i)
        for (rank_t n = 1; n < p; ++n) links.open(i, wrap(i + n, p));
}

/// Every node sends all its messages from the beginning; its link is shared among them packet by packet, in order of rank from its
/// own on. What happens without any rule: the transport's timeouts alone make good what is lost.
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

/// Shifted pairwise exchange: in step k node i sends to i+k+1, and begins step k+1 when it has heard that its message of step k is
/// through and has received the one from i-k-1. Messages without bytes take no time. The schedule alltoall::ring, window 1.
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

/// Grouped communication: at most `group` nodes send at a time, in the sub-rounds of alltoall::grouping over the ready order.
///
/// A master starts a sub-round master_ps after all active nodes have heard that what they sent in the last one is through, the first at
/// master_ps: its report, its work and its command together. It starts all p sub-rounds, also those in which no byte goes over the
/// network. An active node sends to all targets of its set at once, its link shared among them packet by packet; whether the paper's
/// nodes did that or sent to one after the other it does not say. Without losses, sub-rounds just add up.
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
        std::int64_t open_ = 0;  // messages of the sub-round that are not through
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
