#include "examples/programs/collsched/foreign/openmpi_rules.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "examples/programs/collsched/foreign/openmpi_algorithms.hpp"

using namespace collsched;
using namespace collsched::foreign;
using namespace collsched::detail;

namespace {

bool right(openmpi_rules::release version, openmpi_rules::collective what, int number,
           openmpi_rules::program_properties programs, bool segmented = false) {
    const openmpi_algorithm* row = find_openmpi_algorithm(version, what, number);
    REQUIRE(row != nullptr);
    return is_right(*row, programs, segmented);
}

}  // namespace

TEST_CASE("Open MPI rules: an empty rule holds for all ranks and sizes, and lets Open MPI decide") {
    const openmpi_rules::rule all{};
    CHECK((all.collective == openmpi_rules::collective::barrier && all.ranks == 0 && all.bytes == 0));
    CHECK((all.last_ranks == INT64_MAX && all.last_bytes == INT64_MAX));
    CHECK((all.number == 0 && all.fan == 0 && all.segment == 0 && all.requests == 0));
    CHECK((all.remark.empty() && all.line == 0));
}

TEST_CASE("Open MPI rules: without an assumption a number must be correct for every program") {
    using enum openmpi_rules::collective;
    for (const openmpi_rules::release version : openmpi_versions) {
        for (const int number : {2, 3, 4, 5}) CHECK(!right(version, reduce, number, {}));
        for (const int number : {1, 6, 7}) CHECK(right(version, reduce, number, {}));
        for (const int number : {2, 3}) CHECK(!right(version, reduce_scatter, number, {}));
        for (const int number : {1, 4}) CHECK(right(version, reduce_scatter, number, {}));
        for (const int number : {4, 5}) CHECK(!right(version, allreduce, number, {}));
        for (const int number : {4, 8, 9}) CHECK(!right(version, bcast, number, {}));
        for (const int number : {2, 3, 5, 6, 7}) {
            CHECK(right(version, bcast, number, {}));
            CHECK(!right(version, bcast, number, {}, true));
        }
        for (const openmpi_algorithm& row : openmpi_algorithms)
            if (row.holds(version) && info_of(row.collective).reads_ignored) CHECK(!is_right(row, {}, false));
    }
}

TEST_CASE("Open MPI rules: an assumption about operators is none about datatypes, and vice versa") {
    using enum openmpi_rules::collective;
    const openmpi_rules::program_properties commutes{.commutative_only = true}, equal{.equal_arguments = true};
    const openmpi_rules::release version = openmpi_rules::release::v4_1;
    for (const int number : {2, 3, 4, 5}) {
        CHECK(right(version, reduce, number, commutes));
        CHECK(!right(version, reduce, number, equal));
    }
    for (const int number : {4, 8, 9}) {
        CHECK(!right(version, bcast, number, commutes));
        CHECK(right(version, bcast, number, equal));
    }
    CHECK(!right(version, alltoall, 3, commutes));
    CHECK(right(version, alltoall, 3, equal));
    // Nothing makes these right.
    const openmpi_rules::program_properties both{true, true};
    CHECK(!right(version, allgather, 6, both));
    CHECK(!right(version, scatter, 2, both));
    CHECK(right(openmpi_rules::release::v5_0, scatter, 2, both));
    CHECK(!right(version, allreduce, 5, both, true));
    CHECK(!right(openmpi_rules::release::v5_0, allgather, 7, both));
}

