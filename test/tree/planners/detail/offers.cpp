#include "collsched/tree/planners/detail/offers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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

TEST_CASE("first_pairs: the first of all pairs, while senders come, start later or earlier, and receivers go") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        support::pairs_model model(seed);
        planners::detail::first_pairs open(model.ranks, model.receivers());
        const auto start = [&](rank_t i) { return model.start_of(i); };
        const auto cost = [&](rank_t i, rank_t j) { return model.cost(i, j); };
        for (rank_t sender = 0; open.waiting() > 0; ++sender) {
            model.add(sender);
            open.add(sender, start(sender), cost);
            CHECK(open.waiting() == static_cast<std::int64_t>(model.waiting.size()));
            for (int sends = 0; sends < 3; ++sends) {
                const trees::tree_edge chosen = open.best(start, cost);
                REQUIRE(chosen == model.best([](rank_t) { return 0; }));
                model.delay(chosen.parent);
            }
            const rank_t early = model.hasten();
            open.add(early, start(early), cost);
            const trees::tree_edge chosen = open.best(start, cost);
            REQUIRE(chosen == model.best([](rank_t) { return 0; }));
            model.remove(chosen.child);
            open.remove([&](rank_t r) { return !model.waits(r); });
        }
        CHECK(model.waiting.empty());
    }
}

TEST_CASE("first_pairs: costs are read a few times each, also if all senders prefer the same receivers") {
    constexpr rank_t n = 1000;
    planners::detail::first_pairs open(n + 1, support::first_ranks(n));
    std::int64_t asked = 0;
    const auto cost = [&](rank_t, rank_t j) { return ++asked, j; };
    const auto start = [](rank_t i) { return 1000 * i; };
    open.add(n, 0, cost);
    for (rank_t next = 0; open.waiting() > 0; ++next) {
        REQUIRE(open.best([&](rank_t i) { return i == n ? 0 : start(i + 1); }, cost) == trees::tree_edge{n, next});
        open.remove([&](rank_t r) { return r == next; });
        open.add(next, start(next + 1), cost);
    }
    CHECK(asked < 2 * n * n);
}

using planners::detail::nearest;
using planners::detail::priced_rank;

static_assert([] {
    nearest them;
    const auto first = [&](auto gone) {
        return them.first(gone, [&](auto f) {
            for (rank_t r = 0; r < 30; ++r)
                if (!gone(r)) f(priced_rank{r % 7, r});
        });
    };
    return first([](rank_t) { return false; }) == priced_rank{0, 0} &&
           first([](rank_t r) { return r % 7 < 3; }) == priced_rank{3, 3} &&
           first([](rank_t r) { return r % 7 < 3 || r < 20; }) == priced_rank{3, 24} &&
           first([](rank_t) { return true; }) == priced_rank{};
}());

TEST_CASE("nearest: no receivers") {
    CHECK(nearest().first([](rank_t) { return false; }, [](auto) {}) == priced_rank{});
}

TEST_CASE("nearest: the cheapest of the remaining ones, for any number removed at once") {
    support::random_source random(5);
    for (const std::int64_t kinds : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1000000}})
        for (const std::int64_t at_once : {1, 2, 10, 200})
            for (rank_t n = 1; n <= 500; n += 83) {
                std::vector<priced_rank> ranks;
                for (rank_t r = 0; r < n; ++r) ranks.push_back({random.below(kinds), r});
                const std::vector<priced_rank> known = ranks;
                nearest them;
                std::sort(ranks.begin(), ranks.end());
                std::vector<bool> gone(static_cast<std::size_t>(n));
                const auto has_gone = [&](rank_t r) { return gone[static_cast<std::size_t>(r)]; };
                const auto each = [&](auto f) {
                    for (const priced_rank& r : known)
                        if (!has_gone(r.rank)) f(r);
                };
                for (bool left = true; left;) {
                    const auto first = std::find_if(ranks.begin(), ranks.end(),
                                                    [&](const priced_rank& r) { return !has_gone(r.rank); });
                    left = first != ranks.end();
                    REQUIRE(them.first(has_gone, each) == (left ? *first : priced_rank{}));
                    if (left && random.below(2) > 0) gone[static_cast<std::size_t>(first->rank)] = true;
                    for (std::int64_t i = 0; i < at_once; ++i) gone[static_cast<std::size_t>(random.below(n))] = true;
                }
            }
}

TEST_CASE("nearest: removing the cheapest each time takes about log n reads each") {
    constexpr rank_t n = 100'000;
    nearest them;
    rank_t gone = 0;
    std::int64_t asked = 0;
    const auto each = [&](auto f) {
        for (rank_t r = n; r-- > gone; ++asked) f(priced_rank{r, r});
    };
    for (; gone < n; ++gone) REQUIRE(them.first([&](rank_t r) { return r < gone; }, each) == priced_rank{gone, gone});
    CHECK(them.first([](rank_t) { return true; }, each) == priced_rank{});
    CHECK(asked < 40 * n);
}
