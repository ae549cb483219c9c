#include "collsched/simulate/detail/fair_shares.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

constexpr std::int64_t fs_a_byte = 1'000'000;

/// The paths and flows of a network, and all their rates.
struct filled {
    contention_model::network net;
    std::vector<fair_shares::path> paths;
    fair_shares shares;
    std::map<std::int64_t, std::int64_t> rates{};

    filled(const contention_model::network& links, const std::vector<fair_shares::path>& all)
        : net(links), paths(all), shares(net, 50) {
        for (const fair_shares::path& one : paths) shares.add(one);
    }
    filled(const filled&) = delete;
    filled& operator=(const filled&) = delete;
    void set(std::int64_t path, std::int64_t flows) {
        shares.set_flows(path, flows);
        if (flows == 0) rates.erase(path);
    }
    void update() {
        shares.update([this](std::int64_t path, std::int64_t rate) { rates[path] = rate; });
    }
};

bool near(std::int64_t a, std::int64_t b) {
    const double difference = static_cast<double>(a) - static_cast<double>(b);
    return difference * difference <= 1e-20 * static_cast<double>(b) * static_cast<double>(b) + 4;
}

std::vector<fair_shares::path> random_paths(std::mt19937& random, std::int32_t links, int number) {
    const auto draw = [&](int below) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(below)); };
    std::vector<fair_shares::path> all(static_cast<std::size_t>(number));
    for (fair_shares::path& one : all) {
        for (int i = draw(4); i >= 0; --i) one.links.push_back(draw(links));
        for (int i = draw(3); i > 0; --i) one.back.push_back(draw(links));
        one.weight = 1 + draw(3);
        if (draw(4) == 0) one.limit = (std::int64_t{1} << 40) + draw(1 << 30) * std::int64_t{700};
    }
    return all;
}

/// The max-min fair rates of paths with these flows; acknowledgements take 50 thousandths.
std::vector<double> fair_rates_of(const contention_model::network& net, const std::vector<fair_shares::path>& paths,
                                  const std::vector<std::int64_t>& flows) {
    const std::size_t size = net.links().size();
    std::vector<double> rates(paths.size()), left(size), caps(paths.size(), 0x1p62);
    std::vector<std::vector<double>> parts(paths.size(), std::vector<double>(size));
    std::vector<bool> open(paths.size());
    for (std::size_t l = 0; l < size; ++l) left[l] = 0x1p60 / static_cast<double>(net.links()[l].cost.byte_fs);
    for (std::size_t i = 0; i < paths.size(); ++i) {
        open[i] = flows[i] > 0;
        if (paths[i].limit > 0) caps[i] = static_cast<double>(paths[i].limit);
        const auto use = [&](std::int32_t link, double part, bool forward) {
            const auto l = static_cast<std::size_t>(link);
            if (net[link].cost.byte_fs == 0) return;
            if (net[link].shared) parts[i][l] += part;
            else if (forward) caps[i] = std::min(caps[i], left[l]);
        };
        for (const std::int32_t link : paths[i].links) use(link, 1, true);
        for (const std::int32_t link : paths[i].back) use(link, 0.05, false);
    }
    while (std::ranges::count(open, true) > 0) {
        double least = 1e300;
        std::vector<double> share(size, 1e300);
        for (std::size_t l = 0; l < size; ++l) {
            double weight = 0;
            for (std::size_t i = 0; i < paths.size(); ++i)
                if (open[i])
                    weight += parts[i][l] * static_cast<double>(paths[i].weight) * static_cast<double>(flows[i]);
            if (weight > 0) share[l] = left[l] / weight;
            least = std::min(least, share[l]);
        }
        for (std::size_t i = 0; i < paths.size(); ++i)
            if (open[i]) least = std::min(least, caps[i] / static_cast<double>(paths[i].weight));
        const double end = least * (1 + 1e-12);
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!open[i]) continue;
            bool full = caps[i] / static_cast<double>(paths[i].weight) <= end;
            for (std::size_t l = 0; l < size; ++l) full = full || (parts[i][l] > 0 && share[l] <= end);
            if (full) rates[i] = least * static_cast<double>(paths[i].weight);
        }
        for (std::size_t i = 0; i < paths.size(); ++i) {
            if (!open[i] || rates[i] <= 0) continue;
            open[i] = false;
            for (std::size_t l = 0; l < size; ++l) left[l] -= parts[i][l] * rates[i] * static_cast<double>(flows[i]);
        }
    }
    return rates;
}

}  // namespace

