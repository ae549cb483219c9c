#pragma once

#include <cstdint>

#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/signed_vector.hpp"
#include "collsched/topology/translations.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// The orbits of the arcs of a network under translations: two arcs are in one orbit if a translation maps one to the
/// other. They have equal bandwidths.
struct link_orbits {
    signed_vector<std::int64_t> of;         ///< per arc, the number of its orbit
    signed_vector<std::int64_t> size;       ///< per orbit, its number of arcs, a divisor of the number of ranks
    signed_vector<std::int64_t> bandwidth;  ///< per orbit, bytes per second of each arc

    /// Finds all orbits. O(arcs * dimensions * log arcs).
    link_orbits(const arc_table& arcs, const network::translations& group) {
        of.assign(static_cast<std::size_t>(arcs.size()), -1);
        signed_vector<std::int64_t> open;
        for (std::int64_t first = 0; first < arcs.size(); ++first) {
            if (of[first] >= 0) continue;
            const std::int64_t orbit = size.length();
            size.push_back(0);
            bandwidth.push_back(arcs[first].bandwidth);
            of[first] = orbit;
            for (open.assign(1, first); !open.empty();) {
                const arc_table::arc arc = arcs[open.back()];
                open.pop_back();
                ++size[orbit];
                for (std::int64_t d = 0; d < std::ssize(group.sizes()); ++d) {
                    const rank_t by = group.generator(d);
                    const std::int64_t next = arcs.find(group.image(arc.from, by), group.image(arc.to, by));
                    if (of[next] >= 0) continue;
                    of[next] = orbit;
                    open.push_back(next);
                }
            }
        }
    }
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
