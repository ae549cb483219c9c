#include "collsched/execute/rank_memory.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/reduce_scatter/ring.hpp"
#include "collsched/collective/scatter/linear.hpp"

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

TEST_CASE("in place, what holds the input is needed also where there is no result") {
    const std::vector<bytes_t> counts{4, 0};
    const reduce_scatter::ring s{{.ranks = 2, .block = block_layout(counts)}};
    std::vector<std::byte> all(4);
    const equipped_plan nowhere(s, 1, {all, {}}, binding::in_place);
    CHECK(nowhere.trouble().error == not_in_place);
    const equipped_plan there(s, 1, {all, std::span(all).first(0)}, binding::in_place);
    CHECK(!there.trouble().failed());
    const equipped_plan apart(s, 1, {all, {}});
    CHECK(!apart.trouble().failed());
    const scatter::linear from{{.ranks = 2, .block = block_layout(counts)}};
    const equipped_plan root(from, 1, {{}, {}}, binding::in_place);
    CHECK(!root.trouble().failed());
}
