#include "collsched/tree/planners/detail/offers.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/layouts.hpp"
#include "support/random_clusters.hpp"

using namespace collsched;

namespace {

std::vector<rank_t> all_of(const planners::detail::offers& open) {
    std::vector<rank_t> all;
    open.for_each([&](rank_t r) { all.push_back(r); });
    return all;
}

}  // namespace

TEST_CASE("offers: the first of all pairs with a look-ahead, while senders come and start later, and receivers go") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        support::pairs_model model(seed);
        planners::detail::offers open(model.receivers());
        const auto start = [&](rank_t i) { return model.start_of(i); };
        const auto cost = [&](rank_t i, rank_t j) { return model.cost(i, j); };
        const std::vector<picoseconds> extra = model.numbers();
        const auto ahead = [&](rank_t j) { return extra[static_cast<std::size_t>(j)] * (open.waiting() % 3); };
        for (rank_t sender = 0; open.waiting() > 0; ++sender) {
            model.add(sender);
            open.add(sender, start(sender), cost);
            CHECK(all_of(open) == model.waiting);
            for (int sends = 0; sends < 3; ++sends) {
                const trees::tree_edge chosen = open.best(start, cost, ahead);
                REQUIRE(chosen == model.best(ahead));
                model.delay(chosen.parent);
            }
            model.remove(open.best(start, cost, ahead).child);
            open.remove([&](rank_t r) { return !model.waits(r); });
        }
        CHECK(model.waiting.empty());
    }
}

TEST_CASE("offers: starts that never change") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        support::pairs_model model(seed);
        planners::detail::offers open(model.receivers(), false);
        const auto start = [&](rank_t i) { return model.start_of(i); };
        for (rank_t sender = 0; open.waiting() > 0; ++sender) {
            model.add(sender);
            const auto cost = [&](rank_t i, rank_t j) { return model.cost(i, j); };
            open.add(sender, start(sender), cost);
            const trees::tree_edge chosen = open.best(start, cost, [](rank_t) { return 0; });
            REQUIRE(chosen == model.best([](rank_t) { return 0; }));
            model.remove(chosen.child);
            open.remove([&](rank_t r) { return !model.waits(r); });
        }
    }
}

// Every sender is chosen once, and is too late ever after, so that the few that a receiver keeps are used up all the time.
TEST_CASE("offers: costs are read a few times each, and dropped pairs are found again") {
    for (const std::int64_t kinds : {std::int64_t{1}, std::int64_t{50}, std::int64_t{1'000'000'000}}) {
        constexpr rank_t n = 600;
        support::random_source random(3);
        std::vector<picoseconds> cost_of, starts(n + 1);
        for (rank_t pair = 0; pair < n * (n + 1); ++pair) cost_of.push_back(random.below(kinds));
        std::int64_t asked = 0;
        const auto start = [&](rank_t i) { return starts[static_cast<std::size_t>(i)]; };
        const auto known = [&](rank_t i, rank_t j) { return cost_of[static_cast<std::size_t>(i * n + j)]; };
        const auto cost = [&](rank_t i, rank_t j) { return ++asked, known(i, j); };

        planners::detail::offers open(support::first_ranks(n));
        for (rank_t i = 0; i <= n; ++i) open.add(i, 0, cost);
        for (rank_t gone = 0; gone < n; ++gone) {
            trees::tree_edge wanted;
            picoseconds least = std::numeric_limits<picoseconds>::max();
            for (rank_t i = 0; i <= n; ++i)
                for (rank_t j = gone; j < n; ++j)
                    if (start(i) + known(i, j) < least) least = start(i) + known(i, j), wanted = {i, j};
            REQUIRE(open.best(start, cost, [](rank_t) { return 0; }) == wanted);
            starts[static_cast<std::size_t>(wanted.parent)] += 1'000'000'000;
            open.remove([&](rank_t r) { return r == gone; });
        }
        CHECK(asked < 10 * n * n);
    }
}