TEST_CASE("Open MPI rules: a rule ends where the next one of its collective begins") {
    using enum openmpi_rules::collective;
    std::vector<openmpi_rules::rule> rules = {{.collective = allreduce, .ranks = 4},
                                              {.collective = allreduce, .ranks = 4, .bytes = 100},
                                              {.collective = allreduce, .ranks = 16},
                                              {.collective = bcast, .ranks = 2}};
    end_rules(rules);
    CHECK(rules[0].last_ranks == 15);
    CHECK(rules[0].last_bytes == 99);
    CHECK(rules[1].last_ranks == 15);
    CHECK(rules[1].last_bytes == openmpi_rules::rule::no_end);
    CHECK(rules[2].last_ranks == openmpi_rules::rule::no_end);
    CHECK(rules[3].last_ranks == openmpi_rules::rule::no_end);
    rules[3].last_ranks = 77;
    end_rules(std::span(rules).first(3));
    CHECK(rules[3].last_ranks == 77);  // outside the span
    CHECK(rules[0].same_as(rules[0]));
    CHECK(!rules[0].same_as(rules[1]));
}

TEST_CASE("Open MPI rules: versions have a name, and a tag or commit where their numbers were read") {
    for (const openmpi_rules::release version : openmpi_versions) {
        CHECK(find_openmpi_version(name_of(version)) == version);
        const std::string_view source = source_of(version);
        const bool tag = source.starts_with("v" + std::string(name_of(version)));
        CHECK((tag || (source.size() == 40 && source.find_first_not_of("0123456789abcdef") == source.npos)));
    }
    CHECK(!find_openmpi_version("main"));
    CHECK(!find_openmpi_version("4.2"));
    CHECK(!find_openmpi_version(""));
}

TEST_CASE("Open MPI rules: collectives have the numbers of rules files") {
    using enum openmpi_rules::collective;
    const openmpi_rules::collective numbered[] = {
        allgather, allgatherv, allreduce, alltoall, alltoallv, barrier,        barrier,
        bcast,     exscan,     gather,    gather,   reduce,    reduce_scatter, reduce_scatter_block,
        scan,      scatter};
    for (int number = 0; number < 16; ++number)
        if (number != 5 && number != 10) CHECK(static_cast<int>(numbered[number]) == number);
    static_assert(openmpi_rules::most_rules == 1'048'576);
    CHECK((openmpi_rules().format == 1 && !openmpi_rules().version));
    CHECK(openmpi_rules::finding().line == 0);
}

TEST_CASE("Open MPI rules: rules that differ in one member are not the same, except for remark and line") {
    const openmpi_rules::rule rule{};
    const auto same = [&](auto member, auto value) {
        openmpi_rules::rule other = rule;
        other.*member = value;
        return other.same_as(rule);
    };
    using row = openmpi_rules::rule;
    CHECK_FALSE(same(&row::collective, openmpi_rules::collective::scan));
    for (const auto member : {&row::ranks, &row::last_ranks, &row::bytes, &row::last_bytes, &row::number, &row::fan,
                              &row::segment, &row::requests})
        CHECK_FALSE(same(member, 7));
    CHECK((same(&row::remark, "text") && same(&row::line, 7)));
}

TEST_CASE("Open MPI rules: the ends of all ranges, as text files imply them") {
    using enum openmpi_rules::collective;
    constexpr std::int64_t end = openmpi_rules::rule::no_end;
    struct range {
        openmpi_rules::collective what;
        std::int64_t ranks, bytes, last_ranks, last_bytes;
    };
    const range expected[] = {{allreduce, 0, 0, 3, 7},   {allreduce, 0, 8, 3, 63},   {allreduce, 0, 64, 3, end},
                              {allreduce, 4, 0, 8, end}, {allreduce, 9, 0, end, 99}, {allreduce, 9, 100, end, end},
                              {bcast, 9, 200, end, end}, {gather, 1, 0, 1, end},     {gather, 2, 5, end, end}};
    std::vector<openmpi_rules::rule> rules;
    for (const range& one : expected)
        rules.push_back(
            {.collective = one.what, .ranks = one.ranks, .last_ranks = 1, .bytes = one.bytes, .last_bytes = 1});
    end_rules(rules);
    for (std::size_t i = 0; i < rules.size(); ++i) {
        CAPTURE(i);
        CHECK(rules[i].last_ranks == expected[i].last_ranks);
        CHECK(rules[i].last_bytes == expected[i].last_bytes);
    }
}
