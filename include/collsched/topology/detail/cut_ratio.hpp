#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/topology/detail/max_flow.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// The links of a network as arcs, in the same order. Capacities are divided by their greatest common divisor.
struct capacity_graph {
    rank_t ranks = 0;
    std::int64_t unit = 1;  ///< bytes per second of capacity 1
    flow_graph graph{0};
};

/// Returns the arcs of a network.
inline capacity_graph make_capacity_graph(const network& net) {
    capacity_graph result{net.ranks(), 0, flow_graph(net.vertices())};
    for (const network::link& link : net.links())
        result.unit = collsched::detail::greatest_common_divisor(result.unit, link.bandwidth);
    for (const network::link& link : net.links()) result.graph.add(link.from, link.to, link.bandwidth / result.unit);
    return result;
}

/// The least ratio B+(S) / |S and roots| over the sets S of vertices that contain a root, but not all ranks: the rate
/// at which each root can send different data to all ranks, in the unit of the graph.
struct cut_ratio {
    fraction rate;
    signed_vector<char> inside;  ///< per vertex, whether it is in a set S of that ratio
    argument_error error;
};

/// Searches the least ratio: x is a lower bound of all ratios if and only if x units per root can flow to every rank.
/// A rank that receives less shows a cut of a smaller ratio, which is the next x. Source: Dinkelbach 1967.
///
/// A rank that has received x also receives every smaller x: each rank is proved once. The flow to a rank becomes that
/// to the next rank by a flow between the two, which is short, since neighbors follow each other.
class cut_ratio_search {
  public:
    /// @param net    the network
    /// @param roots  the roots, ascending
    /// @param sinks  number of ranks to search: all, or 1 if symmetries of the network and the roots map any rank to any
    ///               other
    cut_ratio_search(const capacity_graph& net, std::span<const rank_t> roots, rank_t sinks)
        : net_(net), roots_(roots), sinks_(sinks), source_(net.graph.vertices()), graph_(source_ + 1) {
        for (std::int64_t i = 0; i < net.graph.arcs(); ++i) graph_.add(net.graph[i].from, net.graph[i].to, 0);
        for (const rank_t root : roots) graph_.add(source_, root, 0);
    }

    cut_ratio_search(const capacity_graph& net, std::span<const rank_t> roots)
        : cut_ratio_search(net, roots, net.ranks) {}

    /// @pre 2 or more ranks, 1 or more roots
    cut_ratio run() {
        if (argument_error error = check_reach()) return {0, {}, error};
        start();
        const signed_vector<rank_t> sinks = neighbors_in_sequence();
        for (std::int64_t proved = 0; !best_.error;) {
            scale();
            if (best_.error) break;
            while (proved < sinks_ && receives_all(sinks[proved])) ++proved;
            if (proved == sinks_) return best_;
            take_cut([&](rank_t v) { return search_.reached(v); });
        }
        return {0, {}, best_.error};
    }

  private:
    /// Returns an error if a root does not reach a rank.
    argument_error check_reach() {
        for (std::int64_t i = 0; i < net_.graph.arcs(); ++i) graph_[i].capacity = 1;
        signed_vector<std::int64_t> none(static_cast<std::size_t>(graph_.arcs()));
        const rank_t root = roots_[0];
        // The source cannot be reached: a search for it finds all vertices that the root reaches.
        search_.push(graph_, none.data(), root, source_, 1);
        for (rank_t v = 0; v < net_.ranks; ++v)
            if (!search_.reached(v)) return {"vertex", v, "a rank that all roots reach"};
        if (roots_.size() == 1) return {};
        return check_reach_back(root);
    }
    /// Returns an error if a root does not reach the first one.
    argument_error check_reach_back(rank_t first) {
        flow_graph back(graph_.vertices());
        for (std::int64_t i = 0; i < net_.graph.arcs(); ++i) back.add(graph_[i].to, graph_[i].from, 1);
        signed_vector<std::int64_t> none(static_cast<std::size_t>(graph_.arcs()));
        search_.push(back, none.data(), first, source_, 1);
        for (const rank_t v : roots_)
            if (!search_.reached(v)) return {"vertex", v, "a rank that all roots reach"};
        return {};
    }

