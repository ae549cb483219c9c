#include "collsched/select/detail/request_checks.hpp"

#include <doctest/doctest.h>

#include "algorithms/algorithms.hpp"
#include "support/matched_networks.hpp"
#include "support/random_forest.hpp"
#include "support/registry.hpp"

using namespace collsched;

TEST_CASE("request_checks: a planned algorithm needs its cluster, forest or transfers, the latter from 2 ranks on") {
    choice::request request{.parameters = {.ranks = 2}};
    const auto refused = [&](auto parameter) {
        for (const algorithm_entry& entry : compiled::whole_registry())
            if (entry.takes(parameter)) return detail::check_plans(entry, request);
        return argument_error{"none", 0, "an algorithm"};
    };
    CHECK(refused(&shape::cluster) == argument_error{"cluster", 0, "a cluster that it is planned for"});
    CHECK(refused(&shape::forest) == argument_error{"forest", 0, "a network that it is packed for"});
    CHECK(refused(&shape::transfers) == argument_error{"transfers", 0, "a network that they are matched to"});
    for (const algorithm_entry& entry : compiled::whole_registry())
        if (!entry.takes(&shape::cluster) && !entry.takes(&shape::forest) && !entry.takes(&shape::transfers))
            CHECK_FALSE(detail::check_plans(entry, request));
    request.has_cluster = true;
    request.parameters.forest = support::random_forest(3, 2);
    request.parameters.transfers = support::matched_ring(2, 1);
    const auto check_accepted = [&] {
        CHECK_FALSE(refused(&shape::cluster));
        CHECK_FALSE(refused(&shape::forest));
        CHECK_FALSE(refused(&shape::transfers));
    };
    check_accepted();
    const shape one{.ranks = 1};
    request = {.parameters = one, .has_cluster = true};
    check_accepted();
}

TEST_CASE("request_checks: a reduction must have the class of brackets of the request, and others need none") {
    const auto found = [](collective what, const char* name, association_class bits) {
        const any_schedule s = compiled::find(what, name)->make({.ranks = 6, .block = 8, .bytes = 48, .element = 8});
        return detail::check_bits(s, {.collective = what, .bits = bits});
    };
    using enum association_class;
    CHECK_FALSE(found(collective::allreduce, "ring", any));
    CHECK_FALSE(found(collective::allreduce, "ring", rank));
    CHECK(found(collective::allreduce, "ring", position) == argument_error{"association", 1, "2 (position) or more"});
    CHECK(found(collective::allreduce, "ring", canonical) == argument_error{"association", 1, "3 (canonical)"});
    CHECK_FALSE(found(collective::allgather, "ring", canonical));
}
