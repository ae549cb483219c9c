#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "benchmarks/studies/exchange_policies.hpp"
#include "benchmarks/studies/exchange_policy.hpp"
#include "collsched/core/detail/splitmix64.hpp"

namespace collsched::switch_study {

/// The definition of a conflict between two nodes with data for one receiver, and the reaction of the yielding node.
/// The paper defines neither.
enum class conflict : std::uint8_t {
    loss,   ///< all nodes send at once; a conflict is a noticed loss; the yielding node withdraws from that receiver
    wait,   ///< nodes send, and receivers accept, one message at a time; a node whose target is taken waits
    other,  ///< as wait, but a node whose target is taken selects its next free target
};

/// The order in which a node selects its targets one at a time. The paper does not define it.
enum class target_order : std::uint8_t {
    shifted,    ///< i+1, i+2, ..., cyclic
    ascending,  ///< 0, 1, 2, ...: all begin with the same receiver
};

/// Nodes that send one message at a time to receivers that accept one at a time. A message begins a round trip after
/// its receiver was taken, the time of a request and a reply.
class one_at_a_time {
  public:
    template <class Links>
    void begin(Links& links, target_order order) {
        const rank_t p = links.ranks();
        left_.resize(static_cast<std::size_t>(p));
        taken_ = owned_array<bool>(p);
        busy_ = owned_array<bool>(p);
        for (rank_t i = 0; i < p; ++i)
            for (rank_t n = 0; n < p; ++n) {
                const rank_t j = order == target_order::shifted ? wrap(i + n, p) : n;
                if (links.bytes(i, j) > 0) left(i).push_back(j);
            }
    }
    /// Returns whether node i has no message in flight and messages left to send.
    bool can_send(rank_t i) const { return !busy_[i] && !left_[static_cast<std::size_t>(i)].empty(); }
    /// Takes the first target of node i if it is free, or with `any` its first free target.
    template <class Links>
    bool take(Links& links, rank_t i, bool any) {
        std::vector<rank_t>& targets = left(i);
        for (std::size_t n = 0; n < (any ? targets.size() : 1); ++n) {
            const rank_t j = targets[n];
            if (taken_[j]) continue;
            taken_[j] = busy_[i] = true;
            targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(n));
            links.wake(i, j, links.round_trip());
            return true;
        }
        return false;
    }
    /// Moves the first target behind all others.
    void turn(rank_t i) {
        left(i).push_back(left(i).front());
        left(i).erase(left(i).begin());
    }
    void completed(rank_t i, rank_t j) { taken_[j] = busy_[i] = false; }

  private:
    std::vector<rank_t>& left(rank_t i) { return left_[static_cast<std::size_t>(i)]; }

    std::vector<std::vector<rank_t>> left_;  // per node: remaining targets, in order
    owned_array<bool> taken_, busy_;
};

/// Fixed priority on conflict, or most data first: the node with the highest priority sends first, without preemption.
///
/// Nodes have priority in order of rank, or with by_volume in descending order of the bytes that they have for all
/// other nodes, ties by rank. With by_volume they report these volumes to the master once, at the beginning, and begin
/// master_ps later. On conflict::loss a node that notices a loss withdraws from the receiver until no node of higher
/// priority has data for it. Otherwise, whenever receivers or nodes become free, the nodes with data each take a
/// receiver in order of priority, in O(p^2).
/// Source: the methods of priority and of volume in Chen, Na 2005. The paper does not define a conflict or the end of a
/// withdrawal, which here takes effect at once, and does not state whether weights change during an exchange.
struct priority_exchange {
    conflict on = conflict::loss;
    bool by_volume = false;
    target_order order = target_order::shifted;
    picoseconds master_ps = 0;  ///< only with by_volume

    constexpr argument_error check(rank_t) const {
        if (master_ps < 0) return {"master_ps", master_ps, "0 ps or more"};
        return {};
    }
    struct arbiter;
    arbiter rule(const block_matrix& block, rank_t ranks) const;
    bool operator==(const priority_exchange&) const = default;
};

/// See priority_exchange.
struct priority_exchange::arbiter : exchange_rule {
    arbiter(const priority_exchange& policy, const block_matrix& block, rank_t ranks)
        : policy_(policy), standing_(ranks), held_(ranks * ranks) {
        owned_array<bytes_t> volume(ranks);
        for (rank_t i = 0; i < ranks; ++i) {
            standing_[i] = i;
            volume[i] = policy.by_volume ? block.sent(i, ranks) - block.count(i, i) : 0;
        }
        std::sort(standing_.begin(), standing_.begin() + ranks,
                  [&](rank_t a, rank_t b) { return volume[a] != volume[b] ? volume[a] > volume[b] : a < b; });
    }

