#include "collsched/select/decision_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>
#include <vector>

using namespace collsched;

namespace {

constexpr decision rows[] = {
    {.collective = collective::allreduce, .ranks = 2, .bytes = 0, .algorithm = "recursive-doubling"},
    {.collective = collective::allreduce, .ranks = 2, .bytes = 4096, .algorithm = "ring"},
    {.collective = collective::allreduce, .ranks = 16, .bytes = 0, .algorithm = "segmented-ring", .segment = 1024},
    {.collective = collective::broadcast, .ranks = 2, .bytes = 0, .algorithm = "k-nomial", .segment = 0, .radix = 4},
};

constexpr const char* chosen(collective what, rank_t p, bytes_t m) {
    const decision* row = find_decision(rows, {.collective = what, .ranks = p, .bytes = m});
    return row == nullptr ? "none" : row->algorithm;
}

static_assert(decision{}.collective == collective::barrier && decision{}.ranks == 1 && decision{}.bytes == 0 &&
              decision{}.ranks_per_node == 1 && !decision{}.commutative && decision{}.algorithm[0] == '\0' &&
              decision{}.association == association_class::any);
static_assert(decision{}.origin == decision::source::stated && decision{}.time == 0 && decision{}.time_low == 0 &&
              decision{}.time_high == 0 && decision{}.runs == 0);
static_assert(decision{}.segment == shape::as_it_is && decision{}.radix == shape::as_it_is &&
              decision{}.group == shape::as_it_is && decision{}.aggregate == shape::as_it_is &&
              decision{}.window == shape::as_it_is);

// The table of a program is usable during constant evaluation.
static_assert(find_decision(rows, {.collective = collective::allreduce, .ranks = 8, .bytes = 5000}) == &rows[1]);
static_assert(decided(rows[3], {.ranks = 8, .bytes = 100}).radix == 4);
static_assert(decided(rows[0], {.ranks = 8, .bytes = 100, .segment = 7}).segment == 7);

}  // namespace

TEST_CASE("decision_table: a row holds from its ranks and bytes on, the most ranks before the most bytes") {
    const auto is = [](collective what, rank_t p, bytes_t m, std::string_view name) {
        return chosen(what, p, m) == name;
    };
    CHECK(is(collective::allreduce, 1, 100, "none"));
    CHECK(is(collective::allreduce, 2, 0, "recursive-doubling"));
    CHECK(is(collective::allreduce, 15, 4095, "recursive-doubling"));
    CHECK(is(collective::allreduce, 15, 4096, "ring"));
    CHECK(is(collective::allreduce, 16, 4096, "segmented-ring"));
    CHECK(is(collective::allreduce, 1000, 1 << 30, "segmented-ring"));
    CHECK(is(collective::reduce, 8, 100, "none"));
}

TEST_CASE("decision_table: more ranks per node precede more bytes, and a commutative row one for all operations") {
    const std::vector<decision> table = {
        {.collective = collective::scan, .ranks = 4, .ranks_per_node = 2, .bytes = 0, .algorithm = "a"},
        {.collective = collective::scan, .ranks = 4, .bytes = 100, .commutative = true, .algorithm = "b"},
        {.collective = collective::scan, .ranks = 4, .bytes = 100, .algorithm = "c"},
        {.collective = collective::scan, .ranks = 4, .bytes = 0, .algorithm = "d"},
        {.collective = collective::scan, .ranks = 4, .bytes = 0, .algorithm = "e"}};
    const auto is = [&](const decision::call& call, std::string_view name) {
        const decision* row = find_decision(table, call);
        return row != nullptr && row->algorithm == name;
    };
    const decision::call four{.collective = collective::scan, .ranks = 4, .bytes = 99};
    CHECK(is(four, "e"));
    decision::call call = four;
    call.bytes = 100;
    CHECK(is(call, "b"));
    call.commutative = false;
    CHECK(is(call, "c"));
    call.ranks_per_node = 2;
    CHECK(is(call, "a"));
}

