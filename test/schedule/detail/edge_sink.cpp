#include "collsched/schedule/detail/edge_sink.hpp"

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

/// Passes two edges to a sink.
struct pair_of_edges {
    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        static_assert(std::is_same_v<F, edge_sink>, "instantiated for sinks alone");
        f(edge{.step = k, .src = r, .dst = r + 1, .size = 3});
        f(edge{.step = k, .src = r, .dst = r + 2, .size = 4});
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        static_assert(std::is_same_v<F, edge_sink>, "instantiated for sinks alone");
        f(edge{.step = k, .src = r - 1, .dst = r, .size = 5});
    }
};

constexpr bytes_t sum_of_sizes() {
    bytes_t sum = 0;
    const auto add = [&](const edge& e) { sum += e.size; };
    detail::sends_of(pair_of_edges{}, 1, 2, add);
    detail::receives_of(pair_of_edges{}, 1, 2, add);
    return sum;
}
static_assert(sum_of_sizes() == 12);

}  // namespace

TEST_CASE("edge_sink: edges arrive unchanged and in order") {
    std::vector<edge> taken;
    detail::sends_of(pair_of_edges{}, 6, 9, [&](const edge& e) { taken.push_back(e); });
    CHECK(taken ==
          std::vector<edge>{{.step = 9, .src = 6, .dst = 7, .size = 3}, {.step = 9, .src = 6, .dst = 8, .size = 4}});
}

TEST_CASE("edge_sink: a sink passes through unchanged") {
    int calls = 0;
    const auto count = [&](const edge&) { ++calls; };
    edge_sink::pass(count, [&](const edge_sink& outer) {
        edge_sink::pass(outer, [&](const edge_sink& inner) {
            CHECK(&inner == &outer);
            inner(edge{});
        });
    });
    CHECK(calls == 1);
}

TEST_CASE("edge_sink: copies refer to the same callable, which may keep state of its own") {
    auto counter = [calls = 0](const edge&) mutable { return ++calls; };
    edge_sink::pass(counter, [&](edge_sink sink) {
        const edge_sink copy = sink;
        sink(edge{});
        copy(edge{});
    });
    CHECK(counter(edge{}) == 3);
}
