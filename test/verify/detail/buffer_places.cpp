#include "collsched/verify/detail/buffer_places.hpp"

#include <doctest/doctest.h>

#include "support/small_schedules.hpp"

using namespace collsched;
using namespace collsched::detail;

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
    CHECK(found([](edge& e) { e.size = -1; }) == finding::bad_edge);
    CHECK(found([](edge& e) { e.from_offset = 1; }) == finding::outside_buffer);
    CHECK(found([](edge& e) { e.into_offset = 9; }) == finding::outside_buffer);
    CHECK(found([](edge& e) { e.into = buffer::input; }) == finding::writes_input);
    CHECK(found([](edge& e) {
              e.dst = 0;
              e.from = buffer::output;
              e.into_offset = 3;
          }) == finding::local_overlap);
    CHECK(found([](edge& e) { e.dst = 0; }) == finding::none);
}
