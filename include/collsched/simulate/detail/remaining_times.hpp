#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/cost/concepts.hpp"
#include "collsched/simulate/contention_model.hpp"
#include "collsched/simulate/detail/fair_shares.hpp"
#include "collsched/simulate/detail/message_routes.hpp"
#include "collsched/simulate/execution_graph.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Lower bounds of the time that a run on a network with shared links takes from one of its events on, for a run that stops
/// as soon as its end must be beyond a limit. Three bounds hold, since waiting only adds to them: the work and the messages
/// that depend on a vertex, one after the other, as if each had its links for itself; the work that is left for a processor;
/// and the bytes that are left for a link.
class remaining_times {
    using kind = execution_graph::kind;

  public:
    /// O(n + dependencies + messages * links per route) for n vertices.
    /// @param busy            busy(i) returns the time in picoseconds for which vertex i occupies its processor
    /// @param is_synchronous  whether a send is complete only when its message has arrived
    remaining_times(const execution_graph& graph, const contention_model& model, const message_routes& routes,
                    picoseconds limit, auto busy, auto is_synchronous)
        : graph_(graph),
          model_(model),
          routes_(routes),
          limit_(static_cast<double>(limit)),
          work_(graph.nodes().size()),
          least_(work_.size()),
          processors_(static_cast<std::size_t>(graph.ranks())),
          links_(routes.net().links().size()) {
        for (std::size_t i = 0; i < work_.size(); ++i) {
            const execution_graph::node& n = graph.nodes()[i];
            work_[i] = busy(static_cast<std::int64_t>(i));
            processors_[static_cast<std::size_t>(n.rank)] += work_[i];
            if (n.kind == kind::send) add_to_links(n, 1);
        }
        const std::vector<std::int64_t> order = forward_order();
        for (std::size_t k = order.size(); k-- > 0;) {
            const std::int64_t i = order[k];
            double after = 0;
            for (const std::int64_t next : graph.successors(i)) after = std::max(after, at(next));
            if (graph[i].kind == kind::send) {
                const double travel = travel_of(graph[i]);
                after = std::max(travel + at(graph[i].peer), after + (is_synchronous(i) ? travel : 0));
            }
            least_[static_cast<std::size_t>(i)] = work_[static_cast<std::size_t>(i)] + after;
        }
    }

    /// Returns whether the run must end after its limit.
    bool is_beyond() const { return is_beyond_; }
    /// Records that a processor begins the work of vertex i.
    void begin_work(std::int64_t i, picoseconds time) {
        double& processor = processors_[static_cast<std::size_t>(graph_[i].rank)];
        compare(time, std::max(at(i), processor));
        processor -= work_[static_cast<std::size_t>(i)];
    }
    /// Records that the bytes of a message begin to flow.
    void begin_flow(std::int64_t send, picoseconds time) {
        for (const std::int32_t link : routes_[graph_[send].pair].path.links)
            compare(time, links_[static_cast<std::size_t>(link)]);
        add_to_links(graph_[send], -1);
    }
    /// Records that a message has arrived.
    void arrive(std::int64_t send, picoseconds time) { compare(time, at(graph_[send].peer)); }

  private:
    static constexpr double rounding = 1 - 1e-9;  // of sums, and of rates whose shares are equal up to a tolerance

    double at(std::int64_t i) const { return least_[static_cast<std::size_t>(i)]; }
    void compare(picoseconds time, double remaining) {
        is_beyond_ = is_beyond_ || static_cast<double>(time) + remaining * rounding > limit_;
    }

    /// Returns the picoseconds for which a message occupies a link that passes a byte in `byte_fs`, less the rounding of its end.
    double flow_time(const execution_graph::node& send, double byte_fs) const {
        const auto bytes = static_cast<double>(send.bytes + model_.envelope_bytes);
        return std::max(0.0, bytes * 1000 * byte_fs / static_cast<double>(model_.factor(send.bytes).bandwidth_ppm) - 1);
    }
    /// Returns the least time between the departure of a message and its arrival.
    double travel_of(const execution_graph::node& send) const {
        const message_routes::route& on = routes_[send.pair];
        double byte_fs = 0;
        for (const std::int32_t link : on.path.links)
            byte_fs = std::max(byte_fs, static_cast<double>(routes_.net()[link].cost.byte_fs));
        if (on.path.limit > 0)
            byte_fs = std::max(byte_fs, static_cast<double>(std::int64_t{1} << fair_shares::bits) /
                                            static_cast<double>(on.path.limit));
        const checked latency = routes_.latency(on, send.bytes);
        return (latency.ok() ? static_cast<double>(latency.value()) : 0) + flow_time(send, byte_fs);
    }
    void add_to_links(const execution_graph::node& send, int sign) {
        const auto add = [&](const link_route& links, double part) {
            for (const std::int32_t link : links)
                if (routes_.net()[link].shared)
                    links_[static_cast<std::size_t>(link)] +=
                        sign * part * flow_time(send, static_cast<double>(routes_.net()[link].cost.byte_fs));
        };
        const message_routes::route& on = routes_[send.pair];
        add(on.path.links, 1);
        if (model_.reverse_permille > 0) add(on.path.back, static_cast<double>(model_.reverse_permille) / 1000);
    }

    /// Returns the vertices, each after those that it waits for.
    std::vector<std::int64_t> forward_order() const {
        std::vector<std::int64_t> order, waits(work_.size());
        order.reserve(work_.size());
        const auto count = static_cast<std::int64_t>(work_.size());
        for (std::int64_t i = 0; i < count; ++i) {
            std::int64_t& open = waits[static_cast<std::size_t>(i)];
            open = graph_[i].waits_for + (graph_[i].kind == kind::receive ? 1 : 0);
            if (open == 0) order.push_back(i);
        }
        const auto fulfill = [&](std::int64_t i) {
            if (--waits[static_cast<std::size_t>(i)] == 0) order.push_back(i);
        };
        for (std::size_t k = 0; k < order.size(); ++k) {
            for (const std::int64_t next : graph_.successors(order[k])) fulfill(next);
            if (graph_[order[k]].kind == kind::send) fulfill(graph_[order[k]].peer);
        }
        return order;
    }

    const execution_graph& graph_;
    const contention_model& model_;
    const message_routes& routes_;
    double limit_;
    std::vector<double> work_;        // per vertex: time on its processor
    std::vector<double> least_;       // per vertex: from the beginning of its work to the end of the run
    std::vector<double> processors_;  // per rank: work that has not begun
    std::vector<double> links_;       // per link: for which messages that do not flow yet will occupy it
    bool is_beyond_ = false;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