TEST_CASE("fair_shares: rates after any changes are those of the same flows from the beginning") {
    std::mt19937 random(7);
    for (int network = 0; network < 20; ++network) {
        std::vector<contention_model::network::link> links;
        for (int i = 0; i < 12; ++i) links.push_back({{0, fs_a_byte * (1 + static_cast<int>(random() % 3))}});
        const contention_model::network net(2, links, {});
        const std::vector<fair_shares::path> paths = random_paths(random, 12, 30);
        filled changing(net, paths);
        std::vector<std::int64_t> flows(paths.size(), 0);
        for (int change = 0; change < 60; ++change) {
            for (auto changes = 1 + random() % 3; changes > 0; --changes) {
                const std::size_t i = random() % paths.size();
                flows[i] = flows[i] > 0 && random() % 2 == 0 ? flows[i] - 1 : flows[i] + 1;
                changing.set(static_cast<std::int64_t>(i), flows[i]);
            }
            changing.update();
            filled anew(net, paths);
            for (std::size_t i = 0; i < flows.size(); ++i)
                if (flows[i] > 0) anew.set(static_cast<std::int64_t>(i), flows[i]);
            anew.update();
            REQUIRE(changing.rates.size() == anew.rates.size());
            for (const auto& [path, rate] : anew.rates) CHECK(near(changing.rates.at(path), rate));
        }
    }
}

TEST_CASE("fair_shares: a change is reported to the paths that it affects, and to no others") {
    const contention_model::network net(2, std::vector<contention_model::network::link>(40, {{0, fs_a_byte}}), {});
    std::vector<fair_shares::path> chain;
    for (std::int32_t i = 0; i < 40; ++i) chain.push_back({.links = {i}});
    chain.push_back({.links = {0, 1}});
    filled all(net, chain);
    for (std::int64_t i = 0; i < 40; ++i) all.set(i, 1);
    all.update();
    all.rates.clear();
    all.set(40, 1);
    CHECK(all.shares.is_changed());
    all.update();
    CHECK(!all.shares.is_changed());
    CHECK(all.rates.size() == 3);
    CHECK(all.rates.at(0) == all.rates.at(40));
    all.rates.clear();
    all.set(40, 0);
    all.update();
    CHECK(all.rates.size() == 2);
}

TEST_CASE("fair_shares: a change is not reported to paths that share a link which limits none of them") {
    std::vector<contention_model::network::link> links(31, {{0, fs_a_byte}});
    links[30].cost.byte_fs = fs_a_byte / 40;
    const contention_model::network net(2, links, {});
    std::vector<fair_shares::path> paths;
    for (std::int32_t i = 0; i < 30; ++i) paths.push_back({.links = {i, 30}});
    filled all(net, paths);
    for (std::int64_t i = 0; i < 30; ++i) all.set(i, 1);
    all.update();
    const std::int64_t alone = all.rates.at(7);
    all.rates.clear();
    all.set(7, 2);
    all.update();
    CHECK(all.rates.size() == 1);
    CHECK(all.rates.at(7) == alone / 2);
}

TEST_CASE("fair_shares: rates are max-min fair, by shares that grow together until a link or a path is at its limit") {
    std::mt19937 random(11);
    for (int network = 0; network < 60; ++network) {
        std::vector<contention_model::network::link> links;
        for (int i = 0; i < 8; ++i)
            links.push_back({{0, fs_a_byte * (1 + static_cast<int>(random() % 5))}, random() % 4 != 0});
        links.push_back({{0, 0}});
        const contention_model::network net(2, links, {});
        const std::vector<fair_shares::path> paths = random_paths(random, 9, 12);
        filled all(net, paths);
        std::vector<std::int64_t> flows;
        for (std::size_t i = 0; i < paths.size(); ++i) {
            flows.push_back(static_cast<std::int64_t>(random() % 4));
            if (flows[i] > 0) all.set(static_cast<std::int64_t>(i), flows[i]);
        }
        all.update();
        const std::vector<double> fair = fair_rates_of(net, paths, flows);
        for (std::size_t i = 0; i < paths.size(); ++i) {
            CHECK(all.rates.contains(static_cast<std::int64_t>(i)) == (flows[i] > 0));
            if (flows[i] > 0)
                CHECK(static_cast<double>(all.rates[static_cast<std::int64_t>(i)]) == doctest::Approx(fair[i]));
        }
    }
}

