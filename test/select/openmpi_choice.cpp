#include "collsched/select/openmpi_choice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "algorithms/algorithms.hpp"

using namespace collsched;
using release = openmpi_rules::release;
using foreign = openmpi_rules::collective;

namespace {

std::vector<int> numbers_of(release version, foreign kind, openmpi_rules::promise promise) {
    std::vector<int> numbers;
    for (const openmpi_rules::algorithm& each : openmpi_equivalents(version, kind, promise))
        numbers.push_back(each.number);
    return numbers;
}

choice::request allreduce_of(rank_t ranks) {
    choice::request request;
    request.collective = collective::allreduce;
    request.parameters.ranks = ranks;
    request.parameters.bytes = 1024;
    request.parameters.element = 8;
    return request;
}

}  // namespace

TEST_CASE("openmpi_choice: names and properties of the collectives of Open MPI") {
    CHECK(name_of(foreign::bcast) == "bcast");
    CHECK(algorithm_name(release::v4_1, foreign::allgather, 4) == "ring");
    CHECK(algorithm_name(release::v4_1, foreign::allgather, 8).empty());
    CHECK(algorithm_name(release::v6_0, foreign::allgather, 8) == "direct-messaging");
    CHECK(openmpi_counterparts(collective::alltoall) == std::vector{foreign::alltoall, foreign::alltoallv});
    CHECK(openmpi_counterparts(collective::neighbor_allgather).empty());
    CHECK(has_rules(release::v5_0, foreign::allgatherv));
    CHECK(!has_rules(release::v6_0, foreign::allgatherv));
    CHECK(selects_by_size(foreign::allreduce));
    CHECK(!selects_by_size(foreign::barrier));
}

TEST_CASE("openmpi_equivalents: a promise about programs permits more numbers") {
    CHECK(numbers_of(release::v4_1, foreign::allreduce, {}) == std::vector{3, 6});
    CHECK(numbers_of(release::v4_1, foreign::allreduce, {.commutative_only = true}) == std::vector{3, 4, 6});
    CHECK(numbers_of(release::v4_1, foreign::allgather, {}).empty());
    const auto segments = [](openmpi_rules::promise promise) {
        const auto all = openmpi_equivalents(release::v4_1, foreign::bcast, promise);
        return std::ranges::count_if(all, &openmpi_rules::algorithm::segments_are_right);
    };
    CHECK(segments({}) == 0);
    CHECK(segments({.equal_arguments = true}) == 3);
}

TEST_CASE("openmpi_choice: prices equivalents, and returns the cheapest of MPICH") {
    const auto steps = [](const any_schedule& s) -> picoseconds { return s.steps(); };
    const auto list = compiled::whole_registry();
    const auto all = openmpi_equivalents(release::v4_1, foreign::allreduce, {});
    REQUIRE(all.size() == 2);
    const auto priced = price_openmpi(allreduce_of(8), list, all[0], steps);
    REQUIRE(priced);
    CHECK(std::string_view(priced->entry->info.name) == "recursive-doubling");
    CHECK(priced->cost == 3);
    CHECK(!price_openmpi(allreduce_of(8), list, {.number = 99}, steps));
    CHECK(std::string_view(cheapest_of_mpich(allreduce_of(8), list, steps)) ==
          "MPIR_Allreduce_intra_recursive_doubling");
    choice::request scan = allreduce_of(8);
    scan.collective = collective::scan;
    CHECK(cheapest_of_mpich(scan, list, steps) == nullptr);
}
