#include "collsched/select/detail/parameter_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "collsched/schedule/stored_schedule.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// A price of 1000 per step, without the defaults, and its number of calls.
struct counted_price {
    mutable int calls = 0;
    picoseconds bound_per_step = 0;

    picoseconds operator()(const any_schedule& s, picoseconds) const {
        ++calls;
        return 1000 * s.steps();
    }
    picoseconds bound(const any_schedule& s) const { return bound_per_step * s.steps(); }
};

const algorithm_entry& entry_of(collective what, std::string_view name) {
    return *std::ranges::find_if(compiled::registry(), [&](const algorithm_entry& entry) {
        return entry.info.collective == what && entry.info.name == name;
    });
}
const algorithm_entry& linear_broadcast() { return entry_of(collective::broadcast, "linear"); }
choice::request request_of(rank_t p) {
    choice::request request{.collective = collective::broadcast, .parameters = {.ranks = p, .bytes = 64}};
    request.parameters.segment = shape::as_it_is;
    return request;
}

}  // namespace

TEST_CASE("parameter_search: a lower bound at the limit replaces the price") {
    const choice::request request = request_of(6);
    const choice::resources use;
    const any_schedule s = linear_broadcast().make(request.parameters);
    const picoseconds exact = 1000 * s.steps();
    for (const picoseconds limit : {exact - 1, exact}) {
        const counted_price price{.bound_per_step = 1000};
        const price_ref called(price);
        parameter_search search(linear_broadcast(), request, called, use);
        search.run(limit);
        CHECK((search.best().entry != nullptr) == (limit == exact));
        CHECK((price.calls > 0) == (limit == exact));
        CHECK(search.is_priced());
    }
}

TEST_CASE("parameter_search: the price of the defaults ends at the limit that is set afterwards") {
    const choice::request request = request_of(6);
    const choice::resources use;
    const counted_price price;
    const price_ref called(price);
    parameter_search search(linear_broadcast(), request, called, use);
    const picoseconds exact = search.price_default(unpriced);
    CHECK(exact == 1000 * linear_broadcast().make(request.parameters).steps());
    search.limit_default(exact + 1);
    CHECK(search.default_price() == exact);
    search.limit_default(exact - 1);
    CHECK(search.default_price() == exact - 1);
}

TEST_CASE("parameter_search: without time nothing is priced") {
    const choice::request request = request_of(6);
    const choice::resources use{.is_over = [] { return true; }};
    const counted_price price;
    const price_ref called(price);
    parameter_search search(linear_broadcast(), request, called, use);
    search.compute_bound();
    CHECK(search.probe(3, unpriced) == unpriced);
    search.run(unpriced);
    CHECK(price.calls == 0);
    CHECK(search.is_cut_short());
    CHECK(!search.is_priced());
    CHECK(!search.error());
}

TEST_CASE("parameter_search: schedules with the same edges are priced once") {
    const algorithm_entry& entry = entry_of(collective::allgather, "by-dimension");
    choice::request request{.collective = collective::allgather, .parameters = {.ranks = 6, .block = 4}};
    request.parameters.segment = shape::as_it_is;
    request.every_setting = true;
    const counted_price price;
    const price_ref called(price);
    const choice::resources use;
    parameter_search search(entry, request, called, use);
    search.run(unpriced);
    std::set<std::vector<std::int64_t>> different;
    int settings = 0;
    for (const std::int64_t group : {1, 2, 3, 4, 6})
        for (const std::int64_t radix : {2, 3, 4, 5, 6}) {
            shape parameters = request.parameters;
            parameters.group = group;
            parameters.radix = radix;
            std::vector<std::int64_t> edges;
            for_each_send(entry.make(parameters),
                          [&](const edge& e) { edges.insert(edges.end(), {e.step, e.src, e.dst, e.size}); });
            different.insert(edges);
            ++settings;
        }
    CHECK(price.calls == static_cast<int>(different.size()));
    CHECK(price.calls < settings);
}

TEST_CASE("parameter_search: for the best candidate alone, a lower bound within 1/64 of the limit replaces the price") {
    choice::request request = request_of(6);
    request.best_only = true;
    const choice::resources use;
    const picoseconds exact = 1000 * linear_broadcast().make(request.parameters).steps();
    for (const picoseconds limit : {exact + exact / 128, exact + exact / 32}) {
        const counted_price price{.bound_per_step = 1000};
        const price_ref called(price);
        parameter_search search(linear_broadcast(), request, called, use);
        search.run(limit);
        CHECK((search.best().entry != nullptr) == (limit > exact + exact / 64));
    }
}

TEST_CASE("parameter_search: smaller segments end at half as much again as the least price") {
    const algorithm_entry& chain = entry_of(collective::broadcast, "chain");
    choice::request request = request_of(4);
    request.parameters.bytes = 1 << 12;
    const choice::resources use;
    for (const bool steep : {true, false}) {
        std::set<step_t> priced;
        const auto price = [&](const any_schedule& s) -> picoseconds {
            priced.insert(s.steps());
            return 1000 + (steep ? 1000 * s.steps() * s.steps() : s.steps());
        };
        const price_ref called(price);
        parameter_search search(chain, request, called, use);
        search.run(unpriced);
        // One segment, then two, four and eight of them. Without the limit, the third price that rises is the last.
        CHECK(priced == (steep ? std::set<step_t>{3, 4} : std::set<step_t>{3, 4, 6, 10}));
        CHECK(search.best().cost == (steep ? 10000 : 1003));
    }
}
