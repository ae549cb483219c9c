#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/signed_vector.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

/// An upper bound of the algorithmic bandwidth M / T of a collective, with the links that prove it: at least load * M
/// bytes cross all links from one vertex to another one. M is that of topology::network::cut_bound.
struct network::link_bound {
    fraction bandwidth;             ///< bytes per second, that of the links divided by `load`; 0 with an error, and if
                                    ///< no links decide
    rank_t from = 0;                ///< vertex at which the links begin
    rank_t to = 0;                  ///< vertex at which the links end
    fraction load;                  ///< bytes that cross the links, in multiples of M
    owned_array<rank_t> receivers;  ///< ranks that receive over these links alone, ascending
    owned_array<rank_t> senders;    ///< ranks that send over these links alone, ascending
    argument_error error;           ///< wrong arguments, or an overflow
};

namespace detail {

/// Finds the arcs that every path to a rank contains. Paths begin at any other rank, and lead through switches only.
///
/// A path is found first. The vertices from which the rank can be reached without the arcs of this path, or against
/// them, are a set which only arcs of the path enter: one arc, unless a rank is in the set. This is the flow of
/// value 1 of Ford and Fulkerson 1956.
class forced_arcs {
  public:
    /// @param arcs      the arcs of a network, kept by reference
    /// @param ranks     number of ranks
    /// @param vertices  number of ranks and switches
    forced_arcs(const arc_table& arcs, rank_t ranks, rank_t vertices)
        : arcs_(arcs), ranks_(ranks), next_(static_cast<std::size_t>(vertices)) {}

    /// Returns the numbers of the arcs, from the rank backward; none if there is no path. O(arcs) or less.
    /// @return numbers, valid until the next call
    std::span<const std::int64_t> find(rank_t sink) {
        forced_.clear();
        ++turn_;
        if (!find_path(sink)) return {};
        ++turn_;
        open_.assign(1, sink);
        inside_[sink] = turn_;
        for (std::int64_t i = 0; !grow(sink); enter(arcs_[path_[i]].from)) {
            while (inside_[arcs_[path_[i]].from] == turn_) ++i;
            forced_.push_back(path_[i]);
            if (arcs_[path_[i]].from < ranks_) break;
        }
        return forced_;
    }

  private:
    /// Searches the path with the fewest arcs. Keeps its arcs, the last one first, and the one that leaves each switch.
    bool find_path(rank_t sink) {
        open_.assign(1, sink);
        inside_[sink] = turn_;
        for (std::int64_t at = 0; at < open_.length(); ++at)
            for (const std::int64_t i : arcs_.into(open_[at])) {
                const rank_t from = arcs_[i].from;
                if (inside_[from] == turn_) continue;
                next_[from] = i;
                if (from < ranks_) {
                    keep_path(from, sink);
                    return true;
                }
                enter(from);
            }
        return false;
    }
    void keep_path(rank_t from, rank_t sink) {
        path_.clear();
        for (rank_t v = from; v != sink; v = arcs_[next_[v]].to) path_.push_back(next_[v]);
        for (std::int64_t i = 0; i < path_.length() / 2; ++i) {
            const std::int64_t other = path_[i];
            path_[i] = path_[path_.length() - 1 - i];
            path_[path_.length() - 1 - i] = other;
        }
        on_path_.assign(next_.size(), -1);
        for (const std::int64_t i : path_) on_path_[arcs_[i].from] = i;
    }
    void enter(rank_t v) {
        if (inside_[v] == turn_) return;
        inside_[v] = turn_;
        open_.push_back(v);
    }
    /// Adds the vertices that reach the set, against the path or not over it. Returns true if a rank does.
    bool grow(rank_t sink) {
        while (!open_.empty()) {
            const rank_t v = open_.back();
            open_.pop_back();
            if (v != sink && v < ranks_) return true;
            if (on_path_[v] >= 0) enter(arcs_[on_path_[v]].to);
            for (const std::int64_t i : arcs_.into(v))
                if (on_path_[arcs_[i].from] != i) enter(arcs_[i].from);
        }
        return false;
    }

