#include "collsched/execute/plan_cache.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <memory>
#include <thread>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"

using namespace collsched;

namespace {

/// An allgather that counts how often its edges are generated.
struct counted {
    rank_t ranks = 1;
    block_layout block = 0;

    static inline int walks = 0;
    static constexpr algorithm_info info{
        .collective = collective::allgather, .name = "counted", .rounds = "p-1", .source = "a test"};

    step_t steps() const { return ranks - 1; }
    void targets(rank_t r, step_t k, auto f) const {
        ++walks;
        f(wrap(r + k + 1, ranks));
    }
    void sources(rank_t r, step_t k, auto f) const { f(wrap(r - k - 1, ranks)); }
    void message(rank_t src, rank_t, step_t, auto f) const { f(block_interval{src, 1}); }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("block", self.block);
    }
    bool operator==(const counted&) const = default;
};

allgather::ring ring_of(bytes_t block) { return {.ranks = 4, .block = block}; }

}  // namespace

TEST_CASE("plan_cache: schedule, rank and binding identify a plan") {
    plan_cache cache;
    const auto first = cache.get(ring_of(8), 1);
    CHECK(cache.get(ring_of(8), 1) == first);
    CHECK(cache.get(ring_of(8), 2) != first);
    CHECK(cache.get(ring_of(9), 1) != first);
    CHECK(cache.get(ring_of(8), 1, binding::in_place) != first);
    CHECK(cache.size() == 4);
    CHECK(first->key() == plan(ring_of(8), 1).key());
}

TEST_CASE("plan_cache: a plan that is in the cache is not made again") {
    plan_cache cache;
    const counted s{.ranks = 4, .block = 8};
    const auto first = cache.get(s, 1);
    const int walks = counted::walks;
    CHECK(walks > 0);
    CHECK(cache.get(s, 1) == first);
    CHECK(counted::walks == walks);
}

TEST_CASE("plan_cache: the least recently used plan is evicted, and its holders keep it") {
    plan_cache cache(2);
    const auto first = cache.get(ring_of(1), 0), second = cache.get(ring_of(2), 0);
    CHECK(cache.get(ring_of(1), 0) == first);
    cache.get(ring_of(3), 0);
    CHECK(cache.size() == 2);
    CHECK(cache.get(ring_of(1), 0) == first);
    CHECK(cache.get(ring_of(2), 0) != second);
    CHECK(second->output_bytes() == 8);
    plan_cache none(0);
    CHECK(none.get(ring_of(1), 0)->output_bytes() == 4);
    CHECK(none.size() == 0);
}

TEST_CASE("plan_cache: wrong parameters throw and are not stored") {
    plan_cache cache;
    CHECK_THROWS(cache.get(ring_of(-1), 0));
    CHECK_THROWS(cache.get(ring_of(1), 4));
    CHECK(cache.size() == 0);
}

TEST_CASE("plan_cache: threads share a cache") {
    plan_cache cache(8);
    std::vector<std::jthread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 2000; ++i) {
                const bytes_t block = 1 + i % 12;
                if (cache.get(ring_of(block), 3)->output_bytes() != 4 * block) ++wrong;
            }
        });
    threads.clear();
    CHECK(wrong == 0);
    CHECK(cache.size() <= 8);
}

TEST_CASE("plan_cache: concurrent requests for the same plan return one plan") {
    for (int round = 0; round < 50; ++round) {
        plan_cache cache(2);
        const auto kept = cache.get(ring_of(1), 0);
        std::barrier together(4);
        std::array<std::shared_ptr<const plan>, 4> got;
        std::vector<std::jthread> threads;
        for (auto& mine : got)
            threads.emplace_back([&] {
                together.arrive_and_wait();
                mine = cache.get(ring_of(2), 0);
            });
        threads.clear();
        CHECK(cache.size() == 2);
        CHECK(cache.get(ring_of(1), 0) == kept);
        for (const auto& mine : got) CHECK(mine == cache.get(ring_of(2), 0));
    }
}
