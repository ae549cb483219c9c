#include "collsched/select/choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/algorithms.hpp"
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

TEST_CASE("choice: a request without further members is of a barrier, with every search on") {
    const choice::request request;
    CHECK(request.collective == collective::barrier);
    CHECK(request.parameters.ranks == shape{}.ranks);
    CHECK(request.binding == binding::separate);
    CHECK(request.bits == association_class::any);
    CHECK_FALSE((request.keeps_order || request.has_cluster || request.keeps_defaults || request.every_setting));
    CHECK_FALSE(request.best_only);
    CHECK(request.least_segment == 0);
    CHECK(request.edge_limit == 1'048'576);
    const choice::candidate candidate;
    CHECK((candidate.entry == nullptr && candidate.cost == 0 && candidate.trials == 0));
    CHECK(choice::refusal().entry == nullptr);
    const choice::unfinished_search unfinished;
    CHECK((unfinished.entry == nullptr && unfinished.bound == 0 && !unfinished.priced));
    CHECK((choice().left_out == 0 && choice().candidates.empty()));
}

TEST_CASE("choice: a schedule that may reorder operands does not serve an operation that keeps their order") {
    const any_schedule ring =
        compiled::find(collective::allreduce, "ring")->make({.ranks = 4, .bytes = 32, .element = 8});
    CHECK_FALSE(detail::check_order(ring, {}));
    CHECK(detail::check_order(ring, {.keeps_order = true}) ==
          argument_error{"commutative", 1, "a schedule that keeps the order of operands"});
    const any_schedule doubling =
        compiled::find(collective::allreduce, "recursive-doubling")->make({.ranks = 4, .bytes = 32, .element = 8});
    CHECK_FALSE(detail::check_order(doubling, {.keeps_order = true}));
}

TEST_CASE("find_algorithm: every algorithm is found by its collective and name, and no other") {
    for (const algorithm_entry& entry : compiled::whole_registry()) {
        INFO(name_of(entry.info.collective), " ", entry.info.name);
        CHECK(find_algorithm(compiled::whole_registry(), entry.info.collective, entry.info.name) == &entry);
    }
    CHECK(find_algorithm(compiled::registry(), collective::barrier, "ring") == nullptr);
    CHECK(find_algorithm(compiled::registry(), collective::allgather, "rin") == nullptr);
    CHECK(find_algorithm({}, collective::allgather, "ring") == nullptr);
}
