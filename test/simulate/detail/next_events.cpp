#include "collsched/simulate/detail/next_events.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using detail::next_events;

TEST_CASE("next_events: any sequence of changes leaves the earliest event first, the least number of equal times") {
    detail::splitmix64 random(1);
    for (const std::int64_t numbers : {1, 2, 5, 40, 300}) {
        next_events events;
        std::map<std::int64_t, picoseconds> times;
        std::set<std::pair<picoseconds, std::int64_t>> order;
        for (std::int64_t i = 0; i < numbers; ++i) events.add();
        for (int change = 0; change < 4000; ++change) {
            const std::int64_t number = random.between(0, numbers - 1);
            if (const auto found = times.find(number); found != times.end()) {
                order.erase({found->second, number});
                times.erase(found);
            }
            if (random.between(0, 2) == 0) {
                events.remove(number);
            } else {
                const picoseconds time = random.between(0, 49);
                events.set(number, time);
                times[number] = time;
                order.insert({time, number});
            }
            REQUIRE(events.empty() == order.empty());
            if (order.empty()) continue;
            REQUIRE(events.time() == order.begin()->first);
            REQUIRE(events.number() == order.begin()->second);
        }
    }
}
