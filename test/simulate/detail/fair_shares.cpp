#include "collsched/simulate/detail/fair_shares.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

constexpr std::int64_t fs_a_byte = 1'000'000;

/// The paths and flows of a network, and all their rates.
struct filled {
    link_network net;
    std::vector<fair_shares::path> paths;
    fair_shares shares;
    std::map<std::int64_t, std::int64_t> rates{};

    filled(const link_network& links, const std::vector<fair_shares::path>& all)
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

}  // namespace

TEST_CASE("fair_shares: rates after any changes are those of the same flows from the beginning") {
    std::mt19937 random(7);
    for (int network = 0; network < 20; ++network) {
        std::vector<link_network::link> links;
        for (int i = 0; i < 12; ++i) links.push_back({{0, fs_a_byte * (1 + static_cast<int>(random() % 3))}});
        const link_network net(2, links, {});
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
    const link_network net(2, std::vector<link_network::link>(40, {{0, fs_a_byte}}), {});
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
