#include "collsched/simulate/detail/fair_rates.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <deque>
#include <map>
#include <vector>

#include "support/layouts.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

constexpr std::int64_t gigabyte_a_second = 1'000'000;  // femtoseconds a byte

contention_model::network links(std::vector<contention_model::network::link> all) { return {2, std::move(all), {}}; }

/// When each flow ends that begins at 0, in nanoseconds.
std::map<std::int64_t, double> ends(const contention_model::network& net, const std::deque<fair_rates::path>& paths,
                                    const std::vector<bytes_t>& bytes, std::int64_t back = 0,
                                    picoseconds interval = 0) {
    fair_rates rates(net, back, interval);
    for (const fair_rates::path& path : paths) rates.add(path);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        rates.begin(number, number, bytes[i], 0);
    }
    std::map<std::int64_t, double> found;
    while (!rates.empty()) {
        const picoseconds now = rates.next();
        rates.end(now, [&](std::int64_t id) { found[id] = static_cast<double>(now) / 1000; });
    }
    return found;
}

/// Rates by the definition, in floating point: all rise alike until a link is full; those on it stay, and so on.
std::vector<double> reference(const contention_model::network& net, const std::deque<fair_rates::path>& paths,
                              double back) {
    std::vector<double> rate(paths.size(), -1), left;
    for (const contention_model::network::link& one : net.links())
        left.push_back(1e15 / static_cast<double>(one.cost.byte_fs));
    const auto uses = [&](const fair_rates::path& one, std::size_t link) {
        double part = 0;
        for (const auto i : one.links) part += static_cast<std::size_t>(i) == link ? 1 : 0;
        for (const auto i : one.back) part += static_cast<std::size_t>(i) == link ? back : 0;
        return part;
    };
    for (std::size_t open = paths.size(); open > 0;) {
        double least = INFINITY;
        std::vector<double> share(left.size(), INFINITY);
        for (std::size_t l = 0; l < left.size(); ++l) {
            double weight = 0;
            for (std::size_t i = 0; i < paths.size(); ++i)
                if (rate[i] < 0) weight += uses(paths[i], l) * static_cast<double>(paths[i].weight);
            if (weight > 0) share[l] = left[l] / weight;
            least = std::min(least, share[l]);
        }
        std::vector<double> next = rate;
        for (std::size_t i = 0; i < paths.size(); ++i) {
            bool full = false;
            for (std::size_t l = 0; l < left.size(); ++l)
                full = full || (uses(paths[i], l) > 0 && share[l] <= least * (1 + 1e-12));
            if (rate[i] < 0 && full) next[i] = least * static_cast<double>(paths[i].weight), --open;
        }
        for (std::size_t i = 0; i < paths.size(); ++i)
            if (rate[i] < 0 && next[i] >= 0)
                for (std::size_t l = 0; l < left.size(); ++l) left[l] -= uses(paths[i], l) * next[i];
        rate = next;
    }
    return rate;
}

}  // namespace

TEST_CASE("fair_rates: a single flow has the slowest link, two share it, and the last one has it all") {
    const contention_model::network net = links({{{0, gigabyte_a_second}}, {{0, 2 * gigabyte_a_second}}});
    CHECK(ends(net, {{{0}}}, {1000})[0] == doctest::Approx(1000));
    CHECK(ends(net, {{{0, 1}}}, {1000})[0] == doctest::Approx(2000));
    auto both = ends(net, {{{0}}, {{0}}}, {1000, 3000});
    CHECK(both[0] == doctest::Approx(2000));
    CHECK(both[1] == doctest::Approx(4000));
}

TEST_CASE("fair_rates: flows get the rate that another flow cannot use") {
    // The first is held to 1/4 by a link of its own; the two others share the rest.
    const contention_model::network net = links({{{0, gigabyte_a_second}}, {{0, 4 * gigabyte_a_second}}});
    auto three = ends(net, {{{0, 1}}, {{0}}, {{0}}}, {250, 375, 375});
    for (const int i : {0, 1, 2}) CHECK(three[i] == doctest::Approx(1000));
}

TEST_CASE("fair_rates: weights, links that are not shared, links without a bandwidth, and results") {
    const contention_model::network net = links({{{0, gigabyte_a_second}}, {{0, gigabyte_a_second}, false}, {{0, 0}}});
    auto weighted = ends(net, {{{0}, {}, 3}, {{0}, {}, 1}}, {750, 250});
    CHECK(weighted[0] == doctest::Approx(1000));
    CHECK(weighted[1] == doctest::Approx(1000));
    auto apart = ends(net, {{{1}}, {{1}}, {{1, 2}}}, {1000, 1000, 1000});
    for (const int i : {0, 1, 2}) CHECK(apart[i] == doctest::Approx(1000));
    const contention_model::network both = links({{{0, gigabyte_a_second}}, {{0, gigabyte_a_second}}});
    auto answered = ends(both, {{{0}, {1}}, {{1}, {0}}}, {1000, 1000}, 50);
    CHECK(answered[0] == doctest::Approx(1050));
    CHECK(answered[1] == doctest::Approx(1050));
}

