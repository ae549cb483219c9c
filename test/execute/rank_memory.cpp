#include "collsched/execute/rank_memory.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"

using namespace collsched;

TEST_CASE("bound_plan: has scratch and staging, and reports memory that does not fit") {
    const allgather::bruck s{.ranks = 4, .block = 8};
    std::vector<std::byte> in(8), out(32), all(32);
    bound_plan fitting(s, 1, {in, out});
    CHECK(!fitting.outcome().failed());
    CHECK(fitting.buffers().scratch != nullptr);
    CHECK(fitting.buffers().input == in.data());
    out.resize(31);
    const bound_plan tight(s, 1, {in, out});
    const bound_plan apart(s, 1, {in, all}, binding::in_place);
    CHECK(apart.outcome().error == not_in_place);
    const bound_plan together(s, 1, {std::span(all).subspan(8, 8), all}, binding::in_place);
    CHECK(!together.outcome().failed());
    CHECK(tight.outcome().error == small_buffer);
    CHECK(tight.outcome().rank == 1);
}

TEST_CASE("rank_memory: an in-place binding requires the buffer of the input even on ranks without a result") {
    const std::vector<bytes_t> counts{4, 0};
    const reduce_scatter::ring s{.ranks = 2, .block = block_layout(counts)};
    std::vector<std::byte> all(4);
    const bound_plan nowhere(s, 1, {all, {}}, binding::in_place);
    CHECK(nowhere.outcome().error == not_in_place);
    const bound_plan there(s, 1, {all, std::span(all).first(0)}, binding::in_place);
    CHECK(!there.outcome().failed());
    const bound_plan apart(s, 1, {all, {}});
    CHECK(!apart.outcome().failed());
    const scatter::linear from{.ranks = 2, .block = block_layout(counts)};
    const bound_plan root(from, 1, {{}, {}}, binding::in_place);
    CHECK(!root.outcome().failed());
}

TEST_CASE("bound_plan: separate input and output must not overlap") {
    const allgather::bruck s{.ranks = 4, .block = 8};
    std::vector<std::byte> all(48);
    for (const std::size_t input : {0U, 1U, 7U, 8U, 39U, 40U}) {
        CAPTURE(input);
        const bound_plan own(s, 1, {std::span(all).subspan(input, 8), std::span(all).subspan(8, 32)});
        const bool apart = input == 0 || input == 40;
        CHECK(static_cast<bool>(own.check()) == !apart);
        if (!apart) CHECK(own.outcome().error == not_in_place);
        if (!apart)
            CHECK(std::string(own.check().text().c_str()) ==
                  "memory: got 1, expected input and output that do not overlap");
    }
}
