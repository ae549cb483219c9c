#include "collsched/group/choice_policy.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/allreduce/segmented_ring.hpp"

using namespace collsched;

namespace {

choice::request allreduce_of(rank_t ranks, bytes_t bytes) {
    choice::request request{.collective = collective::allreduce};
    request.parameters.ranks = ranks;
    request.parameters.bytes = bytes;
    request.parameters.segment = shape::as_it_is;
    return request;
}

}  // namespace

TEST_CASE("policies::named: the first algorithm of the collective that serves the call") {
    const choice_policy two = policies::named(allreduce::ring{}, allreduce::recursive_doubling{});
    const choice::request request = allreduce_of(5, 40);
    CHECK(two(request).text() == "ring, the named algorithm");
    CHECK(two(request).schedule->fingerprint() == lower(allreduce::ring{.ranks = 5, .bytes = 40}).fingerprint());
    choice::request ordered = request;
    ordered.keeps_order = true;
    CHECK(two(ordered).text() == "recursive-doubling, the named algorithm");
    ordered.collective = collective::broadcast;
    CHECK(!two(ordered).schedule);
    CHECK(two(ordered).reason == "none is named");
    choice::request ring_alone = request;
    ring_alone.keeps_order = true;
    CHECK(policies::named(allreduce::ring{})(ring_alone).reason ==
          "ring: commutative: got 1, expected a schedule that keeps the order of operands");
}

TEST_CASE("policies::named: an algorithm keeps the values of its parameters") {
    const choice_policy one = policies::named(allreduce::segmented_ring{.segment = 16});
    const allreduce::segmented_ring expected{.ranks = 4, .bytes = 160, .segment = 16};
    CHECK(one(allreduce_of(4, 160)).schedule->fingerprint() == fingerprint(expected));
}

TEST_CASE("name_with_parameters: free parameters that have a value") {
    constexpr algorithm_entry entry = entry_of<allreduce::segmented_ring>();
    CHECK(detail::name_with_parameters(entry, {.segment = shape::as_it_is}) == std::string(entry.info.name));
    CHECK(detail::name_with_parameters(entry, {.segment = 64}) == std::string(entry.info.name) + ":segment=64");
}
