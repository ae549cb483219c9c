#pragma once

#include <cstdint>

#include "collsched/core/detail/sort.hpp"
#include "collsched/tree/detail/switch_walks.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace trees { namespace detail {

/// Walks that share orbits of links. Their uses together are limited by each of these orbits.
struct walk_limit {
    signed_vector<std::int64_t> orbits;
    signed_vector<std::int64_t> walks;  ///< ascending
    std::int64_t outer = -1;            ///< the smallest limit that includes this one, or -1
};

/// The limits of walks, if of two sets of walks that share an orbit, one always includes the other or both are
/// disjoint. Then a flow from walks through limits, from inner to outer ones, respects them all.
struct walk_limits {
    signed_vector<walk_limit> limits;     ///< inner ones first
    signed_vector<std::int64_t> of_walk;  ///< per walk, its innermost limit
    bool nested = true;                   ///< false: the sets are not as required, and the other members unusable
};

/// Returns the limits of walks. O(orbits log orbits + sum of the lengths of walks).
inline walk_limits find_limits(const signed_vector<switch_walk>& walks, std::int64_t orbits) {
    signed_vector<walk_limit> sets(static_cast<std::size_t>(orbits));
    for (std::int64_t o = 0; o < orbits; ++o) sets[o].orbits.push_back(o);
    for (std::int64_t w = 0; w < walks.length(); ++w)
        for (const std::int64_t orbit : walks[w].orbits) sets[orbit].walks.push_back(w);
    signed_vector<std::int64_t> order;
    for (std::int64_t o = 0; o < orbits; ++o)
        if (!sets[o].walks.empty()) order.push_back(o);
    collsched::detail::sort(order.data(), order.length(), [&](std::int64_t a, std::int64_t b) {
        if (sets[a].walks.size() != sets[b].walks.size()) return sets[a].walks.size() < sets[b].walks.size();
        return sets[a].walks != sets[b].walks ? sets[a].walks < sets[b].walks : a < b;
    });
    walk_limits result;
    result.of_walk.assign(walks.size(), -1);
    signed_vector<std::int64_t> outermost(walks.size(), -1);  // per walk, its largest limit so far
    for (const std::int64_t o : order) {
        walk_limit& set = sets[o];
        if (!result.limits.empty() && result.limits.back().walks == set.walks) {
            result.limits.back().orbits.push_back(o);
            continue;
        }
        const std::int64_t number = result.limits.length();
        std::size_t inside = 0;
        for (const std::int64_t w : set.walks) {
            const std::int64_t inner = outermost[w];
            if (inner < 0) result.of_walk[w] = number;
            if (inner < 0) ++inside;
            else if (result.limits[inner].outer < 0) inside += result.limits[inner].walks.size();
            if (inner >= 0) result.limits[inner].outer = number;
            outermost[w] = number;
        }
        if (inside != set.walks.size()) result.nested = false;
        if (!result.nested) return result;
        result.limits.push_back(static_cast<walk_limit&&>(set));
    }
    return result;
}

}}}}  // namespace collsched::COLLSCHED_ABI::trees::detail
