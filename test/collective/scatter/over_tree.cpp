#include "collsched/collective/scatter/over_tree.hpp"

#include <doctest/doctest.h>

#include "collsched/core/bits.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<scatter::over_tree<trees::binomial>>());

using binomial = scatter::over_tree<trees::binomial, gather::root_receive::instant>;
using chained = scatter::over_tree<trees::binomial, gather::root_receive::chained>;
static_assert(proved<verify(binomial{.ranks = 17, .root = 2, .block = 3})>);

TEST_CASE("scatter::over_tree: an edge over distance 2^j is ceil(log2 p)-1-j rounds after the first") {
    for (rank_t p = 2; p <= support::most(70); ++p) {
        const stored_schedule s = materialize(binomial{.ranks = p, .root = 1, .block = 2});
        const step_t packing = s.steps() - ceil_log2(p);
        for (const edge& e : s.edges())
            if (!e.is_local()) CHECK((e.dst - e.src + p) % p == rank_t{1} << (ceil_log2(p) - 1 - (e.step - packing)));
        CHECK(support::measured(s).rounds == ceil_log2(p));
    }
}

TEST_CASE("scatter::over_tree: scratch is that of the gather, and a continuous layout is never packed") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            const chained s{.ranks = p, .root = p - 1, .block = layout};
            const gather::over_tree<trees::binomial, gather::root_receive::chained> gathered{
                .ranks = p, .root = p - 1, .block = layout};
            CHECK(support::verified(s).ok());
            for (rank_t r = 0; r < p; ++r) CHECK(lower(s).scratch(r) == lower(gathered).scratch(r));
        }
    CHECK(support::measured(chained{.ranks = 32, .block = 8}).copies[0] == 1);
}
