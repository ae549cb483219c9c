#include "collsched/simulate/detail/event_queue.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <queue>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using namespace collsched::detail;

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

TEST_CASE("event_queue: events are taken in order, for any pushes in between") {
    detail::splitmix64 draw(7);
    for (const std::uint64_t spread : {1U, 3U, 1000U}) {
        event_queue<event> queue;
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
            if (draw() % 2 == 0) CHECK(queue.next() == model.top());
            const event taken = queue.take();
            REQUIRE(taken == model.top());
            model.pop();
            now = taken.time;
        }
        for (; !model.empty(); model.pop()) REQUIRE(queue.take() == model.top());
        CHECK(queue.empty());
    }
}
