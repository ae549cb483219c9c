#include "collsched/select/decide.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "support/registry.hpp"

using namespace collsched;

namespace {

const std::vector<decision> table = {
    {.collective = collective::allreduce, .ranks = 2, .bytes = 0, .algorithm = "recursive-doubling"},
    {.collective = collective::allreduce, .ranks = 2, .bytes = 4096, .commutative = true, .algorithm = "ring"},
    {.collective = collective::allreduce, .ranks = 4, .ranks_per_node = 2, .bytes = 0, .algorithm = "rabenseifner"},
    {.collective = collective::broadcast, .ranks = 2, .bytes = 0, .algorithm = "k-nomial", .radix = 4},
    {.collective = collective::allgather, .ranks = 2, .bytes = 0, .algorithm = "ring"},
    {.collective = collective::allgather, .ranks = 3, .bytes = 0, .algorithm = "swing"},
    {.collective = collective::allgather, .ranks = 3, .bytes = 8, .algorithm = "no-such"},
};

choice::request call(rank_t p, bytes_t m) {
    return {.collective = collective::allreduce, .parameters = {.ranks = p, .bytes = m}};
}
choice::request ordered(rank_t p, bytes_t m) {
    choice::request request = call(p, m);
    request.keeps_order = true;
    return request;
}
std::string_view chosen(choice::request request, rank_t ranks_per_node = 1) {
    request.ranks_per_node = ranks_per_node;
    const decision::result made = decide(table, request, compiled::registry());
    return made.row == nullptr ? "none" : made.row->algorithm;
}

}  // namespace

TEST_CASE("decide: the row that takes precedence is chosen, with its parameters") {
    CHECK(chosen(call(8, 100)) == "recursive-doubling");
    CHECK(chosen(call(8, 4096)) == "ring");
    CHECK(chosen(call(8, 4096), 2) == "rabenseifner");
    CHECK(chosen(call(3, 4096), 2) == "ring");
    CHECK(chosen(call(1, 4096)) == "none");
    const choice::request request{.collective = collective::broadcast, .parameters = {.ranks = 9, .bytes = 7}};
    const decision::result made = decide(table, request, compiled::registry());
    REQUIRE(made.entry != nullptr);
    CHECK((made.parameters.radix == 4 && made.parameters.ranks == 9 && made.parameters.bytes == 7));
    CHECK(std::string_view(made.entry->info.name) == "k-nomial");
}

TEST_CASE("decide: a row for commutative operations does not serve others") {
    CHECK(chosen(ordered(8, 4096)) == "recursive-doubling");
}

TEST_CASE("decide: rows whose algorithm does not serve the call are skipped, with the reason") {
    const auto made = [](rank_t p, bytes_t block) {
        return decide(table, {.collective = collective::allgather, .parameters = {.ranks = p, .block = block}},
                      compiled::registry());
    };
    const decision::result nine = made(9, 4);
    REQUIRE(nine.row != nullptr);
    CHECK(std::string_view(nine.row->algorithm) == "ring");
    REQUIRE(nine.skipped.size() == 2);
    CHECK(nine.skipped[0].row == &table[6]);
    CHECK(std::string_view(nine.skipped[0].error.text().c_str()).starts_with("algorithm"));
    CHECK(nine.skipped[1].row == &table[5]);
    CHECK(made(8, 0).row == &table[5]);
    CHECK(decide(table, {.collective = collective::scan, .parameters = {.ranks = 4}}, compiled::registry()).row ==
          nullptr);
}

TEST_CASE("decide: rows whose schedule lacks the class of brackets are skipped") {
    choice::request request = call(8, 4096);
    request.parameters.element = 8;
    request.bits = association_class::canonical;
    CHECK(chosen(request) == "recursive-doubling");
    const decision::result made = decide(table, request, compiled::registry());
    REQUIRE(made.skipped.size() == 1);
    CHECK(made.skipped.front().error.argument == std::string_view("association"));
    CHECK(made.skipped.front().error.value == static_cast<std::int64_t>(association_class::rank));
    request.parameters.ranks = 6;  // folded
    CHECK(chosen(request) == "none");
    request.bits = association_class::position;
    CHECK(chosen(request) == "recursive-doubling");
}

TEST_CASE("decide: one table has rows for all calls and for calls that need a class") {
    std::vector<decision> rows = {table[0], table[1]};
    rows.push_back({.collective = collective::allreduce,
                    .ranks = 2,
                    .association = association_class::canonical,
                    .algorithm = "interval-doubling"});
    rows.push_back({.collective = collective::allreduce,
                    .ranks = 2,
                    .association = association_class::canonical,
                    .algorithm = "chain"});
    choice::request request = call(6, 4096);
    request.parameters.element = 8;
    const auto made = [&](association_class level) {
        request.bits = level;
        return decide(rows, request, compiled::registry());
    };
    CHECK(made(association_class::any).row == &rows[1]);
    CHECK(made(association_class::rank).row == &rows[1]);
    const decision::result canonical = made(association_class::canonical);
    CHECK(canonical.row == &rows[2]);
    // The ring has more bytes, and rows for all calls come first. The class of a row is proved.
    REQUIRE(canonical.skipped.size() == 3);
    CHECK((canonical.skipped[1].row == &rows[0] && canonical.skipped[2].row == &rows[3]));
}

