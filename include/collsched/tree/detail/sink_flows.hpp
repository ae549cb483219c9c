#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/sort.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/topology/detail/max_flow.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

using topology::detail::flow_graph;
using topology::detail::flow_search;
using topology::detail::signed_vector;

/// Capacity of arcs that do not limit flows, and which split() does not reduce.
inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max() / 4;

/// A graph with one flow to each rank, the sink. The supplies of the vertices are fixed: each flow sends all that its
/// sources have to its sink. The flows prove that capacities suffice, and are rerouted when capacities are reduced.
class sink_flows {
  public:
    using flow = signed_vector<std::int64_t>;  // per arc

    /// @param graph  vertices 0 .. sinks-1 are the sinks
    sink_flows(flow_graph graph, rank_t sinks)
        : graph_(static_cast<flow_graph&&>(graph)), flows_(static_cast<std::size_t>(sinks)) {
        for (flow& sink_flow : flows_) sink_flow.assign(static_cast<std::size_t>(graph_.arcs()), 0);
    }

    /// Gives each root `supply` units for each sink, and finds the flows. Returns false if a sink receives less.
    bool supply_roots(std::span<const rank_t> roots, std::int64_t supply) {
        const rank_t source = graph_.add_vertex();
        for (const rank_t root : roots) add_arc(source, root, supply);
        const std::int64_t all = supply * static_cast<std::int64_t>(roots.size());
        const std::int64_t first = graph_.arcs() - static_cast<std::int64_t>(roots.size());
        bool complete = true;
        for (rank_t sink = 0; sink < sinks() && complete; ++sink)
            complete = search_.push(graph_, flows_[sink].data(), source, sink, all) == all;
        for (std::int64_t i = first; i < graph_.arcs(); ++i) {
            graph_[i].capacity = 0;
            for (flow& sink_flow : flows_) sink_flow[i] = 0;
        }
        return complete;
    }

    const flow_graph& graph() const { return graph_; }
    rank_t sinks() const { return flows_.length(); }
    flow& operator[](rank_t sink) { return flows_[sink]; }
    std::int64_t capacity(std::int64_t arc) const { return graph_[arc].capacity; }
    void set_capacity(std::int64_t arc, std::int64_t capacity) { graph_[arc].capacity = capacity; }

    std::int64_t add_arc(rank_t from, rank_t to, std::int64_t capacity) {
        for (flow& sink_flow : flows_) sink_flow.push_back(0);
        return graph_.add(from, to, capacity);
    }
    rank_t add_vertex() { return graph_.add_vertex(); }

    /// Moves up to `limit` units of capacity of the arcs (u,w) and (w,t) to the arc (u,t): splits off. As much is moved
    /// as all flows permit. An arc (u,w) of unlimited capacity is not reduced.
    /// @param in      arc (u,w)
    /// @param out     arc (w,t)
    /// @param direct  arc (u,t), or -1: t is u, and the capacity is dropped
    /// @return the capacity that is moved; 0: a cut that the two arcs cross is saturated, and reached() is one side
    std::int64_t split(std::int64_t in, std::int64_t out, std::int64_t direct, std::int64_t limit) {
        before_in_ = capacity(in), before_out_ = capacity(out), before_direct_ = direct < 0 ? 0 : capacity(direct);
        std::int64_t moved = limit;
        set_split(in, out, direct, moved);
        const rank_t first = hardest_;
        for (rank_t i = 0; i < sinks() && moved > 0; ++i) {
            const rank_t sink = i == 0 ? first : i <= first ? i - 1 : i;
            const std::int64_t lacking = reroute(flows_[sink], in, out, direct);
            if (lacking == 0) continue;
            moved -= lacking;
            hardest_ = sink;
            set_split(in, out, direct, moved);
        }
        if (direct >= 0)
            for (flow& sink_flow : flows_) take_back(sink_flow, in, out, direct);
        return moved;
    }
    /// Reduces the capacity of an arc by up to `limit`, as much as all flows permit. Returns by how much.
    std::int64_t drop(std::int64_t arc, std::int64_t limit) {
        const std::int64_t before = capacity(arc);
        set_capacity(arc, before - limit);
        for (rank_t sink = 0; sink < sinks() && limit > 0; ++sink) {
            limit -= reroute_rest(flows_[sink], arc);
            set_capacity(arc, before - limit);
        }
        return limit;
    }
    /// Returns whether v is on the side of u and t, or of w, of the saturated cut that made split() return 0.
    bool reached(rank_t v) const { return search_.reached(v); }

