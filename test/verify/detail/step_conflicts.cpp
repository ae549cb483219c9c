#include "collsched/verify/detail/step_conflicts.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/layouts.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

struct use {
    byte_use access;
    bytes_t begin, end;
};

/// Compares all pairs by the rules of a step.
bool meet(const std::vector<use>& uses) {
    for (std::size_t i = 0; i < uses.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const use &a = uses[i], &b = uses[j];
            if (a.begin >= b.end || b.begin >= a.end) continue;
            if (a.access == byte_use::copied || b.access == byte_use::copied) return true;
            if (a.access == byte_use::combined && b.access == byte_use::read_by_combine) return true;
            if (b.access == byte_use::combined && a.access == byte_use::read_by_combine) return true;
        }
    return false;
}

/// Whether many overlapping uses of one kind conflict with a use of another kind, which begins with them or behind them.
constexpr bool many_meet(byte_use kind, byte_use other, bytes_t begin) {
    step_conflicts conflicts(1);
    conflicts.clear();
    for (bytes_t i = 0; i < 8; ++i) conflicts.add(0, kind, i % 2, 20);
    conflicts.add(0, other, begin, begin + 1);
    return conflicts.any();
}
constexpr bool combines_and_reads_by_combine_conflict() {
    for (const bytes_t begin : {0, 19, 20}) {
        const bool together = begin < 20;
        if (many_meet(byte_use::combined, byte_use::combined, begin) ||
            many_meet(byte_use::read, byte_use::combined, begin) ||
            many_meet(byte_use::combined, byte_use::read, begin) ||
            many_meet(byte_use::read_by_combine, byte_use::read, begin) ||
            many_meet(byte_use::combined, byte_use::read_by_combine, begin) != together ||
            many_meet(byte_use::read_by_combine, byte_use::combined, begin) != together ||
            many_meet(byte_use::read, byte_use::copied, begin) != together)
            return false;
    }
    return many_meet(byte_use::copied, byte_use::read, 20);
}
static_assert(combines_and_reads_by_combine_conflict());

}  // namespace

TEST_CASE("step_conflicts: conflicts equal those of a comparison of all pairs, for few uses or many") {
    support::random_source random(17);
    step_conflicts conflicts(2);
    constexpr byte_use all[] = {byte_use::read, byte_use::read_by_combine, byte_use::copied, byte_use::combined};
    int met = 0, apart = 0;
    for (int round = 0; round < 6000; ++round) {
        conflicts.clear();
        CHECK(!conflicts.any());
        std::vector<use> here[2];
        const std::int64_t most = round % 3 == 0 ? 12 : 4, room = 6 * most;
        for (std::int64_t n = 2 + random.below(2 * most); n > 0; --n) {
            const std::int64_t place = random.below(2);
            const bytes_t begin =
                here[place].empty() || random.below(2) == 0 ? random.below(room) : here[place].back().end;
            const use fresh{all[random.below(4)], begin, begin + 1 + random.below(3)};
            here[place].push_back(fresh);
            conflicts.add(place, fresh.access, fresh.begin, fresh.end);
        }
        const bool expected = meet(here[0]) || meet(here[1]);
        REQUIRE(conflicts.any() == expected);
        ++(expected ? met : apart);
    }
    CHECK(met > 100);
    CHECK(apart > 100);
}

namespace {

const contract allgather{.collective = collective::allgather, .ranks = 3, .blocks = 4};

}  // namespace

TEST_CASE("buffer_places: separate buffers have a memory each, and in place the input is within the output") {
    const stored_schedule s = support::by_hand(allgather, 1, {}, 5, 0);
    const buffer_places separate(s, binding::separate), in_place(s, binding::in_place);
    CHECK(separate.of(1, buffer::input).slot == 3);
    CHECK(separate.of(1, buffer::input).size == 4);
    CHECK(separate.of(1, buffer::output).slot == 4);
    CHECK(separate.of(1, buffer::output).size == 12);
    CHECK(separate.of(1, buffer::scratch).slot == 5);
    CHECK(separate.of(1, buffer::scratch).size == 5);
    CHECK(in_place.of(1, buffer::input).slot == 4);
    CHECK(in_place.of(1, buffer::input).offset == 4);
    CHECK(in_place.of(1, buffer::output).offset == 0);
}

TEST_CASE("buffer_places: a copy of bytes to themselves vanishes in place only") {
    const stored_schedule s = support::by_hand(allgather, 1, {}, 0, 0);
    const edge own{.src = 2, .dst = 2, .into_offset = 8, .size = 4}, other{.src = 2, .dst = 2, .size = 4};
    CHECK(!buffer_places(s, binding::separate).vanishes(own));
    CHECK(buffer_places(s, binding::in_place).vanishes(own));
    CHECK(!buffer_places(s, binding::in_place).vanishes(other));
}