    /// Starts with the least ratio of the sets that lack one rank.
    void start() {
        bool found = false;
        fraction least;
        rank_t weakest = 0;
        signed_vector<char> is_root(static_cast<std::size_t>(source_), 0);
        for (const rank_t root : roots_) is_root[root] = 1;
        for (rank_t v = 0; v < net_.ranks; ++v) {
            checked in = 0;
            for (const auto& half : net_.graph.incident(v))
                if (!half.forward) in = in + net_.graph[half.arc].capacity;
            const std::int64_t senders = static_cast<std::int64_t>(roots_.size()) - is_root[v];
            if (senders == 0) continue;
            if (!in.ok()) return overflow();
            if (const fraction ratio(in.value(), senders); !found || ratio < least) least = ratio, weakest = v;
            found = true;
        }
        take_cut([&](rank_t v) { return v != weakest; });
    }

    /// Keeps a set as the best one.
    void take_cut(auto is_inside) {
        best_.inside.assign(static_cast<std::size_t>(source_), 0);
        for (rank_t v = 0; v < source_; ++v) best_.inside[v] = is_inside(v) ? 1 : 0;
        checked out = 0;
        for (std::int64_t i = 0; i < net_.graph.arcs(); ++i)
            if (best_.inside[net_.graph[i].from] && !best_.inside[net_.graph[i].to]) out = out + net_.graph[i].capacity;
        std::int64_t within = 0;
        for (const rank_t root : roots_) within += best_.inside[root];
        if (!out.ok()) return overflow();
        best_.rate = fraction(out.value(), within);
    }

    /// Multiplies all capacities by the denominator of the rate; then the numerator is what each root sends.
    void scale() {
        sink_ = -1;
        checked sum = checked(static_cast<std::int64_t>(roots_.size())) * best_.rate.numerator();
        for (std::int64_t i = 0; i < net_.graph.arcs(); ++i) {
            const checked scaled = checked(net_.graph[i].capacity) * best_.rate.denominator();
            sum = sum + scaled;
            graph_[i].capacity = scaled.value();
        }
        if (!sum.ok()) return overflow();
        for (std::int64_t i = net_.graph.arcs(); i < graph_.arcs(); ++i) graph_[i].capacity = best_.rate.numerator();
    }
    /// Changes the flow into one to this sink. Returns false if less arrives: search_.reached() is a cut of a smaller
    /// ratio. All arcs of the source are full, so what the sink lacks is stuck at the sink before.
    bool receives_all(rank_t sink) {
        const std::int64_t all = static_cast<std::int64_t>(roots_.size()) * best_.rate.numerator();
        if (sink_ < 0) flow_.assign(static_cast<std::size_t>(graph_.arcs()), 0);
        const rank_t from = sink_ < 0 ? source_ : sink_;
        sink_ = sink;
        return search_.push(graph_, flow_.data(), from, sink, all) == all;
    }
    /// Returns all ranks in depth-first order.
    signed_vector<rank_t> neighbors_in_sequence() const {
        signed_vector<rank_t> ranks, stack(1, 0);
        signed_vector<char> visited(static_cast<std::size_t>(source_), 0);
        while (!stack.empty()) {
            const rank_t v = stack.back();
            stack.pop_back();
            if (visited[v]) continue;
            visited[v] = 1;
            if (v < net_.ranks) ranks.push_back(v);
            for (const flow_graph::half_arc& half : net_.graph.incident(v))
                if (!visited[half.other]) stack.push_back(half.other);
        }
        return ranks;
    }
    void overflow() {
        std::int64_t largest = 0;
        for (std::int64_t i = 0; i < net_.graph.arcs(); ++i)
            if (largest < net_.graph[i].capacity) largest = net_.graph[i].capacity;
        best_.error = {"bandwidth", largest,
                       "multiples of a greatest common divisor whose sum, times the number of ranks, is below 2^63"};
    }

    const capacity_graph& net_;
    std::span<const rank_t> roots_;
    rank_t sinks_, source_;
    flow_graph graph_;  // the arcs of the network, then those from the source to the roots
    flow_search search_;
    signed_vector<std::int64_t> flow_;  // sends all to sink_
    rank_t sink_ = -1;                  // -1: there is no flow for the present rate
    cut_ratio best_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
