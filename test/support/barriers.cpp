#include "support/barriers.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/oracle.hpp"

namespace support {

bool all_ranks_reached(const stored_schedule& s) {
    const auto p = static_cast<std::size_t>(s.ranks);
    std::vector<std::vector<bool>> knows(p, std::vector<bool>(p));
    for (std::size_t r = 0; r < p; ++r) knows[r][r] = true;
    for (step_t k = 0; k < s.steps(); ++k) {
        const std::vector<std::vector<bool>> before = knows;
        for (rank_t src = 0; src < s.ranks; ++src)
            s.sends(src, k, [&](const edge& e) {
                for (std::size_t of = 0; of < p; ++of)
                    if (before[static_cast<std::size_t>(src)][of]) knows[static_cast<std::size_t>(e.dst)][of] = true;
            });
    }
    for (const std::vector<bool>& row : knows)
        for (const bool known : row)
            if (!known) return false;
    return true;
}

void check_every_signal_counts(const some_schedule& x) {
    const stored_schedule all = materialize(x);
    for (std::size_t left_out = 0; left_out < all.edges().size(); ++left_out) {
        std::vector<edge> rest;
        for (std::size_t i = 0; i < all.edges().size(); ++i)
            if (i != left_out) rest.push_back(all.edges()[i]);
        CHECK(verify(with_edges(all, rest)).finding == verdict::kind::missing_signal);
    }
}

}  // namespace support
