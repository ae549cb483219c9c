#include "collsched/group/threads.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "collsched/collective/allreduce/ring.hpp"

using namespace collsched;

TEST_CASE("run_threads: every rank has a group of all") {
    const int status = run_threads(4, {.policy = policies::named(allreduce::ring{})}, [](auto& all) {
        std::vector<double> values(10, static_cast<double>(all.rank()));
        return all.allreduce(values, std::plus<>()).ok() && values[9] == 6 && all.ranks() == 4 ? 0 : 1;
    });
    CHECK(status == 0);
}

TEST_CASE("run_threads: the status is the first by rank, and a body may return nothing") {
    CHECK(run_threads(3, {}, [](auto& all) { return all.rank() == 0 ? 0 : 10 + static_cast<int>(all.rank()); }) == 11);
    CHECK(run_threads(2, {}, [](auto&) {}) == 0);
}

TEST_CASE("run_threads: the number of ranks is 1 or more") {
    for (const rank_t none : {0, -1}) CHECK_THROWS_AS(run_threads(none, {}, [](auto&) {}), bad_argument);
}

TEST_CASE("run_threads: an exception passes through, and ends the waits of the others") {
    const group_options options{.policy = policies::named(allreduce::ring{})};
    CHECK_THROWS_AS(run_threads(3, options,
                                [](auto& all) {
                                    if (all.rank() == 1) throw std::runtime_error("body");
                                    std::vector<int> values(10);
                                    return all.allreduce(values, std::plus<>()).ok() ? 0 : 1;
                                }),
                    std::runtime_error);
}
