#include "collsched/select/detail/trial_schedule.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("trial_schedule: equal edges have equal hashes, and messages of several edges count once") {
    choice::request request{.collective = collective::allgather, .parameters = {.ranks = 8, .block = 4}};
    const auto trial = [&](const char* name) {
        return make_trial(*compiled::find(request.collective, name), request.parameters, request);
    };
    const trial_schedule doubling = trial("recursive-doubling"), ring = trial("ring");
    CHECK(!doubling.error);
    CHECK(doubling.messages == 8 * 3);
    CHECK(ring.messages == 8 * 7);
    CHECK(doubling.hash != ring.hash);
    CHECK(doubling.hash == trial("recursive-doubling").hash);
    shape doubled = request.parameters;
    doubled.block = 8;
    CHECK(make_trial(*compiled::find(request.collective, "ring"), doubled, request).hash != ring.hash);
}

TEST_CASE("trial_schedule: invalid shapes, too many edges and too many steps are errors") {
    choice::request request{.collective = collective::allgather, .parameters = {.ranks = 8, .block = 4}};
    const algorithm_entry& ring = *compiled::find(request.collective, "ring");
    shape none = request.parameters;
    none.ranks = 0;
    CHECK(make_trial(ring, none, request).error);
    request.edge_limit = 8 * 8;  // with the copies of own blocks
    CHECK(!make_trial(ring, request.parameters, request).error);
    request.edge_limit = 8 * 8 - 1;
    CHECK(make_trial(ring, request.parameters, request).error.argument == std::string("edges"));
    request.edge_limit = 1000;
    request.step_limit = 6;
    CHECK(make_trial(ring, request.parameters, request).error.argument == std::string("steps"));
}
