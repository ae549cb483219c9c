#include "collsched/core/edge.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace collsched;

TEST_CASE("edge: its kind follows from its ends and size") {
    static_assert(edge{.src = 1, .dst = 1, .size = 3}.is_local());
    static_assert(edge{.src = 1, .dst = 2}.is_signal());
    static_assert(!edge{.src = 1, .dst = 1}.is_signal());
    static_assert(edge{.action = action::combine_after}.combines() && !edge{}.combines());
    static_assert(edge{.from_offset = 4, .into_offset = 6, .size = 3}.source() == byte_range{4, 3});
    static_assert(edge{.from_offset = 4, .into_offset = 6, .size = 3}.target() == byte_range{6, 3});
}

TEST_CASE("edge: by default copies nothing from rank 0's input to its output in step 0") {
    static_assert(edge{} == edge{0, 0, 0, 0, 0, 0, buffer::input, buffer::output, action::copy});
}

TEST_CASE("edge: the canonical order is total, by step, src, dst, from_offset first") {
    std::vector<edge> ascending{edge{}};
    const auto then = [&](edge e) { ascending.push_back(e); };
    then({.action = action::combine_before});
    then({.size = 1});
    then({.into_offset = 1});
    then({.into = buffer::scratch});
    then({.from = buffer::output});
    then({.from_offset = 1});
    then({.dst = 1});
    then({.src = 1});
    then({.step = 1});
    for (std::size_t i = 0; i < ascending.size(); ++i)
        for (std::size_t j = 0; j < ascending.size(); ++j) CHECK(precedes(ascending[i], ascending[j]) == (i < j));
}

TEST_CASE("edge: a later edge differs in its step alone") {
    constexpr edge e{.step = 2, .src = 1, .dst = 3, .size = 5, .action = action::combine_after};
    edge moved = detail::delayed(e, 4);
    CHECK(moved.step == 6);
    moved.step = e.step;
    CHECK(moved == e);
}

TEST_CASE("edge: names are those of the written format") {
    CHECK(std::string(name_of(buffer::input)) == "input");
    CHECK(std::string(name_of(buffer::output)) == "output");
    CHECK(std::string(name_of(buffer::scratch)) == "scratch");
    CHECK(std::string(name_of(action::copy)) == "copy");
    CHECK(std::string(name_of(action::combine_before)) == "combine_before");
    CHECK(std::string(name_of(action::combine_after)) == "combine_after");
}
