#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

/// Transfers of an allgather over the links of a network, each with its times. The block of each rank is cut into
/// `parts` chunks, and every rank receives every chunk of the other ranks once.
struct transfer_plan {
    /// Use of one link by one chunk. Times are in picoseconds from the begin of the allgather.
    struct hop {
        std::int64_t link = 0;     ///< index of the link in the network
        rank_t from = 0;           ///< vertex that sends
        rank_t to = 0;             ///< vertex that receives
        std::int64_t begin = 0;    ///< time at which the chunk enters the link
        std::int64_t release = 0;  ///< time from which the link is free again
        std::int64_t arrival = 0;  ///< time at which all of the chunk is at `to`
        bool operator==(const hop&) const = default;
    };
    /// Movement of a chunk from a rank to another one, directly or through switches.
    struct transfer {
        rank_t root = 0;             ///< rank whose block the chunk is a part of
        std::int64_t part = 0;       ///< which part, 0 .. parts-1
        rank_t from = 0;             ///< rank that has the chunk
        rank_t to = 0;               ///< rank that receives it
        std::int64_t first_hop = 0;  ///< its hops are hops[first_hop] .. hops[end_hop - 1], from `from` to `to`
        std::int64_t end_hop = 0;    ///< 1 or more beyond first_hop
        bool operator==(const transfer&) const = default;
    };

    rank_t ranks = 1;                 ///< number of ranks p
    std::int64_t parts = 1;           ///< chunks per rank
    owned_array<transfer> transfers;  ///< in an order in which each link is used in the order of time
    owned_array<hop> hops;            ///< transfer by transfer

    /// Returns the hops of a transfer.
    /// @param t  a transfer of this plan
    /// @return hops, valid as long as the plan
    constexpr std::span<const hop> path(const transfer& t) const { return hops.slice(t.first_hop, t.end_hop); }
    /// Returns the number of a chunk, root * parts + part.
    /// @param t  a transfer of this plan
    constexpr std::int64_t chunk(const transfer& t) const { return t.root * parts + t.part; }
    /// Returns the time at which the last chunk arrives, in picoseconds; 0 without transfers. O(hops).
    constexpr std::int64_t completion() const {
        std::int64_t last = 0;
        for (const hop& h : hops) last = h.arrival > last ? h.arrival : last;
        return last;
    }
    /// Returns the first error of the plan, or no error: numbers out of range, a path that does not connect its ranks, a
    /// link that two chunks use at once, a rank that sends a chunk before it has arrived, or that receives a chunk
    /// twice. With an error, no other method may be called. O(ranks^2 parts + hops log hops).
    constexpr argument_error check() const {
        if (ranks < 1 || ranks > rank_t{1} << 30) return {"ranks", ranks, "1 to 2^30"};
        if (parts < 1) return {"parts", parts, "1 or more"};
        const checked all = checked(ranks) * (ranks - 1) * parts;
        if (!all.ok() || transfers.size() != all.value())
            return {"transfers", transfers.size(), "ranks * (ranks - 1) * parts transfers"};
        if (argument_error error = check_paths()) return error;
        if (argument_error error = check_links()) return error;
        return check_order();
    }

    /// Returns for each hop the index of the hop before it on the same link, or -1. O(hops log hops).
    /// @return indices, one per hop
    constexpr owned_array<std::int64_t> previous_on_link() const {
        owned_array<std::int64_t> order(hops.size()), previous(hops.size());
        for (std::int64_t i = 0; i < hops.size(); ++i) order[i] = i;
        collsched::detail::sort(order.begin(), order.size(), [&](std::int64_t a, std::int64_t b) {
            return hops[a].link != hops[b].link ? hops[a].link < hops[b].link : a < b;
        });
        for (std::int64_t i = 0; i < hops.size(); ++i)
            previous[order[i]] = i > 0 && hops[order[i - 1]].link == hops[order[i]].link ? order[i - 1] : -1;
        return previous;
    }

