#include "collsched/execute/tcp/detail/shared_state.hpp"

#include <doctest/doctest.h>

using namespace collsched::detail::tcp;

TEST_CASE("shared_state: reports a death until it is acknowledged, then the next one") {
    shared_state state;
    CHECK(state.dead == -1);
    state.note_death(3);
    state.note_death(1);
    CHECK(state.dead == 3);
    state.acknowledge(3);
    CHECK(state.dead == 1);
    state.acknowledge(1);
    CHECK(state.dead == -1);
}

TEST_CASE("shared_state: a death that was acknowledged before it was noted is not reported") {
    shared_state state;
    state.acknowledge(2);
    state.note_death(2);
    CHECK(state.dead == -1);
    state.note_death(0);
    CHECK(state.dead == 0);
}
