#include "collsched/group/detail/kept_plans.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <utility>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/group/irregular_calls.hpp"

using namespace collsched;

namespace {

struct no_run {};
using plans = detail::kept_plans<no_run>;

/// A call whose key is that of n counts.
struct counted_call {
    explicit counted_call(std::int64_t n) : counts{n, 1} {}
    collective_call get() { return calls::allgatherv(values, counts); }

    std::vector<int> values{1, 2, 3};
    std::vector<std::int64_t> counts;
};

plans::entry& keep(plans& all, std::int64_t n) {
    counted_call call(n);  // goes: the plan has a copy of the counts
    return all.keep({.key = detail::call_key(call.get()), .steps = plan(allgather::ring{.ranks = 2, .block = 8}, 0)});
}
plans::entry* find(plans& all, std::int64_t n) {
    counted_call call(n);
    return all.find(call.get());
}

}  // namespace

TEST_CASE("kept_plans: a plan is found by an equal key") {
    plans all(1 << 20);
    CHECK(find(all, 1) == nullptr);
    plans::entry& first = keep(all, 1);
    plans::entry& second = keep(all, 2);
    CHECK((find(all, 1) == &first && find(all, 2) == &second && find(all, 2) == &second && find(all, 3) == nullptr));
    CHECK(all.size() == 2);
    CHECK(all.memory() == first.memory + second.memory);
    CHECK(first.memory >= first.steps.footprint());
}

TEST_CASE("kept_plans: beyond the bound those that were not used for longest go, except those in use") {
    plans all(10'000);
    keep(all, 1).in_use = 1;
    keep(all, 2);
    plans::entry& third = keep(all, 3);
    find(all, 2);
    all.add_memory(third, 1000);
    CHECK((all.size() == 3 && third.memory >= 1000));
    const bytes_t rest = all.memory();
    all.add_memory(*find(all, 2), 10'000 - third.memory);
    CHECK(all.size() == 2);
    CHECK((find(all, 3) == nullptr && find(all, 1) != nullptr && find(all, 2) != nullptr));
    CHECK(all.memory() < rest + 10'000);
    all.add_memory(*find(all, 1), 20'000);
    CHECK((all.size() == 1 && find(all, 1) != nullptr && find(all, 2) == nullptr));
}

TEST_CASE("kept_plan: the buffers of a plan are at their offsets in the memory of a call") {
    std::vector<int> values(4);
    plans::entry one{.key = {}, .input_at = 8, .output_at = 4};
    const bound_buffers at = one.buffers(calls::allgather(values));
    CHECK(at.input == reinterpret_cast<const std::byte*>(values.data() + 2));
    CHECK(at.output == reinterpret_cast<std::byte*>(values.data() + 1));
}