TEST_CASE("fair_rates: random flows on random links have the rates of the definition") {
    support::random_source random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<contention_model::network::link> all;
        const std::int64_t n = 1 + random.below(8);
        for (std::int64_t i = 0; i < n; ++i) all.push_back({{0, 1000 * (1 + random.below(1000))}});
        const contention_model::network net = links(all);
        std::deque<fair_rates::path> paths;
        const std::int64_t flows = 1 + random.below(12), back = 50 * random.below(3);
        for (std::int64_t f = 0; f < flows; ++f) {
            fair_rates::path one;
            for (std::int32_t l = 0; l < n; ++l)
                if (const auto what = random.below(4); what == 0) one.links.push_back(l);
                else if (what == 1) one.back.push_back(l);
            if (one.links.empty()) one.links.push_back(static_cast<std::int32_t>(random.below(n)));
            one.weight = 1 + random.below(4);
            paths.push_back(one);
        }
        const std::vector<double> rate = reference(net, paths, static_cast<double>(back) / 1000);
        // The time of the first flow to end gives its rate exactly, since the rates change only then.
        std::vector<bytes_t> bytes(paths.size(), 1'000'000);
        const double fastest = *std::ranges::max_element(rate);
        double first = INFINITY;
        for (const auto& [id, end] : ends(net, paths, bytes, back)) first = std::min(first, end);
        CHECK(first == doctest::Approx(1e6 / fastest * 1e9).epsilon(1e-6));
        // And each of them does, if it has the fewest bytes by far.
        for (std::size_t i = 0; i < paths.size(); ++i) {
            std::vector<bytes_t> few(paths.size(), 1'000'000'000'000);
            few[i] = 1'000'000;
            const double alone = ends(net, paths, few, back)[static_cast<std::int64_t>(i)];
            CHECK(alone == doctest::Approx(1e6 / rate[i] * 1e9).epsilon(1e-6));
        }
    }
}

