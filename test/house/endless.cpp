// Cases that do not end: test/house/watchdog.py runs them.
#include <doctest/doctest.h>

#include <vector>

TEST_CASE("a loop without end") {
    volatile int turns = 0;
    for (;;) turns = turns ^ 1;
}

TEST_CASE("a list without end") {
    std::vector<long> list;
    for (;;) list.resize(list.size() + (1 << 24));
}
