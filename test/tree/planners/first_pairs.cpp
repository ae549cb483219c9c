#include "collsched/tree/planners/first_pairs.hpp"

#include <doctest/doctest.h>

#include "support/random_clusters.hpp"

using namespace collsched;

TEST_CASE("the first of all pairs, while senders come, start later or earlier, and receivers go") {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        support::pairs_model model(seed);
        planners::first_pairs open(model.ranks, model.receivers());
        const auto start = [&](rank_t i) { return model.start_of(i); };
        const auto cost = [&](rank_t i, rank_t j) { return model.cost(i, j); };
        for (rank_t sender = 0; open.waiting() > 0; ++sender) {
            model.add(sender);
            open.add(sender, start(sender), cost);
            CHECK(open.waiting() == static_cast<std::int64_t>(model.waiting.size()));
            for (int sends = 0; sends < 3; ++sends) {
                const trees::tree_edge chosen = open.best(start);
                REQUIRE(chosen == model.best([](rank_t) { return 0; }));
                model.delay(chosen.parent);
            }
            const rank_t early = model.hasten();
            open.renew(early, start(early));
            const trees::tree_edge chosen = open.best(start);
            REQUIRE(chosen == model.best([](rank_t) { return 0; }));
            model.remove(chosen.child);
            open.remove([&](rank_t r) { return !model.waits(r); });
        }
        CHECK(model.waiting.empty());
    }
}
