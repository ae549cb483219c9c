#include "collsched/select/choose.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/simulate/contention_bound.hpp"
#include "collsched/simulate/contention_run.hpp"
#include "collsched/topology/detail/cables.hpp"
#include "collsched/tree/binomial.hpp"
#include "support/cable_network.hpp"
#include "support/brief.hpp"
#include "support/clusters.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

constexpr loggp_model network{
    .latency_ps = 5'000'000, .overhead_ps = 1'000'000, .gap_ps = 500'000, .byte_fs = 1'000'000};

shape all_free(shape wanted) {
    for (const decision::free_parameter& one : free_parameters) wanted.*one.value = shape::as_it_is;
    return wanted;
}

/// The least cost of an algorithm over all values of all its parameters together.
picoseconds best_of_all(const algorithm_entry& entry, const shape& wanted, const auto& price) {
    std::vector<shape> all{wanted};
    for (const decision::free_parameter& one : free_parameters) {
        if (!entry.takes(one.value)) continue;
        std::vector<shape> more;
        for (const shape& each : all)
            for (const std::int64_t value : detail::values_of(one, wanted)) {
                // Beside dimensions, more than 64 pieces would take minutes.
                if (one.value == &shape::segment && entry.takes(&shape::group) && value > 0 &&
                    value < wanted.bytes / 64)
                    continue;
                more.push_back(each);
                more.back().*one.value = value;
            }
        all.insert(all.end(), more.begin(), more.end());
    }
    picoseconds least = INT64_MAX;
    for (const shape& each : all)
        if (const any_schedule s = entry.make(each); !s.check()) least = std::min(least, price(s));
    return least;
}

}  // namespace

TEST_CASE("choose: candidates are in order of price, and impossible ones are reported") {
    const auto price = simulated_price(network);
    for (const collective what :
         {collective::broadcast, collective::allgather, collective::allreduce, collective::alltoall}) {
        const choice::request request{.collective = what,
                                      .parameters = all_free({.ranks = 12, .block = 700, .bytes = 9000})};
        const choice made = choose(request, compiled::whole_registry(), price);
        CHECK(made.candidates.size() >= 4);
        CHECK(std::ranges::is_sorted(made.candidates, {}, &choice::candidate::cost));
        for (const choice::candidate& one : made.candidates) {
            CHECK(one.entry->info.collective == what);
            CHECK(price(one.entry->make(one.parameters)) == one.cost);
        }
        for (const choice::refusal& one : made.refused) CHECK(one.error);
        const auto planned = std::ranges::count_if(
            made.refused, [](const choice::refusal& one) { return one.entry->takes(&shape::cluster); });
        if (what == collective::broadcast) CHECK(planned > 0);
    }
}

TEST_CASE("choose: prices depend on start times and end at the limit") {
    const std::vector<picoseconds> start{0, 90'000'000, 0, 0};
    const any_schedule s(broadcast::over_tree<trees::binomial>{.ranks = 4, .bytes = 100});
    const auto late = simulated_price(network, {.start = start});
    CHECK(late(s) == simulate(s, network, {.start = start}).completion);
    CHECK(late(s) > simulated_price(network)(s));
    CHECK(late(s, 1000) == 1000);
    CHECK(simulated_price(network, {.start = start, .limit = 2000})(s, 3000) == 3000);
}