TEST_CASE("fair_rates: a window and a factor of the bandwidth slow a flow, and leave the rest to others") {
    const contention_model::network net = links({{{0, gigabyte_a_second}}});
    fair_rates rates(net, 0);
    rates.add({{0}, {}, 1, fair_shares::window_limit(1, 4000)});  // a quarter
    rates.add({{0}});
    rates.begin(0, 0, 250, 0);
    rates.begin(1, 1, 750, 0);
    CHECK(rates.next() == 1'000'000);
    int ended = 0;
    rates.end(1'000'000, [&](std::int64_t) { ++ended; });
    CHECK(ended == 2);
    rates.begin(2, 1, 1000, 1'000'000, 500'000);
    CHECK(rates.next() == 3'000'000);
    rates.end(3'000'000, [&](std::int64_t) { ++ended; });
    CHECK(ended == 3);
    CHECK(rates.empty());
}

TEST_CASE("fair_rates: flows that begin and end at any time take the times of rates that are all computed anew") {
    support::random_source random(11);
    for (int round = 0; round < 60; ++round) {
        std::vector<contention_model::network::link> all;
        const std::int64_t n = 2 + random.below(12);
        for (std::int64_t i = 0; i < n; ++i) all.push_back({{0, 1000 * (1 + random.below(1000))}});
        const contention_model::network net = links(all);
        std::deque<fair_rates::path> distinct, paths;  // paths: of each flow
        std::vector<std::int64_t> number_of;
        std::vector<double> left, begins;
        const std::int64_t flows = 2 + random.below(14), back = 50 * random.below(2);
        for (std::int64_t f = 0; f < flows; ++f) {
            if (f == 0 || random.below(3) > 0) {
                fair_rates::path path{{static_cast<std::int32_t>(random.below(n))}};
                if (random.below(2) == 0) path.back.push_back(static_cast<std::int32_t>(random.below(n)));
                path.weight = 1 + random.below(4);
                distinct.push_back(path);
            }
            number_of.push_back(random.below(std::ssize(distinct)));
            paths.push_back(distinct[static_cast<std::size_t>(number_of.back())]);
            left.push_back(static_cast<double>(1000 * (1 + random.below(1000))));
            begins.push_back(static_cast<double>(random.below(3) * random.below(1'000'000)));  // in nanoseconds
        }
        std::vector<double> bytes = left, expected(paths.size(), -1);
        for (double now = 0;;) {
            std::deque<fair_rates::path> open;
            std::vector<std::size_t> names;
            double next = INFINITY;
            for (std::size_t i = 0; i < paths.size(); ++i)
                if (begins[i] > now) next = std::min(next, begins[i]);
                else if (expected[i] < 0) open.push_back(paths[i]), names.push_back(i);
            if (open.empty() && next == INFINITY) break;
            const std::vector<double> rate =
                reference(net, open, static_cast<double>(back) / 1000);  // bytes per second
            for (std::size_t k = 0; k < open.size(); ++k) next = std::min(next, now + left[names[k]] / rate[k] * 1e9);
            for (std::size_t k = 0; k < open.size(); ++k) {
                left[names[k]] -= rate[k] * (next - now) / 1e9;
                if (left[names[k]] < 1e-3) expected[names[k]] = next;
            }
            now = next;
        }
        fair_rates rates(net, back);
        for (const fair_rates::path& path : distinct) rates.add(path);
        std::vector<double> found(paths.size(), -1);
        std::vector<bool> begun(paths.size());
        while (std::ranges::count(found, -1.0) > 0) {
            double first = INFINITY;
            for (std::size_t i = 0; i < paths.size(); ++i)
                if (!begun[i]) first = std::min(first, begins[i] * 1000);
            const picoseconds end = rates.next();
            if (static_cast<double>(end) < first) {
                rates.end(end,
                          [&](std::int64_t id) { found[static_cast<std::size_t>(id)] = static_cast<double>(end); });
                continue;
            }
            for (std::size_t i = 0; i < paths.size(); ++i)
                if (!begun[i] && begins[i] * 1000 == first) {
                    begun[i] = true;
                    rates.begin(static_cast<std::int64_t>(i), number_of[i], static_cast<bytes_t>(bytes[i]),
                                static_cast<picoseconds>(first));
                }
        }
        for (std::size_t i = 0; i < paths.size(); ++i)
            CHECK(found[i] == doctest::Approx(expected[i] * 1000).epsilon(1e-6));
    }
}

TEST_CASE("fair_rates: with an interval, flows that end later have the rates of the interval's end") {
    const contention_model::network net = links({{{0, gigabyte_a_second}}});
    const std::deque<fair_rates::path> two = {{{0}}, {{0}}};
    const picoseconds us = 1'000'000;
    CHECK(ends(net, two, {1000, 2000}) == std::map<std::int64_t, double>{{0, 2000}, {1, 3000}});
    // The first one ends at 2 us. The second one has half of the link up to 2.5 us, and 750 bytes are left.
    CHECK(ends(net, two, {1000, 2000}, 0, 5 * us / 2) == std::map<std::int64_t, double>{{0, 2000}, {1, 3250}});
    CHECK(ends(net, two, {1000, 2000}, 0, 10 * us) == std::map<std::int64_t, double>{{0, 2000}, {1, 4000}});
}

TEST_CASE("fair_rates: with an interval, flows that begin within it have an equal part of each link until its end") {
    const contention_model::network net = links({{{0, gigabyte_a_second}}, {{0, gigabyte_a_second}}});
    const picoseconds us = 1'000'000;
    fair_rates rates(net, 0, 3 * us);
    rates.add({{0}});
    rates.add({{1}});
    std::map<std::int64_t, picoseconds> found;
    const auto end = [&](picoseconds time) { rates.end(time, [&](std::int64_t id) { found[id] = time; }); };
    rates.begin(0, 0, 10'000, 0);
    CHECK(rates.next() == 10 * us);
    rates.begin(1, 1, 5000, us);
    CHECK(rates.next() == 3 * us);
    end(3 * us);
    CHECK(found.empty());
    CHECK(rates.next() == 6 * us);
    end(6 * us);
    CHECK(found == std::map<std::int64_t, picoseconds>{{1, 6 * us}});
    rates.begin(2, 1, 1000, 7 * us);  // the interval is over
    CHECK(rates.next() == 8 * us);
    end(8 * us);
    rates.begin(3, 0, 1000, 8 * us);  // beside the first one, of which 2000 bytes are left
    CHECK(rates.next() == 10 * us);
    end(10 * us);
    CHECK(rates.next() == 11 * us);
    end(11 * us);
    CHECK(found == std::map<std::int64_t, picoseconds>{{0, 11 * us}, {1, 6 * us}, {2, 8 * us}, {3, 10 * us}});
    CHECK(rates.empty());
}
