#include "collsched/format/schedules/write_goal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/simulate/loggops_run.hpp"
#include "collsched/tree/binomial.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/loggops_oracle.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

/// Requires that each line of a GOAL file has one of the grammar's five forms, and returns the number of operations.
std::int64_t operations_of(const std::string& text) {
    static const std::regex header("num_ranks [0-9]+"), block(R"(rank [0-9]+ \{|\})"),
        operation(
            R"(o[0-9]+: (send [1-9][0-9]*b to [0-9]+ tag [0-9]+|recv [1-9][0-9]*b from [0-9]+ tag [0-9]+|calc [0-9]+))"),
        requirement("o[0-9]+ requires o[0-9]+");
    std::istringstream lines(text);
    std::string line;
    REQUIRE((std::getline(lines, line) && std::regex_match(line, header)));
    std::int64_t operations = 0;
    while (std::getline(lines, line)) {
        CAPTURE(line);
        const bool is_operation = std::regex_match(line, operation);
        REQUIRE((is_operation || std::regex_match(line, block) || std::regex_match(line, requirement)));
        operations += is_operation ? 1 : 0;
    }
    return operations;
}

/// Times of all hosts in picoseconds by the rules of LogGOPSim, from the text alone.
std::vector<picoseconds> oracle_times(const std::string& text, const loggops_model& m) {
    std::vector<picoseconds> times = support::loggops_finish_times(support::read_goal(text), {.L = m.latency_ns,
                                                                                              .o = m.overhead_ns,
                                                                                              .g = m.gap_ns,
                                                                                              .G = m.byte_gap_ns,
                                                                                              .O = m.byte_overhead_ns,
                                                                                              .S = m.eager_bytes});
    for (picoseconds& time : times) time *= 1000;
    return times;
}

std::string text_of(const goal_program& program) {
    std::string text;
    write_goal(std::back_inserter(text), program);
    return text;
}

}  // namespace

TEST_CASE("write_goal: the format, line by line") {
    const broadcast::over_tree<trees::binomial> s{.ranks = 3, .bytes = 10, .segment = 5};
    CHECK(
        text_of(goal_program(execution_graph(s, binding::in_place))) ==
        "num_ranks 3\n"
        "rank 0 {\no0: send 5b to 2 tag 0\no1: send 5b to 1 tag 0\no2: send 5b to 2 tag 1\no3: send 5b to 1 tag 1\n}\n"
        "rank 1 {\no0: recv 5b from 0 tag 0\no1: recv 5b from 0 tag 1\n}\n"
        "rank 2 {\no0: recv 5b from 0 tag 0\no1: recv 5b from 0 tag 1\n}\n");
}

TEST_CASE("write_goal: host times are those of an independent simulator that reads the text") {
    const bool full = support::long_run();
    support::random_source random(11);
    const auto any = [&](std::int64_t least, std::int64_t most) { return least + random.below(most - least + 1); };
    for (int round = 0; round < 200 / static_cast<int>(support::one_of());) {
        const rank_t p = round % 8 == 0 ? any(17, full ? 64 : 40) : any(1, 16);
        const std::vector<algorithm_entry> all = support::registered_at(p);
        const algorithm_entry& entry = all[static_cast<std::size_t>(random.below(std::ssize(all)))];
        const bytes_t bytes = any(0, 1) == 0 ? any(1, 40) : any(1000, 200'000);
        const any_schedule s = entry.make({.ranks = p,
                                           .root = random.below(p),
                                           .block = bytes,
                                           .bytes = bytes,
                                           .segment = any(0, 1) == 0 ? 0 : 1 + bytes / any(1, 4)});
        const loggops_model model{.latency_ns = any(0, 3000),
                                  .overhead_ns = any(0, 2000),
                                  .gap_ns = any(0, 1500),
                                  .byte_gap_ns = any(0, 6),
                                  .byte_overhead_ns = any(0, 2),
                                  .eager_bytes = any(0, 1) == 0 ? 65535 : bytes / any(1, 4)};
        if (s.check()) continue;
        INFO(name_of(entry.info.collective), " ", entry.info.name, " p ", p, " bytes ", bytes);
        const goal_program program(execution_graph(s), {.copy_fs = any(0, 100'000), .combine_fs = any(0, 200'000)});
        if (program.operations().size() > 2500) continue;
        const std::string text = text_of(program);
        REQUIRE(operations_of(text) == std::ssize(program.operations()));
        CHECK(std::ranges::equal(oracle_times(text, model), simulate(program, model).finish));
        ++round;
    }
}

TEST_CASE("write_goal: completion times are those that LogGOPSim prints") {
    struct measured {
        collective what;
        const char* algorithm;
        shape wanted;
        std::int64_t ns;  // 0: not recorded, only the oracle is compared
    };
    const measured runs[] = {
        {collective::broadcast, "scatter-ring", {.ranks = 3, .bytes = 70'000}, 581'980},
        {collective::allgather, "recursive-doubling", {.ranks = 6, .block = 100}, 27'370},
        {collective::allgather, "recursive-multiplying", {.ranks = 8, .block = 9000}, 1'314'958},
        {collective::broadcast, "scatter-ring", {.ranks = 6, .bytes = 1000}, 0},
        {collective::allreduce, "pat", {.ranks = 6, .bytes = 10'000}, 0},
        {collective::allreduce, "swing", {.ranks = 6, .bytes = 70'000}, 0},
    };
    const loggops_model model{
        .latency_ns = 2500, .overhead_ns = 1500, .gap_ns = 1000, .byte_gap_ns = 6, .eager_bytes = 65'535};
    for (const measured& run : runs) {
        CAPTURE(std::string(run.algorithm));
        const auto all = compiled::registry();
        const auto entry = std::ranges::find_if(all, [&](const algorithm_entry& one) {
            return one.info.collective == run.what && std::string(run.algorithm) == one.info.name;
        });
        REQUIRE(entry != all.end());
        for (const binding how : {binding::separate, binding::in_place}) {
            const goal_program program(execution_graph(entry->make(run.wanted), how));
            const simulation times = simulate(program, model);
            CHECK(std::ranges::equal(oracle_times(text_of(program), model), times.finish));
            if (run.ns != 0) CHECK(times.completion == 1000 * run.ns);
        }
    }
}
