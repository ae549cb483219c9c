#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/fraction.hpp"
#include "collsched/topology/detail/cut_ratio.hpp"
#include "collsched/tree/detail/sink_flows.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

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
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (suffices(scaled(total, fraction(middle, b)))) high = middle;
            else low = middle + 1;
        }
        if (best.total > 0 && !(fraction(high, b) < best.scale)) return {};
        return scaled(total, fraction(high, b));
    }

    const capacity_graph& net_;
    std::span<const rank_t> roots_;
    fraction rate_;
};

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
