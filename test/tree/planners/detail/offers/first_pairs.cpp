#include "collsched/tree/planners/detail/offers.hpp"

#include <doctest/doctest.h>

#include "support/random_clusters.hpp"

using namespace collsched;

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
