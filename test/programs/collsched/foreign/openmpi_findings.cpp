#include "examples/programs/collsched/foreign/openmpi_findings.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace collsched;
using namespace collsched::foreign;

namespace {

/// The findings of rules, joined, or "".
std::string found(std::vector<openmpi_rules::rule> rules, openmpi_rules::release version, bool json = false) {
    if (!json) end_rules(rules);
    std::string all;
    for (const openmpi_rules::finding& one : openmpi_findings(rules, version, json)) all += one.text + "\n";
    return all;
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

using enum openmpi_rules::collective;
using enum openmpi_rules::release;

TEST_CASE("findings: rules that are correct for all programs have none") {
    CHECK(found({{.collective = allreduce, .number = 3}, {.collective = reduce, .number = 6, .segment = 1024}}, v4_1) ==
          "");
    CHECK(
        found({{.collective = allreduce, .ranks = 1, .number = 0}, {.collective = allreduce, .ranks = 8, .number = 3}},
              v5_0) == "");
}

TEST_CASE("findings: a number that the version lacks") {
    CHECK(has(found({{.collective = allgather, .number = 8}}, v5_0),
              "number 8 does not exist in Open MPI 5.0: the call fails"));
    CHECK(has(found({{.collective = scatter, .number = 3}}, v4_0), "does not exist"));
    CHECK(has(found({{.collective = allreduce, .number = 99}}, v6_0, true), "the rule is ignored"));
}

TEST_CASE("findings: numbers that are wrong for some programs") {
    for (const int number : {2, 3, 4, 5})
        CHECK(has(found({{.collective = reduce, .number = number}}, v4_1), "do not commute"));
    CHECK(has(found({{.collective = bcast, .number = 8}}, v4_1), "different datatypes of one signature"));
    CHECK(has(found({{.collective = bcast, .number = 6, .segment = 1024}}, v4_1), "with segments"));
    CHECK(found({{.collective = bcast, .number = 6}}, v4_1) == "");
    CHECK(has(found({{.collective = allreduce, .number = 5, .segment = 1024}}, v4_1), "some datatypes"));
    CHECK(has(found({{.collective = allreduce, .number = 5, .segment = 1024}}, v4_1),
              ") with segments is wrong or fails for some datatypes"));
    CHECK(has(found({{.collective = barrier, .number = 5}}, v4_1), "fails on other than 2 ranks"));
    for (const rank_t next : {3, 4})  // for 2 ranks alone, and for 2 and 3
        CHECK(has(found({{.collective = barrier, .ranks = 2, .number = 5},
                         {.collective = barrier, .ranks = next, .number = 1}},
                        v4_1),
                  "fails on other than 2 ranks") == (next == 4));
    CHECK(has(found({{.collective = gather, .number = 1}}, v4_1), "no datatype"));
}

TEST_CASE("findings: ranks and sizes out of order, and a first rule that holds for fewer ranks") {
    CHECK(has(found({{.collective = allreduce, .ranks = 8, .number = 3}}, v4_1), "uses it on fewer ranks too"));
    CHECK(has(found({{.collective = allreduce, .ranks = 8}, {.collective = allreduce, .ranks = 4}}, v4_1),
              "ranks do not ascend"));
    CHECK(has(
        found({{.collective = allreduce}, {.collective = allreduce, .bytes = 8}, {.collective = allreduce, .bytes = 8}},
              v4_1),
        "sizes do not ascend"));
    CHECK(has(found({{.collective = allreduce, .bytes = 8}}, v4_1), "ignores the whole file"));
    CHECK(has(found({{.collective = scan, .number = 1}, {.collective = scan, .bytes = 8, .number = 2}}, v4_1),
              "several sizes"));
    CHECK(has(found({{.collective = gather}, {.collective = gather, .bytes = 8, .number = 2}}, v6_0, true),
              "several sizes"));
    // In JSON order is free, since ranges are written in full.
    CHECK(found({{.collective = allreduce, .ranks = 8, .bytes = 8, .number = 3}}, v6_0, true) == "");
}

TEST_CASE("findings: each rule is compared with the one before it, and has its full name") {
    // The rules before the checked ones are not theirs: reading them would change the findings.
    std::vector<openmpi_rules::rule> rules(10, {.collective = allreduce});
    const std::size_t first = rules.size();
    for (const openmpi_rules::rule& rule : {openmpi_rules::rule{.collective = gather, .number = 1},
                                            {.collective = gather, .ranks = 8, .number = 99},
                                            {.collective = gather, .ranks = 8, .bytes = 8, .number = 0},
                                            {.collective = bcast, .number = 1},
                                            {.collective = bcast, .ranks = 4, .number = 8},
                                            {.collective = bcast, .ranks = 2, .number = 1},
                                            {.collective = reduce, .number = 2},
                                            {.collective = reduce, .ranks = 8, .number = 0},
                                            {.collective = reduce, .ranks = 8, .bytes = 8, .number = 0},
                                            {.collective = reduce, .ranks = 8, .bytes = 8, .number = 0},
                                            {.collective = scatter, .number = 1}})
        rules.push_back(rule);
    end_rules(rules);
    std::string all;
    for (const openmpi_rules::finding& one : openmpi_findings(std::span(rules).subspan(first), v4_1, false))
        all += one.text + "\n";
    CHECK(
        all ==
        "gather: rules fail where an argument that MPI ignores is no datatype\n"
        "gather: number 99 does not exist in Open MPI 4.1: the call fails with MPI_ERR_ARG\n"
        "gather: several sizes: ranks that pass different arguments where MPI ignores them select differently\n"
        "bcast: number 8 (scatter_allgather) is wrong or fails where ranks pass different datatypes of one signature\n"
        "bcast: numbers of ranks do not ascend\n"
        "reduce: number 2 (chain) is wrong for operators that do not commute\n"
        "reduce: sizes do not ascend\n"
        "scatter: rules fail where an argument that MPI ignores is no datatype\n");
}
