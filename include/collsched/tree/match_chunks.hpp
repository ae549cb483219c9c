#pragma once

#include <cstdint>
#include <utility>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/bit_rows.hpp"
#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/detail/heap.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/network.hpp"
#include "collsched/tree/detail/switch_paths.hpp"
#include "collsched/tree/transfer_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees {

namespace detail {

/// One run of the greedy matching. At each time at which links are free, the ranks choose in random order. A rank takes
/// its paths by the number of chunks that they can bring, fewest first. On each path it takes the chunk that fewest ranks
/// have, of those that no faster path brings sooner, or else of all. Slow links thus bring chunks that are not on their way.
///
/// A chunk that a faster path brings sooner is not taken at all if the other links into the rank can bring all chunks that
/// it lacks before the slow one can bring one chunk.
class chunk_matching {
  public:
    constexpr chunk_matching(const topology::network& net, const owned_array<link_time>& times, std::int64_t parts,
                             std::uint64_t seed)
        : net_(net),
          times_(times),
          parts_(parts),
          random_(seed),
          plan_{net.ranks(), parts, owned_array<transfer_plan::transfer>(chunks_ * (net.ranks() - 1)), {}} {
        for (std::int64_t& time : arrival_) time = INT64_MAX;
        for (rank_t r = 0; r < net.ranks(); ++r) {
            order_[r] = r;
            lacking_[r] = chunks_ - parts;
            for (std::int64_t c = r * parts; c < (r + 1) * parts; ++c) {
                held_.add(r, c), promised_.add(r, c);
                arrival_[r * chunks_ + c] = 0;
            }
        }
        list_links();
        list_sources();
    }

    /// Matches until every rank has every chunk. Returns a rank without a chunk that no path brings, or -1.
    constexpr rank_t run() {
        while (matched_ < plan_.transfers.size()) {
            postponed_ = false;
            const std::int64_t before = matched_;
            for (std::int64_t last = -1; last != matched_;) {
                last = matched_;
                match();
            }
            if (!advance() && matched_ == before) {
                if (!postponed_) return first_lacking();
                patient_ = false;
            } else {
                patient_ = true;
            }
        }
        plan_.hops = owned_array<transfer_plan::hop>(hops_.joined());
        return -1;
    }
    constexpr transfer_plan& plan() { return plan_; }

  private:
    struct event {
        std::int64_t time{};
        rank_t rank = -1;  // -1: a link is free again
        std::int64_t chunk{};
        constexpr bool operator<(const event& other) const { return time < other.time; }
    };
    /// A rank from which a path leads to another one, and the time that it takes while all links are free.
    struct source {
        rank_t from{};
        std::int64_t time{}, last_link{};
    };
    struct offer {
        std::int64_t path{}, candidates{};
    };

    constexpr void list_links() {
        for (const topology::network::link& net_link : net_.links())
            if (!net_.is_switch(net_link.to)) ++first_in_[net_link.to + 1];
        for (rank_t r = 0; r < net_.ranks(); ++r) first_in_[r + 1] += first_in_[r];
        owned_array<std::int64_t> next = first_in_;
        for (std::int64_t i = 0; i < times_.size(); ++i)
            if (!net_.is_switch(net_[i].to)) in_[next[net_[i].to]++] = i;
    }
    constexpr void list_sources() {
        paths_.search(0);
        collsched::detail::gap_array<source> found;
        for (rank_t to = 0; to < net_.ranks(); ++to) {
            paths_.visit(to, [&](const switch_path& path, std::int64_t) {
                found.push_back({path.from, path.arrival, paths_.last_link(path)});
            });
            first_source_[to + 1] = found.size();
        }
        sources_ = owned_array<source>(found.joined());
        for (rank_t to = 0; to < net_.ranks(); ++to)
            collsched::detail::sort(
                sources_.begin() + first_source_[to], first_source_[to + 1] - first_source_[to],
                [](const source& a, const source& b) { return a.time != b.time ? a.time < b.time : a.from < b.from; });
    }
    constexpr rank_t first_lacking() const {
        rank_t r = 0;
        while (lacking_[r] == 0) ++r;
        return r;
    }
    constexpr void shuffle(auto& items, std::int64_t n) {
        for (std::int64_t i = n - 1; i > 0; --i) {
            const std::int64_t other = random_.between(0, i);
            const auto moving = items[i];
            items[i] = items[other];
            items[other] = moving;
        }
    }

