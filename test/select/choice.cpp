#include "collsched/select/choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collsched/select/choose.hpp"
#include "support/registry.hpp"

using namespace collsched;

TEST_CASE("choice: equal prices keep the order of the list") {
    for (const bool best_only : {false, true}) {
        const choice::request request{
            .collective = collective::allgather, .parameters = {.ranks = 8, .block = 4}, .best_only = best_only};
        const choice made = choose(request, compiled::registry(), [](const any_schedule&) { return picoseconds{7}; });
        REQUIRE(made.candidates.size() > 3);
        CHECK(std::ranges::is_sorted(made.candidates, {}, &choice::candidate::entry));
        CHECK(made.left_out == 0);
        CHECK(made.unfinished.empty());
    }
}