    template <class Links>
    void begin(Links& links) {
        if (policy_.on != conflict::loss) nodes_.begin(links, policy_.order);
        links.wake(0, 0, policy_.by_volume ? policy_.master_ps : 0);
    }
    /// (0, 0) is the beginning; otherwise node i has taken j.
    template <class Links>
    void woken(Links& links, rank_t i, rank_t j) {
        if (i != j) links.open(i, j);
        else if (policy_.on == conflict::loss) open_all(links);
        else links.decide();
    }
    template <class Links>
    void decide(Links& links) {
        for (const rank_t i : standing_)
            if (nodes_.can_send(i)) nodes_.take(links, i, policy_.on == conflict::other);
    }
    template <class Links>
    void lost(Links& links, rank_t i, rank_t j) {
        if (policy_.on != conflict::loss || first(links, j) == i) return;
        held_[i * links.ranks() + j] = true;
        links.close(i, j);
    }
    template <class Links>
    void completed(Links& links, rank_t i, rank_t j) {
        if (policy_.on != conflict::loss) {
            nodes_.completed(i, j);
            return links.decide();
        }
        const rank_t next = first(links, j);
        if (next < 0 || !held_[next * links.ranks() + j]) return;
        held_[next * links.ranks() + j] = false;
        links.open(next, j);
    }

  private:
    /// Returns the node of highest priority among those with data for j.
    template <class Links>
    rank_t first(const Links& links, rank_t j) const {
        for (const rank_t i : standing_)
            if (!links.finished(i, j)) return i;
        return -1;
    }

    priority_exchange policy_;
    owned_array<rank_t> standing_;
    owned_array<bool> held_;  // [i * p + j]: i has withdrawn from j
    one_at_a_time nodes_;
};

inline priority_exchange::arbiter priority_exchange::rule(const block_matrix& block, rank_t ranks) const {
    return {*this, block, ranks};
}

/// Random growing delay: a node that meets a conflict waits for a uniformly random delay from 1 ps to the range and
/// retries. The range is range_ps at first, doubles with every conflict, and is at most limit_ps.
///
/// On conflict::loss a node that notices a loss withdraws from that receiver for the delay; ranges are per message.
/// Otherwise a node whose target is taken retries the same target after the delay (wait) or the next of its targets
/// (other). The range is per node and is reset when the node takes a receiver. If several nodes try the same target at
/// one time, the lowest rank takes it.
/// Source: the method of random delay in Chen, Na 2005, who give neither ranges nor their growth.
struct random_delay_exchange {
    conflict on = conflict::loss;
    picoseconds range_ps = 1'000'000'000;
    picoseconds limit_ps = 1'000'000'000'000;
    target_order order = target_order::shifted;
    std::uint64_t seed = 1;

    constexpr argument_error check(rank_t) const {
        if (range_ps < 1) return {"range_ps", range_ps, "1 ps or more"};
        if (limit_ps < range_ps) return {"limit_ps", limit_ps, "the range or more"};
        return {};
    }
    struct delaying;
    delaying rule(const block_matrix&, rank_t ranks) const;
    bool operator==(const random_delay_exchange&) const = default;
};

/// See random_delay_exchange.
struct random_delay_exchange::delaying : exchange_rule {
    delaying(const random_delay_exchange& policy, rank_t ranks)
        : policy_(policy), random_(policy.seed), ranges_(ranks * ranks), tries_(ranks) {
        for (picoseconds& range : ranges_) range = policy.range_ps;
    }

    template <class Links>
    void begin(Links& links) {
        if (policy_.on == conflict::loss) return open_all(links);
        nodes_.begin(links, policy_.order);
        for (bool& tries : tries_) tries = true;
        links.decide();
    }
    template <class Links>
    void lost(Links& links, rank_t i, rank_t j) {
        if (policy_.on != conflict::loss) return;
        links.close(i, j);
        links.wake(i, j, delay(ranges_[i * links.ranks() + j]));
    }
    /// (i, i) is the end of a delay of node i, which retries; otherwise the message to j may continue.
    template <class Links>
    void woken(Links& links, rank_t i, rank_t j) {
        if (i != j) return links.open(i, j);
        tries_[i] = true;
        links.decide();
    }
    template <class Links>
    void decide(Links& links) {
        for (rank_t i = 0; i < links.ranks(); ++i) {
            if (!tries_[i] || !nodes_.can_send(i)) continue;
            tries_[i] = false;
            if (nodes_.take(links, i, false)) {
                ranges_[i] = policy_.range_ps;
                continue;
            }
            if (policy_.on == conflict::other) nodes_.turn(i);
            links.wake(i, i, delay(ranges_[i]));
        }
    }
    template <class Links>
    void completed(Links& links, rank_t i, rank_t j) {
        if (policy_.on == conflict::loss) return;
        nodes_.completed(i, j);
        tries_[i] = true;
        links.decide();
    }

  private:
    picoseconds delay(picoseconds& range) {
        const picoseconds drawn = random_.between(1, range);
        range = range <= policy_.limit_ps / 2 ? 2 * range : policy_.limit_ps;
        return drawn;
    }

    random_delay_exchange policy_;
    collsched::detail::splitmix64 random_;
    owned_array<picoseconds> ranges_;  // [i * p + j], or [i]
    owned_array<bool> tries_;          // whether the node searches for a receiver
    one_at_a_time nodes_;
};

inline random_delay_exchange::delaying random_delay_exchange::rule(const block_matrix&, rank_t ranks) const {
    return {*this, ranks};
}

}  // namespace collsched::switch_study
