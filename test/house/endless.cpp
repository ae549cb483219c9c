// Cases that do not end: test/house/watchdog.py runs them.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

TEST_CASE("a loop without end") {
    volatile int turns = 0;
    for (;;) turns = turns ^ 1;
}

TEST_CASE("a wait without end") {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

TEST_CASE("a list without end") {
    std::vector<std::unique_ptr<char[]>> list;
    for (;;) list.push_back(std::make_unique_for_overwrite<char[]>(1 << 26));
}