    /// Lets every rank choose once.
    constexpr void match() {
        paths_.search(now_);
        shuffle(order_, order_.size());
        for (const rank_t to : order_)
            if (lacking_[to] > 0) match(to);
    }
    constexpr void match(rank_t to) {
        std::int64_t count = 0;
        paths_.visit(to, [&](const switch_path& path, std::int64_t i) {
            const std::int64_t candidates = held_.count_missing(path.from, promised_, to);
            if (candidates > 0) offers_[count++] = {i, candidates};
        });
        shuffle(offers_, count);
        collsched::detail::insertion_sort(offers_.begin(), 1, count,
                                          [](const offer& a, const offer& b) { return a.candidates < b.candidates; });
        for (std::int64_t k = 0; k < count && lacking_[to] > 0; ++k) {
            const switch_path& path = paths_[offers_[k].path];
            if (!paths_.usable(path, now_)) continue;
            if (const std::int64_t chunk = choose(path, to); chunk >= 0) send(path, to, chunk);
        }
    }
    /// Returns the chunk for a path, or -1.
    constexpr std::int64_t choose(const switch_path& path, rank_t to) {
        const bool others_suffice = patient_ && sooner(path, to) >= lacking_[to];
        std::int64_t best = -1;
        std::uint64_t least = 0;
        held_.visit_missing(path.from, promised_, to, [&](std::int64_t chunk) {
            const bool delivered_sooner = patient_ && comes_sooner(path, to, chunk);
            if (delivered_sooner && others_suffice) {
                postponed_ = true;
                return;
            }
            const auto first = static_cast<std::uint64_t>(holders_[chunk]);
            const std::uint64_t key = (delivered_sooner ? std::uint64_t{1} << 63 : 0) | first << 32 | random_() >> 32;
            if (best < 0 || key < least) best = chunk, least = key;
        });
        return best;
    }
    /// Returns how many chunks other links into the rank can bring before a path can bring one.
    constexpr std::int64_t sooner(const switch_path& path, rank_t to) const {
        std::int64_t count = 0;
        for (std::int64_t k = first_in_[to]; k < first_in_[to + 1]; ++k) {
            const std::int64_t i = in_[k], begin = paths_.free_from(i) > now_ ? paths_.free_from(i) : now_;
            if (i != paths_.last_link(path)) count += chunks_within(times_[i], path.arrival - 1 - begin);
        }
        return count;
    }
    /// Returns whether a faster path from a rank that has or will have a chunk can bring it before a path can.
    constexpr bool comes_sooner(const switch_path& path, rank_t to, std::int64_t chunk) const {
        for (std::int64_t k = first_source_[to]; k < first_source_[to + 1]; ++k) {
            const source& other = sources_[k];
            if (other.time >= path.arrival - now_) return false;
            const std::int64_t at_sender = arrival_[other.from * chunks_ + chunk];
            if (other.last_link != paths_.last_link(path) && at_sender < path.arrival - other.time &&
                paths_.free_from(other.last_link) < path.arrival - times_[other.last_link].total)
                return true;
        }
        return false;
    }
    constexpr void send(const switch_path& path, rank_t to, std::int64_t chunk) {
        const std::int64_t first = hops_.size();
        paths_.occupy(path, now_, [&](std::int64_t i, std::int64_t begin) {
            const std::int64_t release = begin + times_[i].held;
            hops_.push_back({i, net_[i].from, net_[i].to, begin, release, begin + times_[i].total});
            events_.push({release, -1, 0});
        });
        plan_.transfers[matched_++] = {chunk / parts_, chunk % parts_, path.from, to, first, hops_.size()};
        events_.push({path.arrival, to, chunk});
        promised_.add(to, chunk);
        arrival_[to * chunks_ + chunk] = path.arrival;
        --lacking_[to];
        ++holders_[chunk];
    }
    /// Goes on to the next time at which a link is free or a chunk arrives. Returns false if there is none.
    constexpr bool advance() {
        std::int64_t next = paths_.wake;
        if (!events_.empty() && events_.top().time < next) next = events_.top().time;
        if (next == INT64_MAX) return false;
        now_ = next;
        while (!events_.empty() && events_.top().time <= now_)
            if (const event next_event = events_.take(); next_event.rank >= 0)
                held_.add(next_event.rank, next_event.chunk);
        return true;
    }

