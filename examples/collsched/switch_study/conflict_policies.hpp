#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/cost/picoseconds.hpp"
#include "exchange_policies.hpp"
#include "exchange_policy.hpp"

namespace collsched::switch_study {

/// What two nodes with data for one receiver take for a conflict, and what the one that gives way does. The paper says neither.
enum class conflict : std::uint8_t {
    loss,   ///< all send all at once; a conflict is a loss that is noticed; who gives way withdraws from that receiver
    wait,   ///< a node sends one message at a time, a receiver takes one at a time; who finds it taken waits for it
    other,  ///< the same, but who finds it taken goes for its next target that is free
};

/// In which order a node goes through its targets where it takes them one at a time. The paper is silent.
enum class target_order : std::uint8_t {
    shifted,    ///< i+1, i+2, ..., cyclic
    ascending,  ///< 0, 1, 2, ...: all begin with the same receiver
};

/// Nodes that send one message at a time to receivers that take one at a time. A message begins a round trip after its receiver
/// was taken, for question and answer.
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
    /// Has no message under way and some to send.
    bool wants(rank_t i) const { return !busy_[i] && !left_[static_cast<std::size_t>(i)].empty(); }
    /// Gives i its first target if that is free, or with `any` its first that is free.
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
    /// The first target goes behind all others.
    void turn(rank_t i) {
        left(i).push_back(left(i).front());
        left(i).erase(left(i).begin());
    }
    void completed(rank_t i, rank_t j) { taken_[j] = busy_[i] = false; }

  private:
    std::vector<rank_t>& left(rank_t i) { return left_[static_cast<std::size_t>(i)]; }

    std::vector<std::vector<rank_t>> left_;  // of each node: targets it has not taken yet, in order
    owned_array<bool> taken_, busy_;
};

/// Fixed priority on conflict, or the most data first: the node that stands highest wins, without interrupting what is under way.
///
/// Nodes stand in order of rank, or with by_volume in descending order of the bytes they have for all others together, equal ones by
/// rank; they tell the master those once, at the beginning, and begin master_ps later. On conflict::loss a node that notices a loss
/// withdraws from the receiver until no node that stands higher has data for it. Otherwise, whenever receivers or nodes come free, the
/// nodes that have data are asked in their order and each takes a receiver; O(p^2) then.
/// Source: the methods of priority and of volume in Chen, Na 2005, who leave open what a conflict is, and how who gives way learns
/// when to go on; here it knows at once. That weights could change during an exchange they do not say.
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
        detail::sort(standing_.begin(), ranks,
                     [&](rank_t a, rank_t b) { return volume[a] != volume[b] ? volume[a] > volume[b] : a < b; });
    }

    template <class Links>
    void begin(Links& links) {
        if (policy_.on != conflict::loss) nodes_.begin(links, policy_.order);
        links.wake(0, 0, policy_.by_volume ? policy_.master_ps : 0);
    }
    /// (0, 0) is the beginning; else i has been given j.
    template <class Links>
    void woken(Links& links, rank_t i, rank_t j) {
        if (i != j) links.open(i, j);
        else if (policy_.on == conflict::loss) open_all(links);
        else links.decide();
    }
    template <class Links>
    void decide(Links& links) {
        for (const rank_t i : standing_)
            if (nodes_.wants(i)) nodes_.take(links, i, policy_.on == conflict::other);
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
    /// The highest of those with data for j.
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

/// Random growing delay: who meets a conflict waits 1 ps to the range, drawn uniformly, and tries again; the range is range_ps at first and
/// doubles with every conflict, but does not pass limit_ps.
///
/// On conflict::loss a node that notices a loss withdraws from that receiver for the delay; ranges grow message by message. Otherwise a
/// node that finds its target taken tries the same again after the delay (wait) or the next of its targets (other); the range is a
/// node's, and starts anew when it gets a receiver. Of nodes that try the same at one time the lowest rank gets it.
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
    /// (i, i) is the end of a delay for node i, who tries again; else the message to j may go on.
    template <class Links>
    void woken(Links& links, rank_t i, rank_t j) {
        if (i != j) return links.open(i, j);
        tries_[i] = true;
        links.decide();
    }
    template <class Links>
    void decide(Links& links) {
        for (rank_t i = 0; i < links.ranks(); ++i) {
            if (!tries_[i] || !nodes_.wants(i)) continue;
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
    detail::splitmix64 random_;
    owned_array<picoseconds> ranges_;  // [i * p + j], or [i]
    owned_array<bool> tries_;          // looks for a receiver now
    one_at_a_time nodes_;
};

inline random_delay_exchange::delaying random_delay_exchange::rule(const block_matrix&, rank_t ranks) const {
    return {*this, ranks};
}

}  // namespace collsched::switch_study
