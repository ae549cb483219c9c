#include "collsched/group/cheapest_policy.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/cost/loggp.hpp"
#include "benchmarks/studies/random_cluster.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

choice::request priced_call(collective what, rank_t ranks, bytes_t bytes, bytes_t element = 1) {
    choice::request request{.collective = what};
    request.parameters.ranks = ranks;
    if (has_blocks(what)) request.parameters.block = bytes;
    else request.parameters.bytes = bytes;
    request.parameters.element = element;
    request.parameters.segment = shape::as_it_is;
    return request;
}
constexpr hockney_model model{.alpha_ps = 1'000'000, .beta_fs = 100'000};

}  // namespace

TEST_CASE("policies::cheapest: the first candidate of choose()") {
    const choice_policy by = policies::cheapest(model, compiled::registry());
    choice::request request = priced_call(collective::broadcast, 8, 4096);
    const choice::selection made = by(request);
    request.best_only = true;
    const choice found = choose(request, compiled::registry(), simulated_price(model));
    const choice::candidate& best = found.candidates[0];
    CHECK((made.entry == best.entry && made.algorithm.starts_with(best.entry->info.name)));
    CHECK(made.reason == "the cheapest by the model, " + std::to_string(best.cost / 1000) + " ns");
    CHECK(made.schedule->fingerprint() == best.entry->make(best.parameters).fingerprint());
    const choice::selection none = policies::cheapest(model, {})(request);
    CHECK((!none.schedule && none.reason == "none can be priced"));
}

TEST_CASE("policies::cheapest: one search for all sizes between two powers of two") {
    const choice_policy by = policies::cheapest(model, compiled::registry(), {.by_size_class = true});
    const choice::selection least = by(priced_call(collective::allreduce, 8, 65536, 8));
    REQUIRE(least.schedule);
    for (const bytes_t bytes : {65544, 99992, 131064}) {
        const choice::selection made = by(priced_call(collective::allreduce, 8, bytes, 8));
        REQUIRE(made.schedule);
        CHECK((made.entry == least.entry && made.parameters.segment == least.parameters.segment));
        CHECK((made.schedule->contract().bytes == bytes && !made.schedule->check()));
        CHECK(made.reason == least.reason);
        CHECK(made.reason.starts_with("the cheapest by the model with 65536 bytes, "));
    }
    const choice::selection other = by(priced_call(collective::allreduce, 8, 131072, 8));
    CHECK(other.reason.starts_with("the cheapest by the model with 131072 bytes, "));
    const choice::selection blocks = by(priced_call(collective::allgather, 3, 100));
    CHECK(blocks.reason.starts_with("the cheapest by the model with 256 bytes, "));
    CHECK(by(priced_call(collective::barrier, 8, 0)).reason.starts_with("the cheapest by the model with 0 bytes, "));
}

TEST_CASE("policies::cheapest: segments are whole elements of the call") {
    const std::vector<algorithm_entry> chain{*compiled::find(collective::allreduce, "chain")};
    const choice_policy by = policies::cheapest(model, chain, {.by_size_class = true});
    const choice::selection made = by(priced_call(collective::allreduce, 8, bytes_t{3} << 20, 24));
    REQUIRE(made.schedule);
    CHECK((made.parameters.segment > 0 && made.parameters.segment % 24 == 0));
}

TEST_CASE("policies::cheapest: the limits of the request and of the search") {
    choice::request request = priced_call(collective::allreduce, 8, 65536, 8);
    request.step_limit = 3;
    const choice::selection made = policies::cheapest(model, compiled::registry())(request);
    REQUIRE(made.schedule);
    CHECK(made.schedule->steps() <= 3);
    request.step_limit = 1;
    CHECK(!policies::cheapest(model, compiled::registry())(request).schedule);
    const std::vector<algorithm_entry> ring{*compiled::find(collective::allreduce, "ring")};
    request = priced_call(collective::allreduce, 8, 65536, 8);
    CHECK(policies::cheapest(model, ring, {.edge_limit = 1000})(request).schedule);
    const choice::selection none = policies::cheapest(model, ring, {.edge_limit = 10})(request);
    CHECK((!none.schedule && none.reason == "none can be priced; ring: edges: got 11, expected a schedule with fewer"));
}

TEST_CASE("policies::cheapest: algorithms that are planned for a cluster take part with one") {
    const algorithm_entry* const mgo = find_algorithm(compiled::planned_registry(), collective::broadcast, "mgo");
    REQUIRE(mgo != nullptr);
    const std::vector<algorithm_entry> planned{*mgo};
    const choice::request request = priced_call(collective::broadcast, 4, 1024);
    CHECK(!policies::cheapest(model, planned)(request).schedule);
    const lob_model cluster = random_cluster(studies::cluster_distribution{}, 4, 1);
    const choice::selection made = policies::cheapest(model, planned, {.cluster = cluster})(request);
    REQUIRE(made.schedule);
    CHECK((made.algorithm == "mgo" && !made.schedule->check()));
}
