#include "collsched/group/plan_cache.hpp"

#include <doctest/doctest.h>

#include <cstdint>

using namespace collsched;

namespace {

/// Key of the calls with a number; those with the same rest have equal hashes.
struct numbered_key {
    std::int64_t number = 0;

    bool is_of(const numbered_key& call) const { return number == call.number; }
    std::uint64_t hash() const { return static_cast<std::uint64_t>(number % 1000); }
};
struct numbered_plan {
    numbered_key key{};
    bytes_t bytes = 0;

    bytes_t footprint() const { return bytes; }
};
using plans = plan_cache<numbered_plan>;

plans::entry& keep(plans& all, std::int64_t n, bytes_t bytes = 100) { return all.add({.key = {n}, .bytes = bytes}); }
plans::entry* find(plans& all, std::int64_t n) { return all.find(numbered_key{n}); }

}  // namespace

TEST_CASE("plan_cache: a plan is found by an equal key") {
    plans::budget budget{1 << 20};
    {
        plans all(budget);
        CHECK(find(all, 1) == nullptr);
        plans::entry& first = keep(all, 1);
        plans::entry& second = keep(all, 2, 50);
        CHECK((find(all, 1) == &first && find(all, 2) == &second && find(all, 2) == &second));
        CHECK(find(all, 3) == nullptr);
        CHECK((all.size() == 2 && all.memory() == 150 && budget.bytes == 150));
        plans::entry& same_hash = keep(all, 1001);
        CHECK((find(all, 1001) == &same_hash && find(all, 2) == &second && find(all, 1) == nullptr));
        CHECK(find(all, 1001) == &same_hash);
    }
    CHECK(budget.bytes == 0);
}

TEST_CASE("plan_cache: beyond the bound those that were not used for longest go, except those in use") {
    plans::budget budget{350};
    plans all(budget);
    keep(all, 1).in_use = 1;
    keep(all, 2);
    plans::entry& third = keep(all, 3);
    CHECK(find(all, 2) != nullptr);
    all.add_memory(third, 50);
    CHECK((all.size() == 3 && third.memory == 150));
    all.add_memory(*find(all, 2), 1);
    CHECK((all.size() == 2 && all.memory() == 201));
    CHECK((find(all, 3) == nullptr && find(all, 1) != nullptr && find(all, 2) != nullptr));
    all.add_memory(*find(all, 1), 400);
    CHECK((all.size() == 1 && find(all, 1) != nullptr && find(all, 2) == nullptr));
}

TEST_CASE("plan_cache: owners share a bound, and give up plans of their own") {
    plans::budget budget{300};
    plans first(budget), second(budget);
    keep(first, 1), keep(first, 2);
    keep(second, 1);
    CHECK((first.size() == 2 && second.size() == 1 && budget.bytes == 300));
    keep(second, 2, 150);
    CHECK((first.size() == 2 && second.size() == 1 && find(second, 2) != nullptr));
    CHECK(budget.bytes == 350);  // the last plan of an owner stays
    keep(first, 3);
    CHECK((first.size() == 1 && find(first, 3) != nullptr && budget.bytes == 250));
    second.trim(150);
    CHECK(second.size() == 1);
    second.trim(149);
    CHECK((second.size() == 0 && second.memory() == 0 && budget.bytes == 100));
    first.trim(0);
    CHECK((first.size() == 0 && budget.bytes == 0));
}
