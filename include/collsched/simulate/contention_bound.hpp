#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "collsched/schedule/lowering.hpp"
#include "collsched/simulate/contention_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Adds up the work of processors and links for the messages of a schedule.
class contention_sum {
  public:
    contention_sum(const contention_model& model, rank_t ranks)
        : model_(model),
          net_(model.rank_network()),
          processors_(static_cast<std::size_t>(ranks)),
          links_(net_.links().size()),
          peers_(static_cast<std::size_t>(ranks)) {}

    /// Adds the messages of one sender.
    template <schedule S>
    void add_sender(const S& s, rank_t r) {
        for (step_t k = s.next(r, 0); k < s.steps(); k = s.next(r, k + 1)) {
            s.sends(r, k, [&](const edge& e) {
                if (!e.is_local()) add_bytes(e.dst, e.size);
            });
            for (const rank_t to : step_) end_message(r, to);
            step_.clear();
        }
        for (const rank_t to : reached_) add_flow(r, to);
        reached_.clear();
    }

    /// Returns the time in picoseconds for which the busiest processor or link is busy, rounded down.
    picoseconds bound() const {
        double longest = 0;
        for (const double busy : processors_) longest = std::max(longest, busy);
        for (std::size_t i = 0; i < links_.size(); ++i)
            if (links_[i] > 0) longest = std::max(longest, links_[i] + first_flow_);
        constexpr double rounding = 1 - 1e-9, most = 9e18;
        return static_cast<picoseconds>(std::min(longest * rounding, most));
    }

  private:
    struct peer {
        bytes_t bytes = 0;       // of the message of this step
        double flow = 0;         // bytes of all messages, divided by the bandwidth factors of their sizes
        std::int64_t flows = 0;  // number of these messages
        bool in_step = false;
    };

    peer& at(rank_t r) { return peers_[static_cast<std::size_t>(r)]; }
    void add_bytes(rank_t to, bytes_t bytes) {
        if (!std::exchange(at(to).in_step, true)) step_.push_back(to);
        at(to).bytes += bytes;
    }
    void end_message(rank_t from, rank_t to) {
        peer& state = at(to);
        const bytes_t bytes = std::exchange(state.bytes, 0);
        state.in_step = false;
        const double per_byte =
            std::floor(static_cast<double>(bytes) * static_cast<double>(model_.overhead_byte_fs) / 1000);
        const bool waits = model_.is_synchronous(bytes);
        processors_[static_cast<std::size_t>(from)] += per_byte + static_cast<double>(model_.overhead(from));
        if (!waits || model_.synchronous_free == 0)
            processors_[static_cast<std::size_t>(to)] += per_byte + static_cast<double>(model_.overhead(to));
        if (bytes + model_.envelope_bytes == 0) return;
        if (state.flows++ == 0) reached_.push_back(to);
        state.flow += static_cast<double>(bytes + model_.envelope_bytes) * 1e6 /
                      static_cast<double>(model_.factor(bytes).bandwidth_ppm);
    }
    /// Adds the messages between two ranks to the links of their route. The end of each is rounded to a picosecond.
    void add_flow(rank_t from, rank_t to) {
        const peer sum = std::exchange(at(to), {});
        add_route(net_.route(from, to), sum, 1);
        if (model_.reverse_permille > 0)
            add_route(net_.route(to, from), sum, static_cast<double>(model_.reverse_permille) / 1000);
        first_flow_ = std::min(first_flow_, static_cast<double>(model_.overhead(from)));
    }
    void add_route(const link_route& route, const peer& sum, double part) {
        for (const std::int32_t i : route) {
            const contention_model::network::link& link = net_[i];
            if (!link.shared) continue;
            const double busy = sum.flow * static_cast<double>(link.cost.byte_fs) / 1000;
            links_[static_cast<std::size_t>(i)] += std::max(0.0, part * (busy - static_cast<double>(sum.flows)));
        }
    }

    const contention_model& model_;
    contention_model::network net_;
    std::vector<double> processors_, links_;  // picoseconds for which each is busy
    std::vector<peer> peers_;                 // of the sender
    std::vector<rank_t> step_, reached_;      // receivers of messages of the step, and of flows
    double first_flow_ = std::numeric_limits<double>::max();
};

}  // namespace detail

/// Returns a lower bound of the completion that simulate() computes: the time for which the busiest processor or link
/// is busy with messages. O(edges + pairs * links per route) without the graph of the schedule.
/// @param s      schedule
/// @param model  network, placement and costs
/// @return picoseconds; 0 if the schedule or the model has an error
template <schedule S, std::same_as<contention_model> Model>
picoseconds completion_bound(const S& s, const Model& model) {
    if (s.check() || model.check() || s.ranks != model.ranks()) return 0;
    detail::contention_sum sum(model, s.ranks);
    for (rank_t r = 0; r < s.ranks; ++r) sum.add_sender(s, r);
    return sum.bound();
}

}}  // namespace collsched::COLLSCHED_ABI