TEST_CASE("fair_shares: the rate of a window is its bytes per time, from 2^-60 to 4 bytes per femtosecond") {
    constexpr std::int64_t one = std::int64_t{1} << 60;
    CHECK(fair_shares::bits == 60);
    CHECK(fair_shares::window_limit(1, 1) == one / 1000);
    CHECK(fair_shares::window_limit(3000, 2) == one / 2 * 3);
    CHECK(fair_shares::window_limit(4000, 1) == one * 4);
    CHECK(fair_shares::window_limit(4001, 1) == one * 4);
    CHECK(fair_shares::window_limit(INT64_MAX, 1) == one * 4);
    CHECK(fair_shares::window_limit(1, INT64_MAX) == 1);
    const fair_shares::path path;
    CHECK((path.weight == 1 && path.limit == 0));
}

TEST_CASE("fair_shares: the least and the largest rate") {
    constexpr std::int64_t one = std::int64_t{1} << 60;
    const contention_model::network net(2, {{{0, one}}, {{0, 0}}, {{0, 1}}, {{0, 2}, false}, {{0, INT64_MAX}}}, {});
    const auto rate_of = [&](const fair_shares::path& path, std::int64_t flows) {
        filled all(net, {path});
        all.set(0, flows);
        all.update();
        return all.rates.at(0);
    };
    CHECK(rate_of({.links = {0}}, 1) == 1);
    CHECK(rate_of({.links = {0}}, 3) == 1);
    CHECK(rate_of({.links = {4}}, 1) == 1);
    CHECK(rate_of({.links = {1}, .back = {0}}, 1) == 20);  // of which it uses 50 thousandths there
    CHECK(rate_of({.links = {1}}, 1) == one * 4);
    CHECK(rate_of({.links = {1}, .weight = 3}, 1) == one * 4 - 1);
    CHECK(rate_of({.links = {2}}, 1) == one);
    CHECK(rate_of({.links = {2}}, 4) == one / 4);
    CHECK(rate_of({.links = {3}}, 4) == one / 2);
    CHECK(rate_of({.links = {1}, .limit = 77}, 4) == 77);
    CHECK(rate_of({.links = {2}, .back = {2}, .limit = 0}, 1) == 1'098'020'480'577'949'500);  // 2^60 / 1.05
}

TEST_CASE("fair_shares: paths without flows have no rate, and only changed ones with flows are reported") {
    const contention_model::network net(2, std::vector<contention_model::network::link>(3, {{0, fs_a_byte}}), {});
    filled all(net, {{.links = {0}}, {.links = {0, 1}}, {.links = {2}}});
    CHECK_FALSE(all.shares.is_changed());
    all.update();
    CHECK(all.rates.empty());
    for (const std::int64_t path : {0, 1, 2}) all.set(path, 1);
    all.update();
    CHECK(all.rates.size() == 3);
    const std::int64_t whole = all.rates.at(2);
    CHECK(all.rates.at(0) == whole / 2);
    CHECK(all.rates.at(1) == whole / 2);
    all.rates.clear();
    all.set(2, 5);
    all.update();
    CHECK(all.rates == std::map<std::int64_t, std::int64_t>{{2, whole / 5}});
    all.rates.clear();
    all.set(2, 0);
    all.set(0, 0);
    all.update();
    CHECK(all.rates == std::map<std::int64_t, std::int64_t>{{1, whole}});
    all.set(1, 0);
    all.update();
    CHECK(all.rates.empty());
    all.set(0, 2);
    all.update();
    CHECK(all.rates == std::map<std::int64_t, std::int64_t>{{0, whole / 2}});
}