    /// Removes up to `amount` units that the flow to a sink sends from a vertex to it.
    void cancel(rank_t sink, rank_t from, std::int64_t amount) {
        if (amount > 0 && from != sink) search_.take_back(graph_, flows_[sink].data(), sink, from, amount);
    }

  private:
    void set_split(std::int64_t in, std::int64_t out, std::int64_t direct, std::int64_t moved) {
        if (before_in_ != unlimited) graph_[in].capacity = before_in_ - moved;
        graph_[out].capacity = before_out_ - moved;
        if (direct >= 0) graph_[direct].capacity = before_direct_ + moved;
    }

    static std::int64_t positive(std::int64_t n) { return n > 0 ? n : 0; }
    static std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

    /// Moves the part of a flow that exceeds the reduced capacities to the direct arc, then to other paths. Returns the
    /// part for which no path is left, and leaves it where it was.
    std::int64_t reroute(flow& sink_flow, std::int64_t in, std::int64_t out, std::int64_t direct) {
        const std::int64_t above_in = positive(sink_flow[in] - capacity(in)),
                           above_out = positive(sink_flow[out] - capacity(out));
        if (above_in == 0 && above_out == 0) return 0;
        const std::int64_t through =
            smaller(above_in > above_out ? above_in : above_out, smaller(sink_flow[in], sink_flow[out]));
        sink_flow[in] -= through, sink_flow[out] -= through;
        if (direct >= 0) sink_flow[direct] += through;
        return reroute_rest(sink_flow, in) + reroute_rest(sink_flow, out);
    }
    std::int64_t reroute_rest(flow& sink_flow, std::int64_t arc) {
        const std::int64_t above = positive(sink_flow[arc] - capacity(arc));
        if (above == 0) return 0;
        sink_flow[arc] -= above;
        const std::int64_t lacking =
            above - search_.push(graph_, sink_flow.data(), graph_[arc].from, graph_[arc].to, above);
        sink_flow[arc] += lacking;
        return lacking;
    }
    /// Returns flow from the direct arc to the two others, after it was given more capacity than it keeps.
    void take_back(flow& sink_flow, std::int64_t in, std::int64_t out, std::int64_t direct) {
        const std::int64_t above = positive(sink_flow[direct] - capacity(direct));
        sink_flow[direct] -= above, sink_flow[in] += above, sink_flow[out] += above;
    }

    flow_graph graph_;
    signed_vector<flow> flows_;
    flow_search search_;
    std::int64_t before_in_{}, before_out_{}, before_direct_{};
    rank_t hardest_ = 0;  // sink that last limited a split: likely to limit the next one
};

using topology::detail::capacity_graph;

/// Whole capacities floor(scale * b_e), as multiples of a tree of weight 1, and the weight of the trees of each root.
struct tree_rates {
    flow_graph graph{0};
    std::int64_t total = 0;
    fraction scale;
    argument_error error;
};

inline tree_rates rates_overflow(std::int64_t bandwidth) {
    return {flow_graph(0), 0, 0, {"bandwidth", bandwidth, "capacities whose sum, in units of a tree, is below 2^60"}};
}

/// Chooses how many trees per root a network gets, and what each may use of a link.
class rate_choice {
  public:
    /// @param net    the network
    /// @param roots  the roots of the trees
    /// @param rate   rate per root that the cuts allow
    rate_choice(const capacity_graph& net, std::span<const rank_t> roots, const fraction& rate)
        : net_(net), roots_(roots), rate_(rate) {}