TEST_CASE("buffer_places: an edge that is wrong by itself has a finding") {
    const buffer_places places(support::by_hand(allgather, 1, {}, 0, 0), binding::separate);
    const edge good{.src = 0, .dst = 1, .size = 4};
    CHECK(places.fits(good));
    CHECK(places.check(good).ok());
    const auto found = [&](auto change) {
        edge e = good;
        change(e);
        CHECK(!places.fits(e));
        return places.check(e).finding;
    };
    CHECK(found([](edge& e) { e.size = -1; }) == verdict::kind::bad_edge);
    CHECK(found([](edge& e) { e.from_offset = 1; }) == verdict::kind::outside_buffer);
    CHECK(found([](edge& e) { e.into_offset = 9; }) == verdict::kind::outside_buffer);
    CHECK(found([](edge& e) { e.into = buffer::input; }) == verdict::kind::writes_input);
    CHECK(found([](edge& e) {
              e.dst = 0;
              e.from = buffer::output;
              e.into_offset = 3;
          }) == verdict::kind::local_overlap);
    CHECK(found([](edge& e) { e.dst = 0; }) == verdict::kind::none);
}

TEST_CASE("buffer_places: one byte fits; a signal has no bytes to fit, and is no error between ranks") {
    const buffer_places places(support::by_hand(allgather, 1, {}, 0, 0), binding::separate);
    const edge byte{.src = 0, .dst = 1, .size = 1}, signal{.src = 0, .dst = 1},
        into_input{.dst = 1, .into = buffer::input};
    CHECK(places.fits(byte));
    for (const edge& e : {signal, into_input}) {
        CHECK(!places.fits(e));
        CHECK(places.check(e).ok());
    }
    CHECK(places.check({.size = 1}).ok());
    CHECK(places.check({}).finding == verdict::kind::local_overlap);
}

TEST_CASE("buffer_places: an error names the step, the rank, the buffer and the first byte") {
    const buffer_places places(support::by_hand(allgather, 1, {}, 0, 0), binding::separate);
    const edge e{.step = 3, .src = 1, .dst = 2, .from_offset = 1, .into_offset = 7, .size = 2, .from = buffer::output};
    CHECK(places.check(e).ok());
    const auto judge = [&](auto change) {
        edge changed = e;
        change(changed);
        return places.check(changed);
    };
    CHECK(judge([](edge& x) { x.size = -1; }) == verdict{verdict::kind::bad_edge, 3, 1, buffer::output, 1});
    CHECK(judge([](edge& x) { x.from_offset = 11; }) ==
          verdict{verdict::kind::outside_buffer, 3, 1, buffer::output, 11});
    CHECK(judge([](edge& x) { x.into_offset = 11; }) ==
          verdict{verdict::kind::outside_buffer, 3, 2, buffer::output, 11});
    CHECK(judge([](edge& x) { x.into = buffer::input, x.into_offset = 2; }) ==
          verdict{verdict::kind::writes_input, 3, 2, buffer::input, 2});
    CHECK(judge([](edge& x) { x.dst = 1, x.into_offset = 2; }) ==
          verdict{verdict::kind::local_overlap, 3, 1, buffer::output, 2});
}

TEST_CASE("buffer_places: a copy within a rank may touch the bytes that it reads, but not overlap them") {
    const stored_schedule s = support::by_hand(allgather, 1, {}, 0, 0);
    const auto found = [&](buffer from, bytes_t from_offset, bytes_t into_offset, binding binding) {
        return buffer_places(s, binding)
            .check(
                {.src = 1, .dst = 1, .from_offset = from_offset, .into_offset = into_offset, .size = 3, .from = from})
            .finding;
    };
    for (bytes_t from = 0; from <= 9; ++from)
        for (bytes_t into = 0; into <= 9; ++into) {
            const bool apart = into >= from + 3 || from >= into + 3;
            const verdict::kind expected = apart ? verdict::kind::none : verdict::kind::local_overlap;
            CHECK(found(buffer::output, from, into, binding::separate) == expected);
            if (from > 1) continue;
            CHECK(found(buffer::input, from, into, binding::separate) == verdict::kind::none);
            // The input begins at byte 4 of the output. A copy of bytes to themselves vanishes.
            const bool harmless = into == 4 + from || into >= 4 + from + 3 || 4 + from >= into + 3;
            CHECK(found(buffer::input, from, into, binding::in_place) ==
                  (harmless ? verdict::kind::none : verdict::kind::local_overlap));
        }
}