    bool operator==(const transfer_plan&) const = default;

  private:
    /// Checks that the hops of a transfer lead from rank to rank, each begun after the one before.
    constexpr argument_error check_path(const transfer& t) const {
        rank_t at = t.from;
        std::int64_t time = 0;
        for (std::int64_t i = t.first_hop; i < t.end_hop; ++i) {
            const hop& next = hops[i];
            if (next.link < 0) return {"link", next.link, "0 or more", i};
            if (next.from != at) return {"from", next.from, "the vertex that the path has reached", i};
            if (i + 1 == t.end_hop ? next.to != t.to : next.to < ranks)
                return {"to", next.to, "a switch, or the receiver at the end of a path", i};
            if (next.begin < time) return {"begin", next.begin, "the arrival of the hop before, or later", i};
            if (next.release <= next.begin) return {"release", next.release, "a time after `begin`", i};
            if (next.arrival < next.release) return {"arrival", next.arrival, "`release` or later", i};
            at = next.to, time = next.arrival;
        }
        return {};
    }
    /// Checks the ranks of all transfers, and that the transfers share out all hops.
    constexpr argument_error check_paths() const {
        std::int64_t next = 0;
        for (std::int64_t i = 0; i < transfers.size(); ++i) {
            const transfer& t = transfers[i];
            if (t.root < 0 || t.root >= ranks) return {"root", t.root, "0 to ranks-1", i};
            if (t.part < 0 || t.part >= parts) return {"part", t.part, "0 to parts-1", i};
            if (t.from < 0 || t.from >= ranks) return {"from", t.from, "0 to ranks-1", i};
            if (t.to < 0 || t.to >= ranks) return {"to", t.to, "0 to ranks-1", i};
            if (t.first_hop != next) return {"first_hop", t.first_hop, "the end of the path before", i};
            if (t.end_hop <= next || t.end_hop > hops.size())
                return {"end_hop", t.end_hop, "1 or more beyond first_hop, and no more than hops", i};
            if (argument_error error = check_path(t)) return error;
            next = t.end_hop;
        }
        if (next != hops.size()) return {"hops", hops.size(), "as many hops as the paths have"};
        return {};
    }
    /// Checks that each link has two ends, and no more than one chunk at any time.
    constexpr argument_error check_links() const {
        const owned_array<std::int64_t> previous = previous_on_link();
        for (std::int64_t i = 0; i < hops.size(); ++i) {
            if (previous[i] < 0) continue;
            const hop& before = hops[previous[i]];
            if (hops[i].from != before.from || hops[i].to != before.to)
                return {"link", hops[i].link, "the same ends at every use of a link", i};
            if (hops[i].begin < before.release) return {"begin", hops[i].begin, "a time at which the link is free", i};
        }
        return {};
    }
    /// Checks that every transfer leads from a rank that has the chunk to one that lacks it.
    constexpr argument_error check_order() const {
        if (transfers.empty()) return {};
        const std::int64_t chunks = ranks * parts;
        owned_array<std::int64_t> arrival(ranks * chunks);  // of the chunks of each rank; -1: not received
        for (std::int64_t& time : arrival) time = -1;
        for (rank_t r = 0; r < ranks; ++r)
            for (std::int64_t i = 0; i < parts; ++i) arrival[r * chunks + r * parts + i] = 0;
        for (std::int64_t i = 0; i < transfers.size(); ++i) {
            const transfer& t = transfers[i];
            const std::int64_t sent = arrival[t.from * chunks + chunk(t)];
            std::int64_t& received = arrival[t.to * chunks + chunk(t)];
            if (sent < 0 || sent > hops[t.first_hop].begin) return {"from", t.from, "a rank that has the chunk", i};
            if (received >= 0) return {"to", t.to, "a rank that lacks the chunk", i};
            received = hops[t.end_hop - 1].arrival;
        }
        return {};
    }
};

}}}  // namespace collsched::COLLSCHED_ABI::trees