TEST_CASE("decide: the choice is that of find_decision where every row serves the call") {
    for (rank_t p = 1; p <= 16; ++p)
        for (const bytes_t m : {0, 4095, 4096, 100'000})
            for (rank_t per_node = 1; per_node <= 3; ++per_node) {
                choice::request request = call(p, m);
                request.ranks_per_node = per_node;
                CHECK(decide(table, request, compiled::registry()).row ==
                      find_decision(
                          table,
                          {.collective = collective::allreduce, .ranks = p, .bytes = m, .ranks_per_node = per_node}));
            }
}

TEST_CASE("decide: the reason why a row is skipped has its argument, value and text") {
    const auto reason = [](const decision& row, const choice::request& request) {
        const decision::result made = decide(std::span(&row, 1), request, compiled::registry());
        CHECK((made.row == nullptr && made.entry == nullptr && made.skipped.size() == 1));
        CHECK(made.parameters.ranks == request.parameters.ranks);
        return made.skipped.empty() ? argument_error{} : made.skipped.front().error;
    };
    const decision unknown{.collective = collective::allreduce, .algorithm = "no-such"};
    CHECK(reason(unknown, call(8, 4096)) == argument_error{"algorithm", 0, "one of 'collsched list'"});
    const decision reordering{.collective = collective::allreduce, .algorithm = "ring"};
    CHECK(reason(reordering, ordered(8, 4096)) ==
          argument_error{"commutative", 1, "a schedule that keeps the order of operands"});
    CHECK(decision::result().row == nullptr);
    CHECK(decision::result().entry == nullptr);
    CHECK(decision::result::skipped_row().row == nullptr);
}

TEST_CASE("decide: the last of equal rows takes precedence, and the others are skipped in that order") {
    const decision unknown{.collective = collective::allreduce, .algorithm = "no-such"};
    const std::vector<decision> rows(40, unknown);
    const decision::result made = decide(rows, call(8, 4096), compiled::registry());
    REQUIRE(made.skipped.size() == 40);
    for (std::size_t i = 0; i < 40; ++i) CHECK(made.skipped[i].row == &rows[39 - i]);
}

TEST_CASE("decide: the size of a request in tables is that of the message or of all blocks, 0 for a barrier") {
    CHECK(table_bytes(call(8, 100)) == 100);
    CHECK(table_bytes({.collective = collective::allgather, .parameters = {.ranks = 3, .block = 5}}) == 15);
    CHECK(table_bytes({.collective = collective::barrier, .parameters = {.ranks = 3, .block = 5, .bytes = 9}}) == 0);
}

TEST_CASE("decide: rows for several ranks per node serve by the placement where the request has no number") {
    choice::request request = call(8, 4096);
    request.parameters.placement = topology::placement::block(8, 4);
    CHECK(decide(table, request, compiled::registry()).row->algorithm == std::string_view("rabenseifner"));
    CHECK(chosen(request, 1) == "ring");
}

TEST_CASE("decide: schedules with more steps than the limit are skipped, and segments are whole elements") {
    choice::request request = call(8, 4096);
    request.step_limit = 13;  // the ring has more
    const decision::result made = decide(table, request, compiled::registry());
    REQUIRE(made.row != nullptr);
    CHECK(made.row->algorithm == std::string_view("recursive-doubling"));
    REQUIRE(made.skipped.size() == 1);
    const step_t steps =
        find_algorithm(compiled::registry(), collective::allreduce, "ring")->make(request.parameters).steps();
    CHECK(made.skipped.front().error == argument_error{"steps", steps, "no more than the limit of the request"});
    const decision segmented{.collective = collective::allreduce, .algorithm = "chain", .segment = 1000};
    for (const auto& [element, expected] : {std::pair<bytes_t, bytes_t>{1, 1000}, {48, 960}, {2048, 2048}}) {
        choice::request sum = call(4, 6144);
        sum.parameters.element = element;
        CHECK(decide(std::span(&segmented, 1), sum, compiled::registry()).parameters.segment == expected);
    }
}

TEST_CASE("decide: the function of a request gives the class of brackets") {
    choice::request request = call(8, 4096);
    request.bits = association_class::canonical;
    request.class_of = [](const algorithm_entry& entry, const shape& parameters) {
        CHECK(parameters.ranks == 8);
        return entry.info.name == std::string_view("ring") ? association_class::canonical : association_class::any;
    };
    CHECK(chosen(request) == "ring");
}
