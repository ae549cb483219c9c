#include "collsched/execute/rank_memory.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective.hpp"

using namespace collsched;

TEST_CASE("an equipped plan has scratch and staging, and says what does not fit") {
    const allgather::bruck s{.ranks = 4, .block = 8};
    std::vector<std::byte> in(8), out(32), all(32);
    equipped_plan fitting(s, 1, {in, out});
    CHECK(!fitting.trouble().failed());
    CHECK(fitting.buffers().scratch != nullptr);
    CHECK(fitting.buffers().input == in.data());
    out.resize(31);
    const equipped_plan tight(s, 1, {in, out});
    const equipped_plan apart(s, 1, {in, all}, binding::in_place);
    CHECK(apart.trouble().error == not_in_place);
    const equipped_plan together(s, 1, {std::span(all).subspan(8, 8), all}, binding::in_place);
    CHECK(!together.trouble().failed());
    CHECK(tight.trouble().error == small_buffer);
    CHECK(tight.trouble().rank == 1);
}