    const arc_table& arcs_;
    rank_t ranks_;
    signed_vector<std::int64_t> next_, path_, on_path_, forced_;
    signed_vector<std::int64_t> inside_ = next_;  // per vertex, the last turn in which it was reached
    signed_vector<rank_t> open_;
    std::int64_t turn_ = 0;
};

/// The ranks that depend on each arc.
class forwarding_loads {
  public:
    /// @param net   a network whose arcs fit
    /// @param root  rank that does not receive, or -1
    forwarding_loads(const network& net, const arc_table& arcs, rank_t root)
        : net_(net), root_(root), tallies_(static_cast<std::size_t>(arcs.size())) {
        const network back = net.reversed();
        const arc_table back_arcs(back);
        forced_arcs into(arcs, net.ranks(), net.vertices()), out_of(back_arcs, net.ranks(), net.vertices());
        for (rank_t v = 0; v < net.ranks(); ++v) {
            for (const std::int64_t i : v == root ? std::span<const std::int64_t>() : into.find(v)) {
                tallies_[i].last = v;
                ++tallies_[i].receivers;
                receivers_.push_back({i, v});
            }
            for (const std::int64_t i : out_of.find(v)) add_sender(arcs.find(back_arcs[i].to, back_arcs[i].from), v);
        }
    }

    /// Returns the bytes that cross an arc, in multiples of M.
    fraction load(std::int64_t arc, collective operation) const {
        const tally& counts = tallies_[arc];
        const std::int64_t ranks = net_.ranks();
        const bool leave = counts.senders > 0 && counts.senders < ranks && counts.two_way == counts.receivers;
        if (operation == collective::allgather)
            return {counts.receivers * (ranks - 1) + (leave ? counts.senders : 0), ranks};
        if (operation == collective::broadcast) return counts.receivers + (leave && counts.root_sends ? 1 : 0);
        const std::int64_t first = counts.two_way > 0 ? 2 : counts.receivers + counts.senders > 0 ? 1 : 0;
        const std::int64_t results = counts.receivers + (leave ? 1 : 0),
                           messages = counts.receivers + counts.senders - first;
        return results > messages ? results : messages;
    }
    owned_array<rank_t> receivers(std::int64_t arc) const { return ranks_of(receivers_, arc); }
    owned_array<rank_t> senders(std::int64_t arc) const { return ranks_of(senders_, arc); }

  private:
    struct tally {
        std::int64_t receivers = 0, senders = 0, two_way = 0;
        rank_t last = -1;  // last receiver
        bool root_sends = false;
    };
    struct dependence {
        std::int64_t arc;
        rank_t rank;
    };

    void add_sender(std::int64_t arc, rank_t v) {
        tally& counts = tallies_[arc];
        ++counts.senders;
        if (counts.last == v) ++counts.two_way;
        if (v == root_) counts.root_sends = true;
        senders_.push_back({arc, v});
    }
    static owned_array<rank_t> ranks_of(const signed_vector<dependence>& all, std::int64_t arc) {
        signed_vector<rank_t> found;
        for (const dependence& entry : all)
            if (entry.arc == arc) found.push_back(entry.rank);
        return owned_array<rank_t>(found);
    }