TEST_CASE("choose: the cheapest alone is that of all candidates, with fewer whole prices") {
    const auto price = simulated_price(network);
    for (const collective what : {collective::broadcast, collective::allgather, collective::allreduce}) {
        choice::request request{.collective = what,
                                .parameters = all_free({.ranks = 12, .block = 700, .bytes = 90'000})};
        const choice all = choose(request, compiled::whole_registry(), price);
        request.best_only = true;
        int within = 0, beyond = 0;
        const choice best = choose(request, compiled::whole_registry(), [&](const any_schedule& s, picoseconds limit) {
            const picoseconds cost = price(s, limit);
            CHECK((cost == price(s) || (cost >= limit && price(s) > limit)));
            ++(cost < limit ? within : beyond);
            return cost;
        });
        CHECK(best.candidates.front().entry == all.candidates.front().entry);
        CHECK(best.candidates.front().cost == all.candidates.front().cost);
        CHECK(best.left_out > 0);
        CHECK(best.candidates.size() + static_cast<std::size_t>(best.left_out) == all.candidates.size());
        CHECK(best.refused.size() == all.refused.size());
        CHECK(within > 0);
        CHECK(beyond > 0);
    }
}

TEST_CASE("choose: an unpriced algorithm is no candidate") {
    const choice::request request{.collective = collective::allgather, .parameters = {.ranks = 4, .block = 8}};
    const choice made = choose(request, compiled::whole_registry(),
                               [](const any_schedule& s) { return s.steps() == 3 ? picoseconds{3} : unpriced; });
    REQUIRE(!made.candidates.empty());
    for (const choice::candidate& one : made.candidates) CHECK(one.cost == 3);
    CHECK(std::ranges::any_of(made.refused, [&](const choice::refusal& one) {
        return one.error.argument == std::string("price") && one.entry->make(request.parameters).steps() != 3;
    }));
}

TEST_CASE("choose: the choice is within 2 percent of the best of all values of all parameters" *
          doctest::skip(support::brief())) {
    for (const bytes_t bytes : {bytes_t{8192}, bytes_t{64}, bytes_t{300'000}}) {
        for (const collective what : {collective::broadcast, collective::allreduce, collective::allgather}) {
            const shape wanted = all_free({.ranks = 8, .block = bytes / 8, .bytes = bytes, .element = 4});
            const auto price = simulated_price(network);
            const choice made = choose({.collective = what, .parameters = wanted}, compiled::registry(), price);
            picoseconds least = INT64_MAX;
            for (const algorithm_entry& entry : compiled::registry())
                if (entry.info.collective == what) least = std::min(least, best_of_all(entry, wanted, price));
            INFO(std::string(name_of(what)), " ", bytes, " bytes: ", made.candidates.front().cost, " and ", least);
            CHECK(made.candidates.front().cost <= least + least / 50);
        }
    }
}

TEST_CASE("choose: given parameters stay, and only parameters of the algorithm are tried") {
    shape wanted = all_free({.ranks = 8, .bytes = 1 << 20});
    wanted.segment = 4096;
    const choice made = choose({.collective = collective::broadcast, .parameters = wanted}, compiled::registry(),
                               simulated_price(network));
    for (const choice::candidate& one : made.candidates) {
        CHECK(one.parameters.segment == 4096);
        if (!one.entry->takes(&shape::radix) && !one.entry->takes(&shape::window)) CHECK(one.trials == 1);
    }
}

TEST_CASE("choose: segments below the smallest one are not tried") {
    const shape wanted = all_free({.ranks = 8, .bytes = 1 << 20});
    const auto price = [](const any_schedule& s) { return (picoseconds{1} << 24) - s.steps(); };  // more are cheaper
    for (const bool all : {false, true})
        for (const bytes_t least : {bytes_t{0}, bytes_t{20'000}}) {
            const choice made = choose({.collective = collective::broadcast,
                                        .parameters = wanted,
                                        .every_setting = all,
                                        .least_segment = least},
                                       compiled::registry(), price);
            bytes_t smallest = INT64_MAX;
            for (const choice::candidate& one : made.candidates)
                if (const bytes_t segment = one.parameters.segment; segment > 0) smallest = std::min(smallest, segment);
            CHECK(smallest == (least > 0 ? 32'768 : 256));
        }
}

TEST_CASE("choose: an operation that is not commutative has other candidates") {
    choice::request request{.collective = collective::allreduce,
                            .parameters = all_free({.ranks = 6, .bytes = 4800, .element = 8})};
    const auto price = simulated_price(hockney_model{.alpha_ps = 1'000'000, .beta_fs = 1000});
    const choice any = choose(request, compiled::registry(), price);
    request.keeps_order = true;
    const choice ordered = choose(request, compiled::registry(), price);
    CHECK(ordered.candidates.size() < any.candidates.size());
    CHECK(!ordered.candidates.empty());
    for (const choice::candidate& one : ordered.candidates)
        CHECK(!one.entry->make(one.parameters).contract().commutative);
    CHECK(std::ranges::any_of(
        ordered.refused, [](const choice::refusal& one) { return std::string(one.error.argument) == "commutative"; }));
}

TEST_CASE(
    "choose: brackets of a class have the schedules of this class as candidates, all of them, and the others are "
    "refused") {
    const auto price = simulated_price(network);
    for (const collective what : {collective::allreduce, collective::reduce, collective::scan})
        for (const rank_t p : {6, 8}) {
            choice::request request{.collective = what,
                                    .parameters = all_free({.ranks = p, .bytes = 8 * p, .element = 8}),
                                    .keeps_defaults = true};
            const choice all = choose(request, compiled::registry(), price);
            for (const association_class level :
                 {association_class::rank, association_class::position, association_class::canonical}) {
                request.bits = level;
                const choice made = choose(request, compiled::registry(), price);
                REQUIRE(!made.candidates.empty());
                const auto made_of = [](const choice::candidate& one) { return one.entry->make(one.parameters); };
                for (const choice::candidate& one : made.candidates) CHECK(association(made_of(one)).has(level));
                for (const choice::candidate& one : all.candidates) {
                    INFO(std::string(one.entry->info.name), " ", p);
                    const auto same = [&](const auto& other) { return other.entry == one.entry; };
                    const bool kept = std::ranges::any_of(made.candidates, same);
                    if (association(made_of(one)).has(level)) CHECK(kept);
                    const auto found = std::ranges::find_if(made.refused, same);
                    REQUIRE(kept != (found != made.refused.end()));
                    if (!kept) CHECK(found->error.argument == std::string("association"));
                    if (!kept) CHECK(found->error.value < static_cast<std::int64_t>(level));
                }
                request.best_only = true;
                CHECK(choose(request, compiled::registry(), price).candidates.front().cost <=
                      made.candidates.front().cost + made.candidates.front().cost / 63);
                request.best_only = false;
            }
        }
    CHECK(find_association_class("canonical") == association_class::canonical);
    CHECK(!find_association_class("any"));
    CHECK(!find_association_class(""));
}

TEST_CASE("choose: planned schedules need a cluster, and schedules too large to price are left out") {
    const rank_t p = 9;
    const lob_model machine = support::clusters(p).front();
    choice::request request{.collective = collective::broadcast, .parameters = all_free({.ranks = p, .bytes = 5000})};
    request.parameters.cluster = machine;
    request.has_cluster = true;
    const choice made = choose(request, compiled::whole_registry(), simulated_price(machine));
    CHECK(std::ranges::any_of(made.candidates,
                              [](const choice::candidate& one) { return one.entry->takes(&shape::cluster); }));
    request.edge_limit = 5;
    const choice none = choose(request, compiled::whole_registry(), simulated_price(machine));
    CHECK(none.candidates.empty());
    CHECK(std::string(none.refused.front().error.argument) == "edges");
}

namespace {

/// Calls f(0) .. f(n-1) in threads.
auto in_threads(int threads) {
    return [threads](std::int64_t n, const std::function<void(std::int64_t)>& f) {
        std::atomic<std::int64_t> next = 0;
        std::vector<std::jthread> all;
        for (int t = 0; t < threads; ++t)
            all.emplace_back([&] {
                for (std::int64_t i = next++; i < n; i = next++) f(i);
            });
    };
}
bool same_values(const shape& a, const shape& b) {
    return std::ranges::all_of(free_parameters,
                               [&](const decision::free_parameter& one) { return a.*one.value == b.*one.value; });
}
void check_same(const choice& a, const choice& b) {
    CHECK(a.left_out == b.left_out);
    CHECK(std::ranges::equal(a.refused, b.refused, {}, &choice::refusal::entry, &choice::refusal::entry));
    REQUIRE(a.candidates.size() == b.candidates.size());
    for (std::size_t i = 0; i < a.candidates.size(); ++i) {
        CHECK(a.candidates[i].entry == b.candidates[i].entry);
        CHECK(a.candidates[i].cost == b.candidates[i].cost);
        CHECK(a.candidates[i].trials == b.candidates[i].trials);
        CHECK(same_values(a.candidates[i].parameters, b.candidates[i].parameters));
    }
    REQUIRE(a.other_prices.size() == b.other_prices.size());
    for (std::size_t i = 0; i < a.other_prices.size(); ++i) {
        CHECK(a.other_prices[i].entry == b.other_prices[i].entry);
        CHECK(a.other_prices[i].cost == b.other_prices[i].cost);
    }
}
/// Ranks on a torus whose links are shared.
contention_model torus() {
    constexpr rank_t sizes[] = {3, 2, 2};
    contention_model model = contention_model::smpi();
    model.net = support::cable_network(detail::torus_cables(sizes), {.latency_ps = 1'000'000, .byte_fs = 80});
    model.placement = topology::placement::block(12, 12);
    return model;
}

}  // namespace

TEST_CASE("choose: neighbors are priced first and lower the limit, and other prices are listed") {
    const auto price = simulated_price(network);
    choice::request request{.collective = collective::allreduce,
                            .parameters = all_free({.ranks = 12, .bytes = 40'000, .element = 4}),
                            .best_only = true};
    std::int64_t prices = 0;
    const auto counted = [&](const any_schedule& s, picoseconds limit) {
        ++prices;
        return price(s, limit);
    };
    const choice plain = choose(request, compiled::registry(), counted);
    REQUIRE(!plain.candidates.empty());
    const choice::candidate& best = plain.candidates.front();
    CHECK(std::exchange(prices, 0) > 0);
    decision row{.collective = request.collective, .algorithm = best.entry->info.name};
    for (const decision::free_parameter& parameter : free_parameters)
        row.*parameter.row = best.parameters.*parameter.value;
    request.neighbors = std::span(&row, 1);
    const choice after = choose(request, compiled::registry(), counted);
    REQUIRE(!after.candidates.empty());
    CHECK(after.candidates.front().cost <= best.cost);
    for (const choice* made : {&plain, &after}) {
        CHECK(std::ranges::is_sorted(made->other_prices, {}, &choice::candidate::cost));
        for (const choice::candidate& other : made->other_prices) {
            CHECK(other.cost == price(other.entry->make(other.parameters)));
            CHECK(std::ranges::find(made->candidates, other.entry, &choice::candidate::entry) ==
                  made->candidates.end());
        }
    }
    CHECK(!plain.other_prices.empty());
    const picoseconds least = after.candidates.front().cost;
    request.limit = least;
    CHECK(choose(request, compiled::registry(), price).candidates.front().cost == least);
    request.limit = least - 1;
    request.neighbors = {};
    for (const choice::candidate& cheaper : choose(request, compiled::registry(), price).candidates)
        CHECK(cheaper.cost < least);
}

TEST_CASE("choose: the choice is the same with 1, 2 and 4 threads") {
    const auto price = simulated_price(torus());
    for (const collective what : {collective::broadcast, collective::allreduce, collective::alltoall})
        for (const bool best_only : {false, true}) {
            if (support::brief() && what != collective::broadcast) continue;
            const choice::request request{
                .collective = what,
                .parameters = all_free({.ranks = 12, .block = 4000, .bytes = 40'000, .element = 4}),
                .best_only = best_only};
            const choice alone = choose(request, compiled::registry(), price);
            CHECK(!alone.candidates.empty());
            for (const int threads : {1, 2, 4})
                check_same(alone, choose(request, compiled::registry(), price, {.for_each = in_threads(threads)}));
        }
}

TEST_CASE("choose: estimates find the choice of exact prices, or of prices a hundredth above it") {
    const auto exact = simulated_price(torus());
    REQUIRE(exact.has_estimates());
    CHECK(!simulated_price(network).has_estimates());
    for (const collective what :
         {collective::broadcast, collective::allreduce, collective::alltoall, collective::reduce})
        for (const bool best_only : {false, true}) {
            choice::request request{.collective = what,
                                    .parameters = all_free({.ranks = 12, .block = 4000, .bytes = 40'000, .element = 4}),
                                    .best_only = best_only};
            const choice made = choose(request, compiled::registry(), exact);
            const choice reference = choose(request, compiled::registry(),
                                            [&](const any_schedule& s, picoseconds limit) { return exact(s, limit); });
            const choice::candidate &best = made.candidates.front(), &least = reference.candidates.front();
            CHECK(best.cost <= least.cost + least.cost / 100);
            for (const choice::candidate& one : made.candidates) {
                CHECK(!one.is_estimate);
                CHECK(one.cost == simulate(one.entry->make(one.parameters), torus()).completion);
            }
            if (!best_only) CHECK(made.candidates.size() == reference.candidates.size());
        }
}

TEST_CASE("choose: if the time ends before exact prices, costs are estimates, and are marked") {
    const contention_model model = torus();
    auto price = simulated_price(model);
    const auto is_over = [] { return true; };
    price.when.is_over = is_over;
    struct late_price {  // estimates have time, prices have none
        detail::simulated_cost<contention_model> exact, rough;

        picoseconds operator()(const any_schedule& s, picoseconds limit) const { return exact(s, limit); }
        static constexpr bool has_estimates() { return true; }
        picoseconds bound(const any_schedule& s) const { return rough.bound(s); }
        picoseconds estimate(const any_schedule& s, picoseconds limit, picoseconds lower) const {
            return rough.estimate(s, limit, lower);
        }
    };
    const late_price late{price, simulated_price(model)};
    for (const bool best_only : {false, true}) {
        const choice::request request{.collective = collective::broadcast,
                                      .parameters = all_free({.ranks = 12, .bytes = 40'000, .element = 4}),
                                      .best_only = best_only};
        const choice made = choose(request, compiled::registry(), late);
        REQUIRE(!made.candidates.empty());
        for (const choice::candidate& one : made.candidates) CHECK(one.is_estimate);
        const choice exact = choose(request, compiled::registry(), simulated_price(model));
        CHECK(static_cast<double>(made.candidates.front().cost) ==
              doctest::Approx(static_cast<double>(exact.candidates.front().cost)).epsilon(0.03));
    }
}

TEST_CASE("choose: without time nothing is chosen, and every algorithm is unfinished") {
    for (const bool best_only : {false, true}) {
        const choice::request request{.collective = collective::broadcast,
                                      .parameters = all_free({.ranks = 12, .bytes = 9000}),
                                      .best_only = best_only};
        const choice made =
            choose(request, compiled::registry(), simulated_price(network), {.is_over = [] { return true; }});
        CHECK(made.candidates.empty());
        CHECK(made.refused.empty());
        CHECK(!made.unfinished.empty());
        for (const choice::unfinished_search& one : made.unfinished) CHECK(!one.priced);
    }
}

TEST_CASE("choose: a search that ends early has the best schedules until then") {
    const choice::request request{.collective = collective::allreduce,
                                  .parameters = all_free({.ranks = 12, .bytes = 40'000, .element = 4}),
                                  .best_only = true};
    const contention_model model = torus();
    const choice whole = choose(request, compiled::registry(), simulated_price(model));
    picoseconds last = unpriced;
    std::size_t cut_short = 0;
    for (const int looks : {30, 60, 120, 1'000'000}) {
        const auto is_over = [looks, seen = std::make_shared<int>(0)] { return ++*seen > looks; };
        const choice made = choose(request, compiled::registry(), simulated_price(model), {.is_over = is_over});
        if (!made.unfinished.empty()) ++cut_short;
        if (made.candidates.empty()) continue;
        const choice::candidate& best = made.candidates.front();
        CHECK(best.cost <= last);
        CHECK(simulate(best.entry->make(best.parameters), model).completion == best.cost);
        last = best.cost;
        if (made.unfinished.empty()) check_same(whole, made);
    }
    CHECK(cut_short > 0);
    CHECK(last == whole.candidates.front().cost);
}
