#include "examples/programs/collsched/foreign/openmpi_algorithms.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::foreign;
using namespace collsched::detail;

TEST_CASE("Open MPI algorithms: every listed algorithm exists here with the parameters of its row") {
    for (const openmpi_algorithm& row : openmpi_algorithms) {
        if (row.algorithm == nullptr) continue;
        CAPTURE(info_of(row.collective).name);
        CAPTURE(row.algorithm);
        const algorithm_entry* found = nullptr;
        for (const algorithm_entry& entry : compiled::registry())
            if (entry.info.collective == info_of(row.collective).collective &&
                entry.info.name == std::string_view(row.algorithm))
                found = &entry;
        REQUIRE(found != nullptr);
        if (row.segments != right_for::none) CHECK(found->takes(&shape::segment));
        if (row.radix != shape::as_it_is) CHECK(found->takes(&shape::radix));
        CHECK(!found->make({.ranks = 8, .block = 64, .bytes = 512, .radix = row.radix}).check());
    }
}

TEST_CASE("Open MPI algorithms: a version has each number once, from 1 on without gaps") {
    for (const openmpi_rules::release version : openmpi_versions)
        for (const openmpi_collective_info& one : openmpi_collectives) {
            CAPTURE(name_of(version));
            CAPTURE(one.name);
            std::vector<int> numbers;
            for (const openmpi_algorithm& row : openmpi_algorithms)
                if (row.collective == one.id && row.holds(version)) numbers.push_back(row.number);
            for (std::size_t i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == static_cast<int>(i) + 1);
            CHECK(!numbers.empty());
        }
}

TEST_CASE("Open MPI algorithms: numbers that a version lacks are not found") {
    using enum openmpi_rules::collective;
    using enum openmpi_rules::release;
    struct row {
        openmpi_rules::collective what;
        int number;
        bool found[4];
    };
    const row expected[] = {{allgather, 6, {true, true, true, true}},    {allgather, 7, {false, false, true, true}},
                            {allgather, 8, {false, false, false, true}}, {allgather, 9, {false, false, false, false}},
                            {allgatherv, 6, {false, false, true, true}}, {allreduce, 7, {false, false, false, true}},
                            {reduce, 8, {false, false, false, true}},    {scatter, 3, {false, true, true, true}},
                            {bcast, 9, {true, true, true, true}},        {bcast, 0, {false, false, false, false}}};
    for (const row& one : expected)
        for (const openmpi_rules::release version : openmpi_versions) {
            CAPTURE(one.number);
            CHECK((find_openmpi_algorithm(version, one.what, one.number) != nullptr) ==
                  one.found[static_cast<std::size_t>(version)]);
        }
}

TEST_CASE("Open MPI algorithms: a substitute is not priced as the algorithm") {
    CHECK(is_among(8, rank_counts::powers_of_two));
    CHECK(!is_among(6, rank_counts::powers_of_two));
    CHECK(is_among(6, rank_counts::even));
    CHECK(!is_among(7, rank_counts::even));
    CHECK(is_among(2, rank_counts::two));
    CHECK(!is_among(4, rank_counts::two));
    CHECK(is_among(7, rank_counts::any));
}

TEST_CASE("Open MPI algorithms: the numbers with a radix, a fan, segments or requests") {
    std::string radix, fan, segments, requests;
    for (const openmpi_algorithm& row : openmpi_algorithms) {
        const std::string name = std::string(info_of(row.collective).name) + " " + std::to_string(row.number);
        const auto list = [&](std::string& all, const std::string& value) { all += name + value + "\n"; };
        if (row.radix != shape::as_it_is) list(radix, ": " + std::to_string(row.radix));
        if (row.fan != 0) list(fan, ": " + std::to_string(row.fan));
        if (takes_segments(row)) list(segments, "");
        if (row.takes_requests) list(requests, "");
        const foreign_algorithm equivalent = row.equivalent(row.number == 1);
        CHECK((equivalent.collective == info_of(row.collective).collective && equivalent.algorithm == row.algorithm));
        CHECK((equivalent.takes_segments == (row.number == 1) && equivalent.radix == row.radix));
        CHECK(equivalent.ranks == row.ranks);
    }
    CHECK(radix ==
          "allgather 2: 2\nallgather 2: 2\nallgatherv 2: 2\nalltoall 3: 2\nbarrier 4: 2\nbcast 2: 4\nbcast 5: "
          "2\nreduce 2: 4\n"
          "reduce 4: 2\n");
    CHECK(fan == "allgather 2: 2\nbcast 2: 4\nreduce 2: 4\n");
    CHECK(segments ==
          "allreduce 5\nbcast 2\nbcast 3\nbcast 4\nbcast 5\nbcast 6\nbcast 7\n"
          "reduce 2\nreduce 3\nreduce 4\nreduce 5\nreduce 6\n");
    CHECK(requests == "alltoall 4\n");
}
