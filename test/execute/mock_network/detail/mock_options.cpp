#include "collsched/execute/mock_network/detail/mock_options.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/execute/mock_network/mock_run.hpp"

using namespace collsched;

namespace {

/// All that a run shows: when it ended, and all completions in their order.
std::string course(const detail::mock_options& options) {
    const alltoall::linear x{.ranks = 5, .block = 3};
    std::vector<std::byte> in(75), out(75);
    std::vector<rank_memory> memory;
    for (std::size_t r = 0; r < 5; ++r)
        memory.push_back({std::span(in).subspan(15 * r, 15), std::span(out).subspan(15 * r, 15)});
    mock_network network(5, options);
    mock_network::group all(network, x, memory);
    all.start();
    std::string completions;
    for (int idle = 0; idle < 2; idle = network.skip() ? 0 : idle + 1) {
        for (rank_t r = 0; r < 5; ++r)
            for (completion c = network.at(r).poll(); c.request.owner != nullptr; c = network.at(r).poll()) {
                completions += std::to_string(r) + ":" + std::to_string(c.request.node) + " ";
                all.run_of(r).complete(c);
            }
    }
    return completions + "at " + std::to_string(network.now());
}

}  // namespace

TEST_CASE("mock_options: equal options give equal runs, and each option changes the run") {
    const std::vector<detail::mock_options> all{{},
                                                {.eager = true},
                                                {.reorder = true},
                                                {.seed = 2, .reorder = true},
                                                {.delay = 9},
                                                {.seed = 2, .delay = 9},
                                                {.delay = 9, .pair_window = 1, .rank_window = 2},
                                                {.delay = 9, .rank_window = 1},
                                                {.faults = {.refuse = 7}},
                                                {.faults = {.fail = 7}},
                                                {.faults = {.lose = 7}},
                                                {.faults = {.repeat = 7}},
                                                {.faults = {.dead = 2, .dies_at = 3}}};
    std::vector<std::string> courses;
    for (const detail::mock_options& one : all) {
        courses.push_back(course(one));
        CHECK(courses.back() == course(one));
    }
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            CAPTURE(i);
            CAPTURE(j);
            CHECK(courses[i] != courses[j]);
        }
}

TEST_CASE("mock_options: default runs are in order, without delay or fault, and independent of the seed") {
    CHECK(course({.seed = 1}) == course({.seed = 2}));
    CHECK(course({.noise = true}) == course({}));
}

TEST_CASE("mock_options: defaults, and the number of its own error") {
    constexpr detail::mock_options none;
    static_assert(none.seed == 1 && none.delay == 0 && none.pair_window == 0 && none.rank_window == 0);
    static_assert(!none.eager && !none.at_once && !none.reorder && !none.noise);
    static_assert(none.faults.refuse == -1 && none.faults.fail == -1 && none.faults.lose == -1);
    static_assert(none.faults.repeat == -1 && none.faults.error == 1000 && none.faults.dead == -1);
    static_assert(none.faults.dies_at == 0 && !none.faults.reports_death);
    using error = detail::mock_error;
    static_assert(error::peer_died == message::error::peer_died && error::injected == error::first_own);
}
