#include "collsched/select/detail/parameter_search.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/core/bits.hpp"
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

const algorithm_entry& entry_of(collective what, std::string_view name) { return *compiled::find(what, name); }
const algorithm_entry& linear_broadcast() { return entry_of(collective::broadcast, "linear"); }
choice::request request_of(rank_t p) {
    choice::request request{.collective = collective::broadcast, .parameters = {.ranks = p, .bytes = 64}};
    request.parameters.segment = shape::as_it_is;
    request.parameters.radix = 1;  // one chain
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

TEST_CASE(
    "parameter_search: segments are priced from large to small, each up to twice the least price, as documented") {
    // Prices of 1, 2, 4, ... segments; expected are the exponents that are priced, the limit of each, and the best price.
    struct script {
        std::vector<picoseconds> prices;
        picoseconds limit;
        std::vector<std::pair<int, picoseconds>> priced;
        picoseconds best;
        int trials;
    };
    constexpr picoseconds all = unpriced;
    const script scripts[] = {
        // Prices that fall are followed to the smallest segment.
        {{100, 90, 80, 70, 60, 50, 40, 30, 20, 10},
         all,
         {{0, all}, {1, 200}, {2, 180}, {3, 160}, {4, 140}, {5, 120}, {6, 100}, {7, 80}, {8, 60}, {9, 40}},
         10,
         11},
        // The third rise in a row is the last.
        {{100, 101, 102, 103, 104, 105}, all, {{0, all}, {1, 200}, {2, 200}, {3, 200}}, 100, 5},
        {{100, 101, 102, 99, 104, 105, 106, 30},
         all,
         {{0, all}, {1, 200}, {2, 200}, {3, 200}, {4, 198}, {5, 198}, {6, 198}},
         99,
         8},
        // Equal prices are no rise, and do not end a row of them.
        {{100, 101, 101, 101, 101, 105, 106, 20},
         all,
         {{0, all}, {1, 200}, {2, 200}, {3, 200}, {4, 200}, {5, 200}, {6, 200}},
         100,
         8},
        // Half as much again as the least is the end, less is not.
        {{100, 149, 101, 102, 103, 104, 20}, all, {{0, all}, {1, 200}, {2, 200}, {3, 200}, {4, 200}, {5, 200}}, 100, 7},
        {{100, 150, 101}, all, {{0, all}, {1, 200}}, 100, 3},
        {{100, 60, 90, 50}, all, {{0, all}, {1, 200}, {2, 120}}, 60, 4},
        // Beyond a limit, prices may fall unseen six times.
        {{900, 800, 700, 600, 500, 400, 300, 97, 99, 96},
         100,
         {{0, 202}, {1, 202}, {2, 202}, {3, 202}, {4, 202}, {5, 202}, {6, 202}, {7, 202}, {8, 194}, {9, 194}},
         96,
         11},
        // They may not with more than 128 segments, where an eighth above the least is the end too.
        {{900, 800, 700, 600, 500, 400, 300, 299, 298, 97},
         100,
         {{0, 202}, {1, 202}, {2, 202}, {3, 202}, {4, 202}, {5, 202}, {6, 202}, {7, 202}, {8, 202}},
         0,
         0},
        {{900, 800, 200, 99, 98, 80, 80, 80, 90, 50},
         all,
         {{0, all}, {1, 1800}, {2, 1600}, {3, 400}, {4, 198}, {5, 196}, {6, 160}, {7, 160}, {8, 160}},
         80,
         10},
        {{900, 800, 200, 99, 98, 80, 80, 80, 89, 50},
         all,
         {{0, all}, {1, 1800}, {2, 1600}, {3, 400}, {4, 198}, {5, 196}, {6, 160}, {7, 160}, {8, 160}, {9, 160}},
         50,
         11},
        {{900, 201, 190, 189, 100, 101, 97, 299},
         100,
         {{0, 202}, {1, 202}, {2, 202}, {3, 202}, {4, 202}, {5, 200}, {6, 200}, {7, 194}},
         97,
         9},
        // Without a price a segment counts as a rise, and the limit is none.
        {{all, all, 190, 100, 101, 97, 299},
         all,
         {{0, all}, {1, all}, {2, all}, {3, 380}, {4, 200}, {5, 200}, {6, 194}},
         97,
         8},
        {{all, all, all, 100}, all, {{0, all}, {1, all}, {2, all}}, 0, 0},
    };
    const algorithm_entry& chain = entry_of(collective::broadcast, "chain");
    choice::request request = request_of(4);
    request.parameters.bytes = 1 << 12;
    const choice::resources use;
    for (const script& one : scripts) {
        std::vector<std::pair<int, picoseconds>> priced;
        const auto price = [&](const any_schedule& s, picoseconds limit) -> picoseconds {
            const int exponent = ceil_log2(s.steps() - 2);  // p - 2 steps more than segments
            priced.emplace_back(exponent, limit);
            return one.prices.at(static_cast<std::size_t>(exponent));
        };
        const price_ref called(price);
        parameter_search search(chain, request, called, use);
        search.run(one.limit);
        CAPTURE(one.priced.size());
        CHECK(priced == one.priced);
        const choice::candidate best = search.best();
        CHECK((best.cost == one.best && best.trials == one.trials));
        CHECK(search.least() == (one.best > 0 ? one.best : unpriced));
        if (one.best == 0) continue;
        REQUIRE(best.entry == &chain);
        const auto least = std::ranges::find(one.prices, one.best) - one.prices.begin();
        CHECK(best.parameters.segment == (least == 0 ? shape::as_it_is : bytes_t{1 << 12} >> least));
    }
}

namespace {

/// A price of 1000 per step, with estimates that are 1 less for schedules with fewer than six steps, and 20 more for others.
struct estimated_price {
    mutable int prices = 0, estimates = 0;

    picoseconds operator()(const any_schedule& s, picoseconds) const {
        ++prices;
        return 1000 * s.steps();
    }
    static constexpr bool has_estimates() { return true; }
    picoseconds estimate(const any_schedule& s, picoseconds, picoseconds) const {
        ++estimates;
        return 1000 * s.steps() + (s.steps() < 6 ? -1 : 20);
    }
};

}  // namespace

TEST_CASE("parameter_search: estimates are compared, and exact prices of the settings near the least replace them") {
    const algorithm_entry& chain = entry_of(collective::broadcast, "chain");
    choice::request request = request_of(60);  // 59 steps, 60, 62, 66, ...
    request.parameters.bytes = 1 << 12;
    const choice::resources use;
    const estimated_price price;
    const price_ref called(price);
    REQUIRE(called.has_estimates());
    parameter_search search(chain, request, called, use);
    search.run(unpriced);
    CHECK(price.prices == 0);
    CHECK(price.estimates == 4);
    CHECK(search.best().is_estimate);
    CHECK(search.best().cost == 59'020);
    const auto finalists = search.finalists(search.least(), 9);
    REQUIRE(finalists.size() == 2);  // 61 and 65 are more than a 32nd above
    CHECK(search.finalists(search.least(), 1).size() == 1);
    CHECK(finalists[0].estimate == 59'020);
    CHECK(finalists[1].estimate == 60'020);
    CHECK(!search.exact_price(finalists[1], 60'000));
    CHECK(search.exact_price(finalists[1], 60'001) == 60'000);
    search.keep(finalists[1], 60'000);
    CHECK(search.best().cost == 60'000);
    CHECK(!search.best().is_estimate);
    search.keep(finalists[0], 59'000);
    search.keep(finalists[1], 60'000);
    CHECK(search.best().cost == 59'000);
    CHECK(search.best().parameters.segment == request.parameters.segment);
    request.every_setting = true;
    parameter_search all(chain, request, called, use);
    all.run(unpriced);
    CHECK(!all.has_estimates());
    CHECK(!all.best().is_estimate);
    CHECK(price.estimates == 4);
}

TEST_CASE("parameter_search: a probe prices one segment up to its limit, and the search begins with the best of them") {
    const algorithm_entry& chain = entry_of(collective::broadcast, "chain");
    choice::request request = request_of(4);
    request.parameters.bytes = 1 << 12;
    const choice::resources use;
    std::vector<picoseconds> limits;
    const auto price = [&](const any_schedule& s, picoseconds limit) -> picoseconds {
        limits.push_back(limit);
        return 1000 * s.steps();
    };
    const price_ref called(price);
    parameter_search search(chain, request, called, use);
    CHECK(search.probe(1, 4000) == 4000);  // 2 segments
    CHECK(search.probe(2, 5999) == unpriced);
    CHECK(search.probe(2, unpriced) == 6000);
    CHECK(search.probe(9, unpriced) == 514'000);
    CHECK(search.probe(10, unpriced) == unpriced);
    CHECK(limits == std::vector<picoseconds>{4001, 6000, unpriced, unpriced});
    limits.clear();
    search.run(4000);
    CHECK(search.best().cost == 3000);  // the defaults
    CHECK(search.least() == 3000);
    parameter_search other(chain, request, called, use);
    CHECK(other.probe(2, unpriced) == 6000);
    CHECK(other.probe(1, unpriced) == 4000);
    CHECK(other.probe(3, unpriced) == 10'000);
    other.run(2999);
    CHECK(other.best().entry == nullptr);
    choice::request without = request;
    without.parameters.segment = 0;
    parameter_search none(chain, without, called, use);
    CHECK(none.probe(1, unpriced) == unpriced);
}

TEST_CASE("parameter_search: the best probe is the result if the search prices nothing cheaper") {
    const algorithm_entry& chain = entry_of(collective::broadcast, "chain");
    choice::request request = request_of(4);
    request.parameters.bytes = 1 << 12;
    const choice::resources use;
    const auto price = [&](const any_schedule& s) -> picoseconds {
        return s.steps() == 4 ? 500 : s.steps() == 6 ? 600 : 1000;
    };
    const price_ref called(price);
    parameter_search search(chain, request, called, use);
    CHECK((search.probe(2, unpriced) == 600 && search.probe(1, unpriced) == 500 && search.probe(3, unpriced) == 1000));
    search.run(500);
    CHECK(search.best().cost == 500);
    CHECK(search.best().parameters.segment == 2048);
    CHECK(search.least() == 500);
    CHECK(search.is_priced());
}

TEST_CASE("parameter_search: several parameters may begin with twice the limit, one may not") {
    const algorithm_entry& two = entry_of(collective::allgather, "by-dimension");
    const algorithm_entry& one = entry_of(collective::broadcast, "k-nomial");
    const choice::resources use;
    for (const picoseconds first : {198, 200, 201, 202, 203}) {
        // The defaults have this price, and all others are 100.
        const auto found = [&](const algorithm_entry& entry, choice::request request, picoseconds limit) {
            std::vector<picoseconds> limits;
            const auto price = [&](const any_schedule&, picoseconds below) -> picoseconds {
                limits.push_back(below);
                return limits.size() == 1 ? first : limits.size() == 2 ? 150 : 100;
            };
            const price_ref called(price);
            parameter_search search(entry, request, called, use);
            search.run(limit);
            REQUIRE(limits.size() > 1);
            return std::pair(limits[0], limits[1]);
        };
        const choice::request blocks{.collective = collective::allgather,
                                     .parameters = {.ranks = 12, .block = 4, .segment = 0}};
        const auto [at_first, after] = found(two, blocks, 100);
        CHECK(at_first == 404);
        CHECK(after == (first < 202 ? first : 202));
        choice::request message = request_of(12);
        message.parameters.radix = shape::as_it_is;
        const auto [single, next] = found(one, message, 100);
        CHECK(single == 202);
        CHECK(next >= 101);
    }
}

TEST_CASE("parameter_search: the reasons why a schedule has no price") {
    const choice::resources use;
    const auto error = [&](const algorithm_entry& entry, const choice::request& request, picoseconds cost) {
        const auto price = [&](const any_schedule&) { return cost; };
        const price_ref called(price);
        parameter_search search(entry, request, called, use);
        search.run(unpriced);
        CHECK(search.best().entry == nullptr);
        CHECK_FALSE(search.is_priced());
        return search.error();
    };
    choice::request request = request_of(6);
    CHECK(error(linear_broadcast(), request, unpriced) == argument_error{"price", unpriced, "less"});
    request.edge_limit = 4;
    CHECK(error(linear_broadcast(), request, 1) == argument_error{"edges", 5, "a schedule with fewer"});
    request.edge_limit = 2;  // counted up to the step that exceeds it
    CHECK(error(linear_broadcast(), request, 1) == argument_error{"edges", 3, "a schedule with fewer"});
    choice::request ring{
        .collective = collective::allreduce, .parameters = {.ranks = 6, .bytes = 64}, .keeps_order = true};
    CHECK(error(entry_of(collective::allreduce, "ring"), ring, 1) ==
          argument_error{"commutative", 1, "a schedule that keeps the order of operands"});
    ring.edge_limit = 1;  // of 12 in the first step
    ring.keeps_order = false;
    const argument_error many = error(entry_of(collective::allreduce, "ring"), ring, 1);
    CHECK((many.argument == std::string_view("edges") && many.value == 2));
}

TEST_CASE("parameter_search: the bound and the messages of the default parameters") {
    const choice::resources use;
    const counted_price price{.bound_per_step = 700};
    const price_ref called(price);
    const choice::request request = request_of(6);
    parameter_search search(linear_broadcast(), request, called, use);
    CHECK((search.bound() == 0 && search.messages() == 0));
    CHECK(search.default_price() == unpriced);
    search.compute_bound();
    const picoseconds steps = linear_broadcast().make(request.parameters).steps();
    CHECK(search.bound() == 700 * steps);
    CHECK(search.messages() == 5);
    CHECK(search.price_default(700 * steps) == 700 * steps);
    CHECK(price.calls == 0);
    CHECK(search.price_default(700 * steps + 1) == 700 * steps + 1);
    CHECK(search.price_default(unpriced) == 1000 * steps);
    CHECK(price.calls == 1);
    CHECK(&search.entry() == &linear_broadcast());
    // A schedule that is refused has neither.
    choice::request few = request;
    few.edge_limit = 4;
    parameter_search refused(linear_broadcast(), few, called, use);
    refused.compute_bound();
    CHECK((refused.bound() == 0 && refused.messages() == 0));
    // The messages of several edges are those between different ranks.
    const choice::request all{.collective = collective::alltoall, .parameters = {.ranks = 5, .block = 8}};
    parameter_search exchange(entry_of(collective::alltoall, "linear"), all, called, use);
    exchange.compute_bound();
    CHECK(exchange.messages() == 20);
}

TEST_CASE("parameter_search: which parameters and values are tried") {
    const choice::resources use;
    const auto settings = [&](const algorithm_entry& entry, const choice::request& request) {
        const counted_price price;
        const price_ref called(price);
        parameter_search search(entry, request, called, use);
        search.run(unpriced);
        return search.best().trials;
    };
    choice::request request = request_of(4);
    request.parameters.bytes = 1 << 7;
    request.every_setting = true;
    const algorithm_entry& chain = entry_of(collective::broadcast, "chain");
    CHECK(settings(chain, request) == 6);  // as it is, none, 64, 32, 16, 8
    request.least_segment = 16;
    CHECK(settings(chain, request) == 5);
    request.least_segment = 17;
    CHECK(settings(chain, request) == 4);
    request.parameters.segment = 32;
    CHECK(settings(chain, request) == 1);
    choice::request blocks{.collective = collective::allgather, .parameters = {.ranks = 6, .block = 4}};
    blocks.every_setting = true;
    const algorithm_entry& dimensions = entry_of(collective::allgather, "by-dimension");
    CHECK(settings(dimensions, blocks) == 6 * 6);  // as it is and 5 values of group and radix each
    blocks.parameters.radix = 3;
    CHECK(settings(dimensions, blocks) == 6);
    blocks.keeps_defaults = true;
    CHECK(settings(dimensions, blocks) == 1);
}
