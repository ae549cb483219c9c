#include "collsched/collective/gather/linear.hpp"

#include <doctest/doctest.h>

#include "collsched/verify/verify.hpp"
#include "support/layouts.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<scatter::linear>());
static_assert(proved<verify(scatter::linear{.ranks = 9, .root = 4, .block = 3})>);

TEST_CASE("scatter::linear: the root sends every block once, from its displacement") {
    for (rank_t p = 1; p <= 20; ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            const scatter::linear s{.ranks = p, .root = p / 2, .block = layout};
            CHECK(support::verified(s).ok());
            CHECK(support::verified(s, binding::in_place).ok());
            for (const edge& e : program(s, p / 2)) {
                CHECK(e.from == buffer::input);
                CHECK(e.from_offset == layout.displ(e.dst));
            }
        }
    rank_t next = 3;
    for (const edge& e : program(scatter::linear{.ranks = 5, .root = 2, .block = 4}, 2)) {
        if (e.is_local()) continue;
        CHECK(e.dst == next % 5);
        ++next;
    }
    CHECK(next == 7);
    CHECK(support::measured(scatter::linear{.ranks = 20, .block = 4}).rounds == 19);
}