    /// Returns the rates that attain the bound with the fewest trees: their number is the numerator of the bound, since
    /// capacities have no common divisor.
    tree_rates exact() const { return scaled(rate_.numerator(), fraction(rate_.denominator())); }

    /// Returns the rates for `total` trees per root with the least scale that suffices. It is j / b for a capacity b, since
    /// floor(scale * b_e) changes there only; j is found by bisection for each different b.
    tree_rates fixed(std::int64_t total) const {
        tree_rates best;
        signed_vector<std::int64_t> capacities;
        for (std::int64_t i = 0; i < net_.graph.arcs(); ++i) {
            const std::int64_t b = net_.graph[i].capacity;
            bool is_new = b > 0;
            for (const std::int64_t other : capacities) is_new = is_new && other != b;
            if (!is_new) continue;
            capacities.push_back(b);
            tree_rates found = bisect(total, b, best);
            if (found.error) return found;
            if (found.total > 0) best = static_cast<tree_rates&&>(found);
        }
        return best;
    }

    /// Returns rates of which each tree gets part / parts of its bandwidth, with `finer` times as many trees.
    tree_rates below(const tree_rates& rates, std::int64_t part, std::int64_t parts, std::int64_t finer) const {
        const checked numerator = checked(rates.scale.numerator()) * (finer * parts);
        const checked denominator = checked(rates.scale.denominator()) * part;
        const checked total = checked(rates.total) * finer;
        if (!numerator.ok() || !denominator.ok() || !total.ok()) return rates_overflow(rates.total);
        return scaled(total.value(), fraction(numerator.value(), denominator.value()));
    }

  private:
    /// Returns the rates for one scale.
    tree_rates scaled(std::int64_t total, const fraction& scale) const {
        tree_rates rates{flow_graph(net_.graph.vertices()), total, scale, {}};
        constexpr std::int64_t most = std::int64_t{1} << 60;
        checked sum = checked(total) * net_.ranks;
        for (std::int64_t i = 0; i < net_.graph.arcs(); ++i) {
            const std::int64_t b = net_.graph[i].capacity;
            const checked capacity = collsched::detail::mul_div(b, scale.numerator(), scale.denominator());
            sum = sum + capacity;
            if (!sum.ok() || sum.value() >= most) return rates_overflow(b);
            rates.graph.add(net_.graph[i].from, net_.graph[i].to, capacity.value());
        }
        return rates;
    }
    bool suffices(const tree_rates& rates) const {
        return sink_flows(rates.graph, net_.ranks).supply_roots(roots_, rates.total);
    }

    /// Returns the rates of the least scale j / b that suffices; without trees if it is no less than that of `best`.
    tree_rates bisect(std::int64_t total, std::int64_t b, const tree_rates& best) const {
        const checked product = checked(total) * rate_.denominator();
        if (!product.ok()) return rates_overflow(b);
        const checked least = collsched::detail::mul_div(product.value(), b, rate_.numerator());
        if (!least.ok() || least.value() >= std::int64_t{1} << 60) return rates_overflow(b);
        std::int64_t low = least.value() < 1 ? 1 : least.value();
        if (best.total > 0 && !(fraction(low, b) < best.scale)) return {};
        std::int64_t high = low;
        for (std::int64_t step = 1;; step *= 2, low = high + 1, high += step) {
            const tree_rates rates = scaled(total, fraction(high, b));
            if (rates.error) return rates;
            if (suffices(rates)) break;
        }
        high = collsched::detail::first_where(
            low, high, [&](std::int64_t rate) { return suffices(scaled(total, fraction(rate, b))); });
        if (best.total > 0 && !(fraction(high, b) < best.scale)) return {};
        return scaled(total, fraction(high, b));
    }

    const capacity_graph& net_;
    std::span<const rank_t> roots_;
    fraction rate_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