    const network& net_;
    rank_t root_;
    signed_vector<tally> tallies_;
    signed_vector<dependence> receivers_, senders_;
};

inline network::link_bound failed_link_bound(const argument_error& error) { return {0, 0, 0, 0, {}, {}, error}; }

/// Returns the bound of allgather, broadcast from `root`, or allreduce.
inline network::link_bound least_link_bound(const network& net, collective operation, rank_t root) {
    const arc_table arcs(net);
    if (!arcs.fits()) return failed_link_bound({"bandwidth", 0, "links from a vertex to another one below 2^63"});
    const forwarding_loads loads(net, arcs, operation == collective::broadcast ? root : -1);
    network::link_bound least;
    std::int64_t decides = arcs.size();
    for (std::int64_t i = 0; i < arcs.size(); ++i) {
        const fraction load = loads.load(i, operation);
        if (load == fraction(0)) continue;
        const fraction rate =
            collsched::detail::product(fraction(arcs[i].bandwidth), fraction(load.denominator(), load.numerator()));
        if (rate == fraction(0))
            return failed_link_bound({"bandwidth", arcs[i].bandwidth, "a bound below 2^63 bytes per second"});
        if (decides < arcs.size() && !(rate < least.bandwidth)) continue;
        least = {rate, arcs[i].from, arcs[i].to, load, {}, {}, {}};
        decides = i;
    }
    if (decides == arcs.size()) return least;
    least.receivers = loads.receivers(decides);
    least.senders = loads.senders(decides);
    return least;
}

}  // namespace detail

/// Returns an upper bound of the algorithmic bandwidth of a collective on a network whose switches forward and do not
/// copy, by exact arithmetic.
///
/// Data moves in messages from rank to rank. A message moves over a path through switches, once for each receiver. For
/// each pair of vertices the links from one to the other are e. R are the ranks to which no other rank has a path
/// without e, and S those that have no path to another rank without e, so that each message to R and each message of S
/// crosses e. The ranks are N in number.
///
/// - allgather: each rank of R receives M (N-1)/N bytes. If S contains R, but not all ranks, each block of S
///   also leaves S once, in a message that is not to R. So M (|R| (N-1) + |S|) / N bytes cross e.
/// - broadcast: each rank of R but the root receives M bytes. If the root is in S, and the others of R are,
///   but not all ranks, M bytes leave S.
/// - allreduce: each rank receives M bytes, and M bytes leave S if it is as above. Also, each element takes a message of
///   each rank but one until the first rank has its result, and then a message to each other rank, if no message
///   combines different elements: |R| + |S| messages cross e, less the first rank if it is in R or S, twice if in both.
/// - reduce_scatter, reduce: allgather and broadcast on the network with reversed links.
///
/// topology::throughput_bound() holds for switches that copy, too. Neither bound is always the smaller one, and trees
/// need not attain the smaller one of the two.
///
/// Failure: `bandwidth` is 0 and `error` set for a wrong network, root or other collective, fewer than two ranks, and
/// for numbers of 2^63 or more. Without an error `bandwidth` is 0 if each rank has two paths without common links. Complexity:
/// O(ranks * links), less where a few links are near each rank.
/// @param net        the network
/// @param operation  collective::allgather, reduce_scatter, broadcast, reduce or allreduce
/// @param root       root of broadcast and reduce, 0 .. ranks-1
inline network::link_bound forwarding_bound(const network& net, collective operation, rank_t root = 0) {
    if (net.check()) return detail::failed_link_bound(net.check());
    if (net.ranks() < 2) return detail::failed_link_bound({"ranks", net.ranks(), "2 or more"});
    if (root < 0 || root >= net.ranks()) return detail::failed_link_bound({"root", root, "0 to ranks-1"});
    if (operation == collective::allgather || operation == collective::broadcast || operation == collective::allreduce)
        return detail::least_link_bound(net, operation, root);
    if (operation != collective::reduce_scatter && operation != collective::reduce)
        return detail::failed_link_bound({"collective", static_cast<std::int64_t>(operation),
                                          "allgather, reduce_scatter, broadcast, reduce or allreduce"});
    const collective reversed = operation == collective::reduce ? collective::broadcast : collective::allgather;
    network::link_bound bound = detail::least_link_bound(net.reversed(), reversed, root);
    const rank_t from = bound.from;
    bound.from = bound.to;
    bound.to = from;
    const owned_array<rank_t> receivers = bound.receivers;
    bound.receivers = bound.senders;
    bound.senders = receivers;
    return bound;
}

}}}  // namespace collsched::COLLSCHED_ABI::topology
