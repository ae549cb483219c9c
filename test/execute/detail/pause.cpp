#include "collsched/execute/detail/pause.hpp"

#include <doctest/doctest.h>

#include <chrono>

TEST_CASE("pause: it ends, soon") {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) collsched::detail::pause();
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}
