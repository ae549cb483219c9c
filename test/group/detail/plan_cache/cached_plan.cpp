#include "collsched/group/detail/plan_cache.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/group/calls.hpp"

using namespace collsched;

namespace {

struct planned_run {};

}  // namespace

TEST_CASE("cached_plan: the key of irregular calls refers to the numbers of the plan, also after a move") {
    detail::cached_plan<planned_run> one;
    std::vector<int> values{1, 2, 3};
    {
        const std::vector<std::int64_t> counts{2, 1};
        one.key = detail::call_key(calls::allgatherv(values, counts));
        one.key.keep_numbers(one.numbers);
    }
    const detail::cached_plan<planned_run> moved = std::move(one);
    CHECK(moved.numbers == std::vector<std::int64_t>{2, 1});
    CHECK(moved.key.is_of(calls::allgatherv(values, std::vector<std::int64_t>{2, 1})));
    CHECK(!moved.key.is_of(calls::allgatherv(values, std::vector<std::int64_t>{1, 2})));
}

TEST_CASE("cached_plan: its bytes, and the addresses of its buffers in the memory of a call") {
    detail::cached_plan<planned_run> one;
    const bytes_t empty = one.footprint();
    one.numbers = {1, 2, 3};
    CHECK(one.footprint() == empty + 24);
    one.steps = plan(allgather::ring{.ranks = 4, .block = 8}, 0);
    CHECK(one.footprint() == empty + 24 + one.steps.footprint() - plan().footprint());
    std::array<int, 4> in{}, out{};
    collective_call call;
    call.input = std::as_bytes(std::span(in));
    call.output = std::as_writable_bytes(std::span(out));
    one.input_at = 4, one.output_at = 8;
    const plan::buffers bound = one.buffers(call);
    CHECK(bound.input == call.input.data() + 4);
    CHECK(bound.output == call.output.data() + 8);
}
