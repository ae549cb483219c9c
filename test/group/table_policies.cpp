#include "collsched/group/table_policies.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/collective/allreduce/interval_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

choice::request of(collective what, rank_t ranks, bytes_t bytes) {
    choice::request request{.collective = what};
    request.parameters.ranks = ranks;
    request.parameters.bytes = bytes;
    request.parameters.block = bytes;
    request.parameters.segment = shape::as_it_is;
    return request;
}
bool begins(const std::string& text, const std::string& with) { return text.starts_with(with); }

}  // namespace

TEST_CASE("policies::table: the row that takes precedence, and why others were skipped") {
    const std::vector<decision> rows{
        {.collective = collective::allreduce, .algorithm = "recursive-doubling"},
        {.collective = collective::allreduce, .bytes = 1000, .algorithm = "segmented-ring", .segment = 64},
        {.collective = collective::allreduce, .bytes = 2000, .algorithm = "no-such-name"}};
    const choice_policy by = policies::table(rows, compiled::whole_registry(), "my table");
    CHECK(by(of(collective::allreduce, 4, 8)).text() == "recursive-doubling, my table, row from 1 rank and 0 bytes");
    CHECK(by(of(collective::allreduce, 4, 1000)).text() ==
          "segmented-ring:segment=64, my table, row from 1 rank and 1000 bytes");
    CHECK(begins(by(of(collective::allreduce, 4, 2000)).text(), "segmented-ring:segment=64, my table"));
    CHECK(by(of(collective::allreduce, 4, 2000)).reason.find("; skipped no-such-name: algorithm") != std::string::npos);
    const choice::selection none = by(of(collective::barrier, 4, 0));
    CHECK((!none.schedule && none.reason == "my table has no row that serves it"));
}

TEST_CASE("policies::built_in: every collective has a schedule, of any class that reductions need") {
    const choice_policy rules = policies::built_in(compiled::whole_registry());
    for (int c = 0; c <= static_cast<int>(collective::neighbor_alltoall); ++c)
        for (const rank_t ranks : {1, 2, 3, 7, 16}) {
            const choice::selection made = rules(of(static_cast<collective>(c), ranks, 64));
            CAPTURE(made.reason);
            REQUIRE(made.schedule);
            CHECK((made.schedule->ranks == ranks && !made.schedule->check()));
            CHECK(made.reason.find("the built-in rules") != std::string::npos);
        }
    choice::request canonical = of(collective::allreduce, 8, 64);
    canonical.bits = association_class::canonical;
    CHECK(begins(rules(canonical).text(), "interval-"));
    CHECK(!policies::built_in({})(canonical).schedule);
}

TEST_CASE("policies::of_class: the first policy whose schedule has the class") {
    const choice_policy ring = policies::named(allreduce::ring{}),
                        doubling = policies::named(allreduce::interval_doubling{});
    const choice_policy canonical = policies::of_class(association_class::canonical, ring, doubling);
    choice::request sum = of(collective::allreduce, 6, 48);
    CHECK(ring(sum).text() == "ring, the named algorithm");
    CHECK(canonical(sum).text() == "interval-doubling, the named algorithm, class canonical");
    const choice::selection none = policies::of_class(association_class::canonical, ring)(sum);
    CHECK((!none.schedule && begins(none.reason, "ring, the named algorithm: association: got ")));
    const choice_policy rules =
        policies::of_class(association_class::canonical, policies::built_in(compiled::registry()));
    CHECK(rules(sum).reason.ends_with(", class canonical"));
    CHECK(begins(rules(of(collective::barrier, 6, 0)).text(), "dissemination"));
}
