#include "collsched/select/decision_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using namespace collsched::detail;

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

namespace {

decision row(const char* algorithm, bytes_t bytes, picoseconds time, bool commutative = false, rank_t ranks = 4) {
    return {.collective = collective::allreduce,
            .ranks = ranks,
            .bytes = bytes,
            .commutative = commutative,
            .algorithm = algorithm,
            .origin = decision::source::measured,
            .time = time};
}

}  // namespace

TEST_CASE("fastest_decisions: the fastest row of each size, and the first from 0 bytes on") {
    const std::vector<decision> table = fastest_decisions(std::vector{
        row("b", 64, 7), row("a", 8, 5), row("b", 8, 6), row("a", 64, 8), row("b", 512, 9), row("c", 8, 1, false, 9)});
    CHECK(table == std::vector{row("a", 0, 5), row("b", 64, 7), row("c", 0, 1, false, 9)});
    CHECK(fastest_decisions({}).empty());
}

TEST_CASE("fastest_decisions: each call gets the fastest algorithm that serves it") {
    const char* const names[] = {"a", "b", "c", "d"};
    detail::splitmix64 bits(3);
    for (int trial = 0; trial < 500; ++trial) {
        std::vector<decision> measured;
        for (const bytes_t bytes : {8, 64, 512, 4096, 32'768})
            for (int i = 0; i < 4; ++i)
                measured.push_back(row(names[i], bytes, static_cast<picoseconds>(1 + bits() % 50), i < 2));
        const std::vector<decision> table = fastest_decisions(measured);
        for (const decision& one : measured)
            for (const bool commutative : {false, true}) {
                picoseconds least = INT64_MAX, chosen = INT64_MAX;
                const decision* const found = find_decision(
                    table, {.collective = one.collective, .ranks = 4, .bytes = one.bytes, .commutative = commutative});
                REQUIRE(found != nullptr);
                for (const decision& other : measured) {
                    if (other.bytes != one.bytes || (other.commutative && !commutative)) continue;
                    least = std::min(least, other.time);
                    if (std::string_view(other.algorithm) == found->algorithm) chosen = other.time;
                }
                CHECK(chosen == least);
            }
    }
}

TEST_CASE("fastest_decisions: without a row that keeps the order there is none for other operations") {
    const std::vector<decision> table = fastest_decisions(std::vector{row("a", 8, 5, true), row("b", 8, 6, true)});
    CHECK(table == std::vector{row("a", 0, 5, true)});
}

TEST_CASE("parameter values: values are in order, fit the shape, and are unique") {
    for (const rank_t p : {1, 2, 7, 12, 64})
        for (const bytes_t bytes : {bytes_t{0}, bytes_t{5000}, bytes_t{1} << 24})
            for (const decision::free_parameter& one : free_parameters) {
                std::vector<std::int64_t> values = values_of(one, {.ranks = p, .bytes = bytes, .element = 24});
                if (one.value == &shape::segment) {
                    REQUIRE(values.front() == 0);
                    std::reverse(values.begin() + 1, values.end());
                }
                CHECK(std::ranges::is_sorted(values));
                CHECK(std::ranges::adjacent_find(values) == values.end());
            }
}

TEST_CASE("parameter values: segments are whole elements, from half the message to 8 bytes, at most 4096 of them") {
    const decision::free_parameter segment = free_parameters[0];
    CHECK(values_of(segment, {.ranks = 4, .bytes = 5000, .element = 24}) ==
          std::vector<std::int64_t>{0, 4080, 2040, 1008, 504, 240, 120, 48, 24});
    CHECK(values_of(segment, {.ranks = 4, .bytes = 33}) == std::vector<std::int64_t>{0, 32, 16, 8});
    CHECK(values_of(segment, {.ranks = 4, .bytes = 8}) == std::vector<std::int64_t>{0});
    CHECK(values_of(segment, {.ranks = 4, .bytes = (bytes_t{1} << 62) + 1})[1] == bytes_t{1} << 62);
    CHECK(values_of(segment, {.ranks = 4, .bytes = bytes_t{1} << 30}).back() == bytes_t{1} << 18);
    CHECK(values_of(segment, {.ranks = 4, .block = 8}).size() == 3);  // blocks together: 16, 8
}

TEST_CASE("parameter values: rejected shapes have values too") {
    const decision::free_parameter segment = free_parameters[0];
    CHECK(values_of(segment, {.ranks = 8, .bytes = 33, .element = 0}) == std::vector<std::int64_t>{0, 32, 16, 8});
    CHECK(values_of(segment, {.ranks = 8, .block = block_layout(std::vector<int>{8, 8})}).size() == 1);
    CHECK(values_of(segment, {.ranks = 8, .block = bytes_t{1} << 62}).size() == 1);
}

TEST_CASE("parameter values: groups are divisors and powers of two, radices at most p") {
    CHECK(values_of(free_parameters[1], {.ranks = 12}) == std::vector<std::int64_t>{1, 2, 3, 4, 6, 8, 12});
    CHECK(values_of(free_parameters[2], {.ranks = 5}) == std::vector<std::int64_t>{2, 3, 4, 5});
    CHECK(values_of(free_parameters[3], {.ranks = 5}) == std::vector<std::int64_t>{1, 2, 4, 8});
    CHECK(values_of(free_parameters[4], {.ranks = 5}) == std::vector<std::int64_t>{0, 1, 2, 4});
    CHECK(values_of(free_parameters[4], {.ranks = 48}) == std::vector<std::int64_t>{0, 1, 2, 4, 8, 16, 32});
    const std::vector<std::int64_t> radices{2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64};
    for (rank_t p = 1; p <= 70; ++p) {
        std::vector<std::int64_t> expected(radices.begin(), std::ranges::upper_bound(radices, p));
        for (const std::int64_t power : {1, 2, 3}) {
            std::int64_t root = 1;
            while (power == 1 ? root < p : power == 2 ? root * root < p : root * root * root < p) ++root;
            if (root > 1) expected.push_back(root);
        }
        std::ranges::sort(expected);
        expected.erase(std::ranges::unique(expected).begin(), expected.end());
        CHECK(values_of(free_parameters[2], {.ranks = p}) == expected);
    }
}
