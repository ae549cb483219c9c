#include "collsched/core/detail/heap.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "support/layouts.hpp"

using collsched::detail::heap;
using collsched::owned_array;

static_assert([] {
    heap<int> h;
    for (int i = 0; i < 40; ++i) h.push((i * 17) % 40);
    for (int i = 0; i < 40; ++i, h.take())
        if (h.top() != i) return false;
    return h.empty();
}());

// An access beyond the elements is no constant expression.
static_assert([] {
    for (int n = 1; n <= 9; ++n) {
        owned_array<int> elements(n);
        for (int i = 0; i < n; ++i) elements[i] = (i * 11 + 3) % n;
        heap<int> h(std::move(elements));
        for (int i = 0; i < n; ++i, h.take())
            if (h.top() > i || h.size() != n - i) return false;
        if (!h.empty()) return false;
    }
    return true;
}());

// The first of equal elements stays on top: a push moves no element without need.
static_assert([] {
    struct numbered {
        int key = 0, number = 0;
        constexpr bool operator<(const numbered& other) const { return key < other.key; }
    };
    heap<numbered> h;
    for (int i = 0; i < 4; ++i) h.push({5, i});
    return h.top().number == 0;
}());

TEST_CASE("heap: the smallest is on top after any inserts and removals") {
    support::random_source random(3);
    for (const std::int64_t kinds : {std::int64_t{4}, std::int64_t{1000000}}) {
        std::vector<std::int64_t> kept;
        for (std::int64_t i = 0; i < 100; ++i) kept.push_back(random.below(kinds));
        heap<std::int64_t> h{owned_array<std::int64_t>(kept)};
        for (int round = 0; round < 3000; ++round) {
            const std::int64_t value = random.below(kinds), what = random.below(3);
            const auto smallest = std::min_element(kept.begin(), kept.end());
            if (what == 0 || kept.empty()) {
                h.push(value);
                kept.push_back(value);
            } else if (what == 1) {
                h.take();
                kept.erase(smallest);
            } else {
                h.take();
                h.push(value);
                *smallest = value;
            }
            REQUIRE(h.size() == static_cast<std::int64_t>(kept.size()));
            REQUIRE(h.empty() == kept.empty());
            if (!h.empty()) REQUIRE(h.top() == *std::min_element(kept.begin(), kept.end()));
        }
    }
}

TEST_CASE("heap: a heap of no elements and of one") {
    CHECK(heap<int>().empty());
    CHECK(heap<int>(owned_array<int>()).empty());
    heap<int> h{owned_array<int>(1)};
    CHECK(h.size() == 1);
    h.take();
    CHECK(h.empty());
}

namespace {

struct event {
    std::int64_t time, number;
    bool operator<(const event& other) const { return time != other.time ? time < other.time : number < other.number; }
    bool operator==(const event&) const = default;
};
struct later {
    bool operator()(const event& a, const event& b) const { return b < a; }
};
using oracle = std::priority_queue<event, std::vector<event>, later>;

}  // namespace

TEST_CASE("heap: elements are taken in order, for any pushes in between") {
    collsched::detail::splitmix64 draw(7);
    for (const std::uint64_t spread : {1U, 3U, 1000U}) {
        heap<event> queue;
        oracle model;
        CHECK(queue.empty());
        std::int64_t now = 0;
        for (std::int64_t i = 0; i < 20'000; ++i) {
            const bool grows = i % 2000 < 1000;
            const std::uint64_t pushes = draw() % (grows ? 3 : 2);
            for (std::uint64_t k = 0; k < pushes; ++k) {
                const event made{now + static_cast<std::int64_t>(draw() % spread),
                                 10 * i + static_cast<std::int64_t>(k)};
                queue.push(made);
                model.push(made);
            }
            REQUIRE(queue.empty() == model.empty());
            if (model.empty()) continue;
            if (draw() % 2 == 0) CHECK(queue.top() == model.top());
            const event taken = queue.take();
            REQUIRE(taken == model.top());
            model.pop();
            now = taken.time;
        }
        for (; !model.empty(); model.pop()) REQUIRE(queue.take() == model.top());
        CHECK(queue.empty());
    }
}