TEST_CASE("decision_table: a row for a class serves calls that need it or a lower one, the lowest class first") {
    using enum association_class;
    const auto row = [](association_class level, bytes_t bytes, const char* name) {
        return decision{.collective = collective::allreduce, .bytes = bytes, .association = level, .algorithm = name};
    };
    std::vector<decision> table = {row(any, 0, "any"), row(any, 100, "more"), row(rank, 0, "rank"),
                                   row(position, 0, "position"), row(canonical, 0, "canonical")};
    const auto found = [&](association_class level, bytes_t bytes) {
        const decision* best = find_decision(
            table, {.collective = collective::allreduce, .ranks = 1, .bytes = bytes, .association = level});
        return std::string_view(best == nullptr ? "none" : best->algorithm);
    };
    for (int turn = 0; turn < 2; ++turn) {  // whatever the order of the rows
        for (const association_class level : {any, rank, position, canonical}) CHECK(found(level, 0) == name_of(level));
        CHECK(found(any, 100) == "more");
        for (const association_class level : {rank, position, canonical}) CHECK(found(level, 100) == name_of(level));
        for (const decision& one : table)
            for (const association_class level : {any, rank, position, canonical})
                if (one.bytes == 0) CHECK(one.precedes(row(level, 0, "")) == (one.association <= level));
        std::ranges::reverse(table);
    }
    std::erase_if(table, [](const decision& one) { return one.association == position; });
    CHECK(found(position, 0) == "canonical");
    std::erase_if(table, [](const decision& one) { return one.association == canonical; });
    CHECK((found(canonical, 0) == "none" && found(position, 100) == "none" && found(rank, 100) == "rank"));
    table.push_back(row(rank, 0, "again"));
    CHECK(found(rank, 0) == "again");
    table.push_back({.collective = collective::broadcast, .algorithm = "chain"});  // combines nothing
    CHECK(find_decision(table, {.collective = collective::broadcast, .association = canonical}) == &table.back());
}

TEST_CASE("decision_table: rows that differ in one member are not equal") {
    const decision row{.collective = collective::scan, .algorithm = "a"};
    const auto differs = [&](auto member, auto value) {
        decision other = row;
        other.*member = value;
        return other != row;
    };
    CHECK(decision{.collective = collective::scan, .algorithm = "a"} == row);
    CHECK(differs(&decision::collective, collective::exscan));
    CHECK(differs(&decision::algorithm, "b"));
    CHECK(differs(&decision::commutative, true));
    CHECK(differs(&decision::association, association_class::rank));
    CHECK(differs(&decision::origin, decision::source::measured));
    for (const auto member : {&decision::segment, &decision::radix, &decision::group, &decision::aggregate,
                              &decision::window, &decision::runs, &decision::time, &decision::time_low,
                              &decision::time_high, &decision::bytes, &decision::ranks, &decision::ranks_per_node})
        CHECK(differs(member, 77));
}

TEST_CASE("decided: takes every parameter of the row, the segment only where the row has one") {
    const shape wanted{.ranks = 5, .bytes = 64, .segment = 7, .radix = 3, .group = 3, .aggregate = 3, .window = 3};
    const decision row{.segment = 16, .radix = 4, .group = 6, .aggregate = 8, .window = 9};
    const shape found = decided(row, wanted);
    CHECK((found.ranks == 5 && found.bytes == 64));
    CHECK((found.segment == 16 && found.radix == 4 && found.group == 6 && found.aggregate == 8 && found.window == 9));
    decision open = row;
    open.segment = shape::as_it_is;
    CHECK(decided(open, wanted).segment == 7);
}

TEST_CASE("decision: the text of the calls that a row is for") {
    decision row{.collective = collective::reduce, .algorithm = "linear"};
    CHECK(text_of(row) == "from 1 rank and 0 bytes");
    row.ranks = 3, row.ranks_per_node = 2, row.bytes = 1024, row.association = association_class::canonical;
    CHECK(text_of(row) == "from 3 ranks, 2 per node and 1024 bytes, class canonical");
}

TEST_CASE("decision: a row for a class fits calls that need it or a lower class, and no others") {
    constexpr association_class all[] = {association_class::any, association_class::rank, association_class::position,
                                         association_class::canonical};
    for (const association_class of_row : all)
        for (const association_class of_call : all) {
            const decision row{.collective = collective::allreduce, .association = of_row, .algorithm = "ring"};
            const bool expected = of_row == association_class::any ||
                                  (of_call != association_class::any &&
                                   static_cast<int>(of_call) <= static_cast<int>(of_row));
            CHECK(row.fits({.collective = collective::allreduce, .association = of_call}) == expected);
        }
}