    const topology::network& net_;
    const owned_array<link_time>& times_;
    std::int64_t parts_, chunks_ = net_.ranks() * parts_;
    collsched::detail::splitmix64 random_;
    switch_paths paths_{net_, times_};
    collsched::detail::bit_rows held_{net_.ranks(), chunks_},
        promised_{net_.ranks(), chunks_};  // chunks that ranks have, and those that they have or will receive
    owned_array<std::int64_t> arrival_{net_.ranks() * chunks_};  // per rank and chunk; INT64_MAX: not known
    owned_array<std::int64_t> lacking_{net_.ranks()};            // per rank: the chunks not promised to it
    owned_array<std::int64_t> holders_{chunks_};  // per chunk: the ranks to which it is promised, without its root
    owned_array<rank_t> order_{net_.ranks()};
    owned_array<std::int64_t> first_in_{net_.ranks() + 1},
        in_{times_.size()};        // the links into rank r are in_[first_in_[r]] .. in_[first_in_[r+1] - 1]
    owned_array<source> sources_;  // per rank, fastest first
    owned_array<std::int64_t> first_source_{net_.ranks() + 1};
    owned_array<offer> offers_{net_.ranks()};
    transfer_plan plan_;
    collsched::detail::gap_array<transfer_plan::hop> hops_;
    collsched::detail::heap<event> events_;
    std::int64_t now_ = 0, matched_ = 0;
    bool patient_ = true, postponed_ = false;
};

}  // namespace detail

/// Parameters of match_chunks.
struct matching_parameters {
    bytes_t bytes = 1;           ///< per chunk, 1 or more
    std::int64_t parts = 1;      ///< chunks per rank, 1 or more
    bool latency_holds = false;  ///< whether a chunk occupies a link for its latency too
    std::int64_t trials = 4;     ///< runs with different random numbers, 1 or more
};

/// Transfers of an allgather, and a bound of their time.
struct matched_chunks {
    transfer_plan plan;      ///< the fastest of all trials
    std::int64_t bound = 0;  ///< picoseconds within which no transfers of these chunks complete
    argument_error error;    ///< wrong arguments, ranks that are not connected, or an overflow; then without a plan
};

/// Matches chunks of an allgather to the links of a network, for messages in which latency counts. Time goes from one
/// moment to the next at which a link is free or a chunk arrives. Every free path brings a chunk to a rank that lacks it,
/// the rarest one first. Switches send on a chunk when all of it has arrived, at once, and keep nothing.
///
/// A chunk takes ceil(bytes / bandwidth) on a link and arrives after its latency. The link is free after both, or, without
/// `latency_holds`, before the latency. All times are whole picoseconds.
///
/// The trials end when one attains the bound: the time within which the links into each rank can bring all chunks. The
/// result depends on the arguments alone.
///
/// Failure: `error` is set for a wrong network or number, for more than 2^28 transfers or 2^62 picoseconds, and for ranks
/// that are not connected: "vertex", with a rank that some other rank does not reach. Complexity: per trial, about O(links + chunks / 64) for each link and time at which it is
/// free. Memory: 8 bytes per rank and chunk, and 100 bytes per transfer and link.
/// Source: Won et al. 2024, "TACOS: topology-aware collective algorithm synthesizer for distributed machine learning".
/// @param net         network of 1 rank or more
/// @param parameters  size and number of chunks, rule of latency, and number of trials
constexpr matched_chunks match_chunks(const topology::network& net, const matching_parameters& parameters) {
    if (net.check()) return {{}, 0, net.check()};
    if (net.ranks() < 1) return {{}, 0, {"ranks", net.ranks(), "1 or more"}};
    if (parameters.bytes < 1) return {{}, 0, {"bytes", parameters.bytes, "1 byte or more"}};
    if (parameters.parts < 1) return {{}, 0, {"parts", parameters.parts, "1 or more"}};
    if (parameters.trials < 1) return {{}, 0, {"trials", parameters.trials, "1 or more"}};
    const checked transfers = checked(net.ranks()) * net.ranks() * parameters.parts;
    if (!transfers.ok() || transfers.value() > 1 << 28)
        return {{}, 0, {"parts", parameters.parts, "at most 2^28 chunks at all ranks together"}};
    const detail::link_times times(net, parameters.bytes, parameters.latency_holds, transfers.value());
    if (times.error) return {{}, 0, times.error};
    matched_chunks best{{}, detail::ingress_bound(net, times.of, (net.ranks() - 1) * parameters.parts), {}};
    std::int64_t least = INT64_MAX;
    for (std::int64_t trial = 0; trial < parameters.trials && (trial == 0 || least > best.bound); ++trial) {
        detail::chunk_matching matching(net, times.of, parameters.parts, static_cast<std::uint64_t>(trial));
        if (const rank_t r = matching.run(); r >= 0) return {{}, 0, {"vertex", r, "a rank that all ranks reach"}};
        if (const std::int64_t time = matching.plan().completion(); time < least)
            least = time, best.plan = std::move(matching.plan());
    }
    return best;
}

}}}  // namespace collsched::COLLSCHED_ABI::trees
